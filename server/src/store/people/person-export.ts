import type { Events } from '../events.ts'
import type { DataSubject } from './data-subject.ts'
import type { EventsRows, ExportFile } from './personal-data.ts'

/** Rows read at a time: a few megabytes. */
const rowsPerPage = 5_000

/** By which columns rows are read page by page. Rows with the same of both are on one page. */
type PagedRows = EventsRows & {
  name: string
  columns: string
  /** A time in milliseconds, as SQL, and a text. */
  ms: string
  id: string
}

/** All rows of the person as a file of the archive, oldest first. */
export function exportedRows(events: Events, { name, table, where, columns, ms, id }: PagedRows): ExportFile {
  const read = (person: DataSubject, after: Place) =>
    events.query<PlacedRow>(
      `SELECT ${columns}, ${ms} AS place_ms, ${id} AS place_id FROM ${table}
       WHERE workspace_id = {workspaceId:String} AND (${where(person.list)})
         AND (place_ms, place_id) > ({afterMs:Int64}, {afterId:String})
       ORDER BY place_ms, place_id LIMIT {rows:UInt32} WITH TIES`,
      { workspaceId: person.workspaceId, afterMs: after.ms, afterId: after.id, rows: rowsPerPage },
    )
  async function* rows(person: DataSubject) {
    let place: Place = { ms: Number.MIN_SAFE_INTEGER, id: '' }
    for (;;) {
      const page = await read(person, place)
      for (const { place_ms: _, place_id: __, ...row } of page) yield readable(row)
      const last = page.at(-1)
      if (last === undefined) return
      place = { ms: Number(last.place_ms), id: last.place_id }
    }
  }
  return { name, rows }
}

type Place = { ms: number; id: string }
type PlacedRow = Record<string, unknown> & { place_ms: string | number; place_id: string }

/** Texts that are JSON, which readers of the archive should not have to parse twice. */
const jsonColumns = ['issues', 'properties', 'set_aside', 'context', 'held', 'patch']

/** Without what is empty. */
function readable(row: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const kept = Object.entries(row).filter(([, value]) => value !== '' && value !== null)
  return Object.fromEntries(
    kept.map(([column, value]) => [
      column,
      jsonColumns.includes(column) && typeof value === 'string' ? unpacked(value) : value,
    ]),
  )
}

/** Deeper texts stay texts, as do those that are not JSON: the archive must not fail on them. */
const depthMax = 200

export function unpacked(text: string): unknown {
  try {
    return depthOf(text) <= depthMax ? JSON.parse(text) : text
  } catch {
    return text
  }
}

function depthOf(text: string): number {
  let [depth, deepest, isInText] = [0, 0, false]
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index]
    if (isInText && character === '\\') index += 1
    else if (character === '"') isInText = !isInText
    else if (isInText) continue
    else if (character === '[' || character === '{') depth += 1
    else if (character === ']' || character === '}') depth -= 1
    if (depth > deepest) deepest = depth
  }
  return deepest
}
