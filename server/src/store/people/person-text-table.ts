import type { Control, Sql } from '../control.ts'
import type { DataSubject } from './data-subject.ts'
import { anchorsOf, mentions } from './person-text.ts'
import type { StoredPlace } from './personal-data.ts'

/** A row and a text that may name a person, as JSON or plain. */
export type TextRow = { id: string; text: string }

/** Rows of a workspace that may hold one of the anchors ($2), in the order of their ids, after one ($3). */
export type SelectTexts<Found extends TextRow> = (
  sql: Sql,
  page: readonly [workspaceId: string, anchors: readonly string[], after: string, rows: number],
) => Promise<Found[]>

/** A condition for `SelectTexts`: an anchor stands in the text, or an escape may hide one. */
export const mayHold = (text: string) =>
  `(EXISTS (SELECT 1 FROM unnest($2::text[]) AS anchor WHERE position(anchor IN lower((${text}) COLLATE "C")) > 0)
       OR position('\\u' IN (${text})) > 0)`

const textsPerRead = 500

/** Rows whose text names the person. */
export async function* textsNaming<Found extends TextRow>(
  sql: Sql,
  select: SelectTexts<Found>,
  { workspaceId, values }: Pick<DataSubject, 'workspaceId' | 'values'>,
): AsyncGenerator<Found> {
  if (values.length === 0) return
  const anchors = anchorsOf(values)
  let after = ''
  for (;;) {
    const rows = await select(sql, [workspaceId, anchors, after, textsPerRead])
    for (const row of rows) if (mentions(row.text, values)) yield row
    after = rows.at(-1)?.id ?? ''
    if (rows.length < textsPerRead) return
  }
}

type TextTable<Found extends TextRow> = {
  control: Control
  name: string
  method: string
  select: SelectTexts<Found>
  change: (sql: Sql, workspaceId: string, ids: readonly string[]) => Promise<void>
  exported: StoredPlace['exported'] | ((row: Found) => unknown)
}

/** A table of the control store whose rows are a person's where their text names them. */
export function textTable<Found extends TextRow>(table: TextTable<Found>): StoredPlace {
  const { control, name, method, select, change, exported } = table
  const idsOf = async (person: DataSubject) => {
    const ids: string[] = []
    for await (const { id } of textsNaming(control, select, person)) ids.push(id)
    return ids
  }
  async function* rows(person: DataSubject) {
    if (typeof exported !== 'function') return
    for await (const row of textsNaming(control, select, person)) yield exported(row)
  }
  return {
    kind: 'table',
    name,
    covers: { control: [name] },
    method: () => method,
    count: async (person) => (await idsOf(person)).length,
    async erase(person) {
      const ids = await idsOf(person)
      if (ids.length > 0) await control.transaction((sql) => change(sql, person.workspaceId, ids))
    },
    exported: typeof exported === 'function' ? [{ name, rows }] : exported,
  }
}
