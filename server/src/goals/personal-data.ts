import type { Control } from '../store/control.ts'
import type { DataSubject } from '../store/people/data-subject.ts'
import { unpacked } from '../store/people/person-export.ts'
import { mentions } from '../store/people/person-text.ts'
import { textsNaming, textTable } from '../store/people/person-text-table.ts'
import type { PersonalDataPlace } from '../store/people/personal-data.ts'
import { deleteNamingGoal, emptyGoalName, selectNamingGoals } from './personal-data-store.ts'
import type { SiteGoals } from './site-goals.ts'

/** A name or a condition that names a person. A goal that one person alone can reach has no use without them. */
export function goalData(control: Control, siteGoals: SiteGoals): PersonalDataPlace[] {
  const table = textTable({
    control,
    name: 'goals',
    method: 'names emptied, goals about the person deleted',
    select: selectNamingGoals,
    change: async () => {},
    exported: ({ name, condition }) => ({ name, condition: unpacked(condition) }),
  })
  return [
    {
      ...table,
      async erase(person: DataSubject) {
        // Each page is read after the rows before it were changed, by their ids.
        for await (const { id, condition } of textsNaming(control, selectNamingGoals, person)) {
          const change = mentions(condition, person.values) ? deleteNamingGoal : emptyGoalName
          await change(control, person.workspaceId, id)
        }
        await siteGoals.changed(person.workspaceId)
      },
    },
  ]
}
