import type { Control } from '../store/control.ts'
import type { DataSubject } from '../store/people/data-subject.ts'
import { unpacked } from '../store/people/person-export.ts'
import { mentions } from '../store/people/person-text.ts'
import { textsNaming, textTable } from '../store/people/person-text-table.ts'
import type { PersonalDataPlace } from '../store/people/personal-data.ts'
import { deleteNamingReport, emptyReportTexts, selectNamingReports } from './personal-data-store.ts'

/** A name, a description or a condition that names a person. A question about one person alone has no use without them. */
export function reportData(control: Control): PersonalDataPlace[] {
  const table = textTable({
    control,
    name: 'reports',
    method: 'names and descriptions emptied, questions about the person deleted',
    select: selectNamingReports,
    change: async () => {},
    exported: ({ name, description, question }) => ({ name, description, question: unpacked(question) }),
  })
  return [
    {
      ...table,
      async erase(person: DataSubject) {
        // Each page is read after the rows before it were changed, by their ids.
        for await (const { id, question } of textsNaming(control, selectNamingReports, person)) {
          const change = mentions(question, person.values) ? deleteNamingReport : emptyReportTexts
          await change(control, person.workspaceId, id)
        }
      },
    },
  ]
}
