import type { Sql } from '../../store/control.ts'
import { selectTraitRows } from './trait-holder-store.ts'
import { traitsOf } from './traits.ts'

type TraitHolder = { personId: string; value: unknown }

/** Rows read at a time. */
const rowsPerRead = 5_000

/**
 * Everyone who has this trait, under their current ids, with its value by the same rule as for one person.
 */
export async function* traitHolders(
  sql: Sql,
  workspaceId: string,
  key: string,
): AsyncGenerator<readonly TraitHolder[]> {
  for (let after = ''; ; ) {
    const rows = await selectTraitRows(sql, workspaceId, key, after, rowsPerRead)
    const byPerson = Map.groupBy(rows, (row) => row.person_id)
    const types = new Map(rows.map((row) => [row.original_id, row.type]))
    yield [...byPerson].flatMap(([personId, own]) =>
      traitsOf(own, (originalId) => types.get(originalId) ?? '').map(({ value }) => ({ personId, value })),
    )
    after = rows.at(-1)?.person_id ?? ''
    if (rows.length < rowsPerRead) return
  }
}
