import type { Control } from '../../store/control.ts'
import type { DataSubject } from '../../store/people/data-subject.ts'
import type { StoredPlace } from '../../store/people/personal-data.ts'
import { type DeadLetters, readLine } from './dead-letters.ts'
import type { FiledLetter } from './file.ts'
import { countLettersOf, deleteLettersOf, selectLettersOf } from './store.ts'

const rowsPerRead = 200

/** Lines that a store refused. They contain the whole event, so they are deleted in either mode. */
export function deadLetterData(control: Control, { file }: Pick<DeadLetters, 'file'>): StoredPlace[] {
  return [
    {
      kind: 'table',
      name: 'dead_letters',
      covers: { control: ['dead_letters'] },
      method: () => 'deleted',
      count: (person) => countLettersOf(control, person),
      erase: (person) => deleteLettersOf(control, person),
      exported: [{ name: 'dead_letters', rows: (person) => exported(control, person) }],
    },
    {
      kind: 'files',
      name: 'dead_letter_file',
      // The file is in the directory of the log, which is declared with the log; nodes that share one have a table.
      covers: { control: ['dead_letter_overflow'] },
      method: () => 'deleted',
      count: async ({ workspaceId, originalIds, values }) =>
        (await file.read()).filter(namesOne(workspaceId, [...originalIds, ...values])).length,
      async erase({ workspaceId, originalIds, values }) {
        const isTheirs = namesOne(workspaceId, [...originalIds, ...values])
        if ((await file.read()).some(isTheirs)) await file.keep((letter) => !isTheirs(letter))
      },
      async eraseOnNode(workspaceId, originalIds) {
        const isTheirs = namesOne(workspaceId, originalIds)
        if ((await file.read()).some(isTheirs)) await file.keep((letter) => !isTheirs(letter))
      },
      exported: { because: 'it contains lines that cannot be read, or did not fit into the list yet' },
    },
  ]
}

/** A line without a readable person may belong to anyone. */
function namesOne(workspaceId: string, needles: readonly string[]): (letter: FiledLetter) => boolean {
  return ({ workspace_id, line }) => {
    if (workspace_id !== '' && workspace_id !== workspaceId) return false
    const text = Buffer.from(line, 'base64').toString('utf8')
    return needles.some((needle) => needle !== '' && text.includes(needle))
  }
}

async function* exported(control: Control, person: DataSubject): AsyncGenerator<unknown> {
  for (let after = '', length = rowsPerRead; length === rowsPerRead; ) {
    const rows = await selectLettersOf(control, person, after, rowsPerRead)
    for (const { line, ...row } of rows) yield { ...row, line: readLine(Buffer.from(line).toString('utf8')) }
    length = rows.length
    after = rows.at(-1)?.id ?? after
  }
}
