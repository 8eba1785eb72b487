import type { Control } from '../store/control.ts'
import { textTable } from '../store/people/person-text-table.ts'
import type { PersonalDataPlace } from '../store/people/personal-data.ts'
import { deleteShares, selectNamingShares } from './personal-data-store.ts'

/** Filters that name a person: such a link is about them alone. */
export function shareData(control: Control): PersonalDataPlace[] {
  return [
    textTable({
      control,
      name: 'shares',
      method: 'deleted',
      select: selectNamingShares,
      change: deleteShares,
      exported: ({ narrowing }) => ({ narrowing }),
    }),
  ]
}
