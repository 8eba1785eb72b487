import type { Control } from '../store/control.ts'

/**
 * Tables that grow with people, and the columns by which their rows are found: keyed hashes and numbers alone, since
 * statistics hold some of the values, and outlive the rows.
 */
const columnsOf: ReadonlyMap<string, readonly string[]> = new Map([
  ['identifiers', ['workspace_id', 'original_id', 'person_id', 'changed_seq']],
  ['identity_links', ['workspace_id', 'a', 'b', 'entry_id']],
  ['person_traits', ['workspace_id', 'original_id']],
])

/** By a fifth and some more: in a table that fits into a few pages every plan is quick. */
const grownBy = 1.2
const pagesLeast = 10

/**
 * Postgres keeps statistics of its tables in a process of its own, which the embedded one does not have. Without them
 * it takes each of a few workspaces for one of two hundred, and reads all that a workspace has where it is asked for a
 * few hundred ids. Returns the tables that had grown.
 */
export async function analyzeGrownTables(control: Control): Promise<string[]> {
  if (control.shared) return []
  const grown = await control.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class
     WHERE oid = ANY($1::text[]::regclass[])
       AND pg_relation_size(oid) / current_setting('block_size')::int > $2::float8 * relpages + $3::int
     ORDER BY relname`,
    [[...columnsOf.keys()], grownBy, pagesLeast],
  )
  const names = grown.map(({ name }) => name)
  // One at a time, so that other statements run in between; each reads 30,000 rows at most.
  for (const name of names) await control.query(`ANALYZE ${name} (${columnsOf.get(name)?.join(', ')})`)
  return names
}
