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
  const { money, texts } = chunk
  const looseRows = rows.subarray(0, loose)
  return {
    count: rows.length,
    session: none,
    person: picked(chunk.person, looseRows, new Int32Array(loose)),
    ms: picked(chunk.ms, rows, new Float64Array(rows.length)),
    arrival: picked(chunk.arrival, rows, new Float64Array(rows.length)),
    flags: picked(chunk.flags, rows, new Uint8Array(rows.length)),
    texts: {
      ...eachText(() => none),
      name: picked(texts.name, looseRows, new Int32Array(loose)),
      source: picked(texts.source, rows, new Int32Array(rows.length)),
      country: picked(texts.country, rows, new Int32Array(rows.length)),
      device: picked(texts.device, rows, new Int32Array(rows.length)),
    },
    money: { ...money, row: moved(money.row, placeOf) },
    errors: { row: none, low: new Uint32Array(0), high: new Uint32Array(0) },
  }
}

function picked<Column extends { [row: number]: number }>(
  from: Column,
  rows: Int32Array,
  into: Column,
): Column {
  for (let place = 0; place < rows.length; place += 1) into[place] = from[rows[place] ?? 0] ?? 0
  return into
}

function moved(rows: Int32Array, placeOf: Int32Array): Int32Array {
  const places = new Int32Array(rows.length)
  for (let index = 0; index < rows.length; index += 1) {
    const row = rows[index] ?? -1
    places[index] = row === -1 ? -1 : (placeOf[row] ?? -1)
  }
  return places
}

function since(times: VisitRollup['firstMs'], baseMs: number): Uint32Array {
  const offsets = new Uint32Array(times.length)
  for (let index = 0; index < times.length; index += 1) offsets[index] = (times[index] ?? 0) - baseMs
  return offsets
}

function slimVisits(visits: VisitRollup, baseMs: number, placeOf: Int32Array): VisitRollup {
  const counts = countNames.map((name) => [name, narrow(visits[name])] as const)
  const values = visitDimensionNames.map((name) => [name, narrow(visits.values[name])] as const)
  return {
    ...visits,
    // boundary: one for each name of the lists.
    ...(Object.fromEntries(counts) as Pick<VisitRollup, (typeof countNames)[number]>),
    values: Object.fromEntries(values) as VisitRollup['values'],
    baseMs,
    firstMs: since(visits.firstMs, baseMs),
    lastMs: since(visits.lastMs, baseMs),
    first: firstPlaces(visits.first, placeOf),
    // A view of a longer column would keep all of it.
    owners: { place: visits.owners.place.slice(), person: visits.owners.person.slice() },
  }
}

/** Mostly the same event says both where a visitor is and on what device. */
function firstPlaces({ source, country, device }: VisitRollup['first'], placeOf: Int32Array) {
  const ofCountry = moved(country, placeOf)
  const ofDevice = moved(device, placeOf)
  const isSame = ofCountry.every((place, index) => place === ofDevice[index])
  return { source: moved(source, placeOf), country: ofCountry, device: isSame ? ofCountry : ofDevice }
}

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
