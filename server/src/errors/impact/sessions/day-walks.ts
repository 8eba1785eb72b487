import { type CountPlace, DayCount } from '../../../analytics/kept-rows/day-count.ts'
import { placesOf } from '../../../analytics/rollups/visit-rollup.ts'
import type { Chunk } from '../../../analytics/tally/chunk.ts'
import type { RowNumbers } from '../../../analytics/tally/row-numbers.ts'
import { orderedBy } from '../../../analytics/tally/tally.ts'
import { cellsMax } from '../landmark.ts'
import { countCells } from './cell-counts.ts'
import { noErrors } from './error-groups.ts'
import { kindsOf } from './event-kinds.ts'
import { eachWalk } from './session-walks.ts'

/**
 * Sessions of some rows in order of appearance: the steps that each took in each cell, and in few bytes what it has to
 * be walked by again where it continues on another day or met an error.
 */
export type DayWalks = {
  session: Int32Array
  firsts: DayFirsts
  hasBought: Uint8Array
  /** Events that are no errors. */
  length: Int32Array
  /** The cells of a session begin at its start and end at the next. */
  starts: Int32Array
  cells: Uint16Array
  counts: Uint8Array
  events: DayEvents
  errors: DayErrors
}

/** The first event of each session. */
type DayFirsts = {
  /** As the events have them, before merges; -1 for none. */
  person: Int32Array
  device: Int32Array
  country: Int32Array
  ms: Float64Array
  /** Of one time it says which is first. */
  arrival: Float64Array
}

/** All events: those of a session begin at its start and end at the next. */
type DayEvents = {
  starts: Int32Array
  baseMs: number
  /** Since then. */
  ms: Uint32Array
  kinds: Uint8Array
}

/** Of each error: the place of its session, its time since the base of events, the halves of its fingerprint. */
type DayErrors = { place: Int32Array; ms: Uint32Array; low: Uint32Array; high: Uint32Array }

/** What a session did does not depend on what is asked. */
export const dayWalks = new DayCount('sessions', walkDay, bytesOf)

export const dayWalksPlace: CountPlace = {
  file: import.meta.url,
  name: 'dayWalks',
  sources: ['server/src/errors/impact'],
}

function walkDay(chunk: Chunk, numbers: RowNumbers): DayWalks {
  const { session, placeOf } = placesOf(chunk.session, numbers.sessions.size)
  const { order, starts } = orderedBy(placeOf, session.length)
  const kindOf = kindsOf(chunk, numbers)
  const ms = Float64Array.from(order, (row) => chunk.ms[row] ?? 0)
  const kinds = Uint8Array.from(order, (row) => kindOf[row] ?? 0)
  const baseMs = ms.reduce((least, at) => Math.min(least, at), ms[0] ?? 0)
  const firsts = firstsOf(chunk, order, starts)
  return {
    session,
    firsts,
    ...stepsOf({ starts, ms, kinds, firsts }),
    events: { starts, baseMs, ms: Uint32Array.from(ms, (at) => at - baseMs), kinds },
    errors: errorsOf(chunk, placeOf, baseMs),
  }
}

function firstsOf({ person, ms, arrival, texts }: Chunk, order: Int32Array, starts: Int32Array): DayFirsts {
  const isBefore = (row: number, other: number) => {
    const [one, two] = [ms[row] ?? 0, ms[other] ?? 0]
    return one < two || (one === two && (arrival[row] ?? 0) < (arrival[other] ?? 0))
  }
  const rows = new Int32Array(starts.length - 1)
  for (let place = 0; place < rows.length; place += 1) {
    let first = order[starts[place] ?? 0] ?? 0
    for (let at = (starts[place] ?? 0) + 1; at < (starts[place + 1] ?? 0); at += 1) {
      const row = order[at] ?? 0
      if (isBefore(row, first)) first = row
    }
    rows[place] = first
  }
  return {
    person: rows.map((row) => person[row] ?? -1),
    device: rows.map((row) => texts.device[row] ?? 0),
    country: rows.map((row) => texts.country[row] ?? 0),
    ms: Float64Array.from(rows, (row) => ms[row] ?? 0),
    arrival: Float64Array.from(rows, (row) => arrival[row] ?? 0),
  }
}

/** As if it was over with its last event here, and had met no error. */
function stepsOf(
  events: Parameters<typeof eachWalk>[0],
): Pick<DayWalks, 'hasBought' | 'length' | 'starts' | 'cells' | 'counts'> {
  const sessions = events.starts.length - 1
  const [hasBought, length] = [new Uint8Array(sessions), new Int32Array(sessions)]
  const starts = new Int32Array(sessions + 1)
  const [cells, counts] = [new Uint16Array(events.ms.length), new Uint8Array(events.ms.length)]
  const [countOf, listed] = [new Int32Array(cellsMax), new Uint16Array(cellsMax)]
  let [place, size] = [0, 0]
  eachWalk(events, noErrors, (walk) => {
    hasBought[place] = walk.boughtMs < Infinity ? 1 : 0
    length[place] = walk.length
    const different = countCells(walk, countOf, listed)
    for (let index = 0; index < different; index += 1) {
      const cell = listed[index] ?? 0
      cells[size] = cell
      counts[size] = countOf[cell] ?? 0
      countOf[cell] = 0
      size += 1
    }
    place += 1
    starts[place] = size
  })
  return { hasBought, length, starts, cells: cells.slice(0, size), counts: counts.slice(0, size) }
}

function errorsOf({ errors, ms }: Chunk, placeOf: Int32Array, baseMs: number): DayErrors {
  const met = [...errors.row.keys()].filter((index) => (placeOf[errors.row[index] ?? 0] ?? -1) !== -1)
  const rowOf = (index: number) => errors.row[index] ?? 0
  return {
    place: Int32Array.from(met, (index) => placeOf[rowOf(index)] ?? -1),
    ms: Uint32Array.from(met, (index) => (ms[rowOf(index)] ?? 0) - baseMs),
    low: Uint32Array.from(met, (index) => errors.low[index] ?? 0),
    high: Uint32Array.from(met, (index) => errors.high[index] ?? 0),
  }
}

function bytesOf({ firsts, events, errors, ...columns }: DayWalks): number {
  const all = [columns, firsts, events, errors].flatMap((group) => Object.values(group))
  return all.reduce((sum: number, one) => sum + (typeof one === 'number' ? 0 : one.byteLength), 0)
}
