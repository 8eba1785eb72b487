import type { Chunk } from '../tally/chunk.ts'
import type { RowNumbers } from '../tally/row-numbers.ts'
import { firstRows, unsetOf } from '../tally/visit-values.ts'
import { type Visits, visitsIn } from '../tally/visits.ts'

/** What an overview breaks visits down by, and how a visit gets its value. */
export const visitDimensions = { source: 'arrival', country: 'description', device: 'description' } as const
export type VisitDimension = keyof typeof visitDimensions
// boundary: the names of the table.
export const visitDimensionNames = Object.keys(visitDimensions) as VisitDimension[]

/** Numbers as they are kept: mostly small ones. */
export type IntColumn = Int32Array | Int16Array | Int8Array
export const countNames = ['rows', 'events', 'views', 'conversions', 'active'] as const
type CountName = (typeof countNames)[number]

/** The visits of some rows, in order of appearance. */
export type VisitRollup = Pick<Visits, 'owners'> &
  Record<CountName, IntColumn> & {
    /** What first and last times are to be added to. */
    baseMs: number
    firstMs: Float64Array | Uint32Array
    lastMs: Float64Array | Uint32Array
    /** Their sessions. */
    session: Int32Array
    /** The row that says the value; -1 where none does. */
    first: Record<VisitDimension, Int32Array>
    /** The value by its number. */
    values: Record<VisitDimension, IntColumn>
  }

export function rollUpVisits(chunk: Chunk, numbers: RowNumbers): VisitRollup {
  const { session, placeOf } = placesOf(chunk.session, numbers.sessions.size)
  const columns = {
    ...chunk,
    names: chunk.texts.name,
    viewName: numbers.texts.name.texts.indexOf('$pageview'),
  }
  const first = (name: VisitDimension) => {
    const column = { texts: numbers.texts[name].texts, numbers: chunk.texts[name] }
    return firstRows(chunk, column, visitDimensions[name], placeOf, session.length)
  }
  const rows = each(first)
  return {
    ...visitsIn(columns, placeOf, session.length),
    session,
    baseMs: 0,
    first: rows,
    values: each((name) => {
      const unset = unsetOf(numbers.texts[name], visitDimensions[name])
      return rows[name].map((row) => (row === -1 ? unset : (chunk.texts[name][row] ?? -1)))
    }),
  }
}

const each = <Value>(make: (name: VisitDimension) => Value): Record<VisitDimension, Value> => ({
  source: make('source'),
  country: make('country'),
  device: make('device'),
})

/** The place plus one by session; 0 everywhere between two calls. */
let known = new Int32Array(0)

/** Numbers the sessions of a few rows from 0, in order of appearance. */
export function placesOf(
  sessionOf: Int32Array,
  sessions: number,
): { session: Int32Array; placeOf: Int32Array } {
  if (known.length < sessions) known = new Int32Array(sessions * 2)
  const session = new Int32Array(sessionOf.length)
  const placeOf = new Int32Array(sessionOf.length)
  let size = 0
  for (let row = 0; row < sessionOf.length; row += 1) {
    const own = sessionOf[row] ?? -1
    if (own === -1) {
      placeOf[row] = -1
      continue
    }
    if (known[own] === 0) {
      session[size] = own
      size += 1
      known[own] = size
    }
    placeOf[row] = (known[own] ?? 0) - 1
  }
  for (let place = 0; place < size; place += 1) known[session[place] ?? 0] = 0
  return { session: session.slice(0, size), placeOf }
}

export function bytesOfVisits({ owners, first, values, session, baseMs: _, ...counts }: VisitRollup): number {
  // Two values of a visit may be said by the same rows.
  const columns = new Set<{ byteLength: number }>([
    ...Object.values(counts),
    ...Object.values(owners),
    ...Object.values(first),
    ...Object.values(values),
    session,
  ])
  return [...columns].reduce((sum, column) => sum + column.byteLength, 0)
}
