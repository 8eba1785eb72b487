import type { Control } from '../store/control.ts'
import type { DataSubject } from '../store/people/data-subject.ts'
import { textTable } from '../store/people/person-text-table.ts'
import type { PersonalDataPlace } from '../store/people/personal-data.ts'
import {
  countNamedRecipients,
  deleteDigests,
  deleteNamedRecipients,
  selectNamedRecipients,
  selectNamingDigests,
} from './personal-data-store.ts'

/** Addresses of recipients; and filters that name a person, whose digest is about them alone. */
export function digestData(control: Control): PersonalDataPlace[] {
  return [
    {
      kind: 'table',
      name: 'digest_recipients',
      covers: { control: ['digest_recipients'] },
      method: () => 'deleted',
      count: (person) => countNamedRecipients(control, person.workspaceId, emailsOf(person)),
      erase: (person) => deleteNamedRecipients(control, person.workspaceId, emailsOf(person)),
      exported: [{ name: 'digest_recipients', rows: (person) => recipientsOf(control, person) }],
    },
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

/** As they are stored. Postgres refuses a text with NUL, which no address has. */
const emailsOf = ({ values }: DataSubject): string[] =>
  values.map((value) => value.trim().toLowerCase()).filter((value) => /^[^\0]+@[^\0]+$/.test(value))

const rowsPerRead = 500

async function* recipientsOf(control: Control, person: DataSubject) {
  let after = ''
  for (;;) {
    const rows = await selectNamedRecipients(
      control,
      person.workspaceId,
      emailsOf(person),
      after,
      rowsPerRead,
    )
    for (const { id: _, ...row } of rows) yield row
    after = rows.at(-1)?.id ?? ''
    if (rows.length < rowsPerRead) return
  }
}
