import { type Chunk, eachText } from '../tally/chunk.ts'
import type { Part } from './part.ts'
import { countNames, type IntColumn, type VisitRollup, visitDimensionNames } from './visit-rollup.ts'

const none = new Int32Array(0)

/**
 * The same counts in as few bytes as they need, with no other rows than those that they refer to: without a visit, with
 * money, and those that say the value of a visit. Of these rows only what an overview looks at is there.
 */
export function slimPart({ fromMs, chunk, rollup }: Part): Part {
  const rows = referredRows(chunk, rollup)
  const placeOf = new Int32Array(chunk.count).fill(-1)
  for (let place = 0; place < rows.length; place += 1) placeOf[rows[place] ?? 0] = place
  return {
    fromMs,
    chunk: slimChunk(chunk, rows, rollup.loose.length, placeOf),
    rollup: {
      ...rollup,
      visits: slimVisits(rollup.visits, fromMs, placeOf),
      loose: Int32Array.from(rollup.loose.keys()),
    },
  }
}

/** Those without a visit first. */
function referredRows(chunk: Chunk, { visits, loose }: Part['rollup']): Int32Array {
  const isTaken = new Uint8Array(chunk.count)
  for (const row of chunk.money.row) isTaken[row] = 1
  for (const name of visitDimensionNames)
    for (const row of visits.first[name]) if (row !== -1) isTaken[row] = 1
  for (const row of loose) isTaken[row] = 0
  const others = isTaken.reduce((sum, one) => sum + one, 0)
  const rows = new Int32Array(loose.length + others)
  rows.set(loose)
  let place = loose.length
  for (let row = 0; row < isTaken.length; row += 1) {
    if (isTaken[row] === 0) continue
    rows[place] = row
    place += 1
  }
  return rows
}

function slimChunk(chunk: Chunk, rows: Int32Array, loose: number, placeOf: Int32Array): Chunk {
  const ofLoose = (column: Int32Array) => rows.subarray(0, loose).map((row) => column[row] ?? -1)
  const ofAll = (column: Int32Array) => rows.map((row) => column[row] ?? -1)
  const { money, texts } = chunk
  return {
    count: rows.length,
    session: none,
    person: ofLoose(chunk.person),
    ms: Float64Array.from(rows, (row) => chunk.ms[row] ?? 0),
    arrival: Float64Array.from(rows, (row) => chunk.arrival[row] ?? 0),
    flags: Uint8Array.from(rows, (row) => chunk.flags[row] ?? 0),
    texts: {
      ...eachText(() => none),
      name: ofLoose(texts.name),
      source: ofAll(texts.source),
      country: ofAll(texts.country),
      device: ofAll(texts.device),
    },
    money: { ...money, row: money.row.map((row) => placeOf[row] ?? -1) },
    errors: { row: none, low: new Uint32Array(0), high: new Uint32Array(0) },
  }
}

function slimVisits(visits: VisitRollup, baseMs: number, placeOf: Int32Array): VisitRollup {
  const moved = (rows: Int32Array) => rows.map((row) => (row === -1 ? -1 : (placeOf[row] ?? -1)))
  const since = (times: VisitRollup['firstMs']) => Uint32Array.from(times, (ms) => ms - baseMs)
  const [source, country, device] = [visits.first.source, visits.first.country, visits.first.device].map(
    moved,
  )
  if (source === undefined || country === undefined || device === undefined)
    throw new Error('there are three')
  const counts = countNames.map((name) => [name, narrow(visits[name])] as const)
  const values = visitDimensionNames.map((name) => [name, narrow(visits.values[name])] as const)
  return {
    ...visits,
    // boundary: one for each name of the lists.
    ...(Object.fromEntries(counts) as Pick<VisitRollup, (typeof countNames)[number]>),
    values: Object.fromEntries(values) as VisitRollup['values'],
    baseMs,
    firstMs: since(visits.firstMs),
    lastMs: since(visits.lastMs),
    first: { source, country, device: isSame(country, device) ? country : device },
    // A view of a longer column would keep all of it.
    owners: { place: visits.owners.place.slice(), person: visits.owners.person.slice() },
  }
}

const isSame = (one: Int32Array, other: Int32Array) => one.every((value, index) => value === other[index])

/** The same numbers in as many bytes as the largest needs. */
function narrow(column: IntColumn): IntColumn {
  let [least, most] = [0, 0]
  for (const value of column) {
    if (value < least) least = value
    if (value > most) most = value
  }
  if (least >= -128 && most <= 127) return Int8Array.from(column)
  return least >= -32_768 && most <= 32_767 ? Int16Array.from(column) : column
}
