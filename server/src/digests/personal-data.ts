import type { Control } from '../store/control.ts'
import { textTable } from '../store/people/person-text-table.ts'
import type { PersonalDataPlace } from '../store/people/personal-data.ts'
import {
  deleteDigests,
  deleteRecipients,
  selectNamedRecipients,
  selectNamingDigests,
} from './personal-data-store.ts'

/** Addresses of recipients; and filters that name a person, whose digest is about them alone. */
export function digestData(control: Control): PersonalDataPlace[] {
  return [
    textTable({
      control,
      name: 'digest_recipients',
      method: 'deleted',
      select: selectNamedRecipients,
      change: deleteRecipients,
      exported: ({ email, digest_id, is_active, last_sent_at, created_at }) => ({
        email,
        digest_id,
        is_active,
        last_sent_at,
        created_at,
      }),
    }),
    textTable({
      control,
      name: 'digests',
      method: 'deleted',
      select: selectNamingDigests,
      change: deleteDigests,
      exported: ({ narrowing }) => ({ narrowing }),
    }),
  ]
}
