import { isRecord, Problem, printedText } from '@assay/contract'
import type { Flaw, TableShape } from '../shapes/table-shape.ts'
import type { Brought } from './named-sets.ts'

/** Position of a row, for error messages. */
type Place = { table: string; line: number }

/** A reason may repeat names out of a row, which are as long as their sender likes. */
const reasonCharactersMax = 400

/** Names the file, the line, the column and the reason. */
export function flawed({ table, line }: Place, { column, reason }: Flaw): Problem {
  const plain = (text: string, charactersMax: number) =>
    text
      .toWellFormed()
      .replaceAll(/\p{Cc}/gu, ' ')
      .slice(0, charactersMax)
  const where = `${table}.ndjson, line ${line}, ${plain(column, 80)}`
  return new Problem('conflict', { detail: `${where}: ${plain(reason, reasonCharactersMax)}.` })
}

/** Columns that are not there take what the store gives where nothing is given. */
const defaults: readonly unknown[] = ['', 0, null]

type RowReader<Row> = { read: (line: string) => Promise<Row> }

/** Reads the rows of one part and refuses the first that the API would not have let in. */
export function createRowReader<Row extends Record<string, unknown>>(
  table: string,
  shape: TableShape<Row>,
  brought: Brought,
  toRow: (parsed: Record<string, unknown>) => Row,
): RowReader<Row> {
  const counts = createCounts(shape)
  let line = 0
  let columns: string | null = null
  return {
    async read(text) {
      line += 1
      const refuse = (flaw: Flaw) => flawed({ table, line }, flaw)
      const row = toRow(parseLine(text, refuse))
      const names = Object.keys(row).toSorted().join()
      columns ??= names
      if (columns !== names)
        throw refuse({ column: 'row', reason: 'must have the columns of the row before it' })
      const flaw = columnFlaw(shape, row, brought) ?? (await shape.row?.(row, brought)) ?? counts.add(row)
      if (flaw) throw refuse(flaw)
      for (const column of shape.names?.columns ?? []) {
        const named = row[column]
        if (typeof named === 'string' && named !== '') brought[shape.names?.as ?? 'sites'].add(named)
      }
      return row
    },
  }
}

function parseLine(line: string, refuse: (flaw: Flaw) => Problem): Record<string, unknown> {
  let parsed: unknown
  try {
    parsed = JSON.parse(line)
  } catch {
    throw refuse({ column: 'row', reason: 'must be JSON' })
  }
  if (isRecord(parsed) && !Object.hasOwn(parsed, '__proto__')) return parsed
  throw refuse({ column: 'row', reason: 'must be an object' })
}

function columnFlaw<Row extends Record<string, unknown>>(
  { columns }: TableShape<Row>,
  row: Row,
  brought: Brought,
): Flaw | null {
  for (const column of Object.keys(row)) {
    if (!Object.hasOwn(columns, column)) return { column, reason: 'does not belong there' }
  }
  for (const [column, check] of Object.entries(columns)) {
    const isGiven = Object.hasOwn(row, column)
    const reason = isGiven
      ? check(row[column], brought)
      : defaults.every((value) => check(value, brought) !== null)
        ? 'must be there'
        : null
    if (reason !== null) return { column, reason }
  }
  return null
}

/** How many rows there are, in all, of a site, and waiting for a job. */
function createCounts<Row extends Record<string, unknown>>({ rowsMax, perSiteMax, open }: TableShape<Row>) {
  let rows = 0
  let waiting = 0
  // bounded: by the sites of one import, which are checked first.
  const ofSites = new Map<unknown, number>()
  return {
    add(row: Row): Flaw | null {
      rows += 1
      if (rowsMax !== undefined && rows > rowsMax) return tooMany(rowsMax, 'of a workspace')
      if (perSiteMax !== undefined) {
        const ofSite = (ofSites.get(row.site_id) ?? 0) + 1
        ofSites.set(row.site_id, ofSite)
        if (ofSite > perSiteMax) return tooMany(perSiteMax, 'of a site')
      }
      if (open?.values.includes(printedText(row.status))) waiting += 1
      return open !== undefined && waiting > open.rowsMax ? tooMany(open.rowsMax, 'that wait') : null
    },
  }
}

function tooMany(rowsMax: number, which: string): Flaw {
  return { column: 'row', reason: `is more than the ${rowsMax} rows ${which} that there may be` }
}
