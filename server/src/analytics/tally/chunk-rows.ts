import { type Chunk, eachText } from './chunk.ts'
import { orderedBy } from './tally.ts'

/** The rows of a chunk at these places, which ascend. */
function takeRows(chunk: Chunk, places: Int32Array): Chunk {
  return {
    count: places.length,
    session: pickInts(chunk.session, places),
    person: pickInts(chunk.person, places),
    ms: pickFloats(chunk.ms, places),
    arrival: pickFloats(chunk.arrival, places),
    flags: pickBytes(chunk.flags, places),
    texts: eachText((name) => pickInts(chunk.texts[name], places)),
    money: moneyAt(chunk, places),
    errors: errorsAt(chunk, places),
  }
}

function pickInts(from: Int32Array, places: Int32Array): Int32Array {
  const picked = new Int32Array(places.length)
  for (let row = 0; row < picked.length; row += 1) picked[row] = from[places[row] ?? 0] ?? 0
  return picked
}

function pickFloats(from: Float64Array, places: Int32Array): Float64Array {
  const picked = new Float64Array(places.length)
  for (let row = 0; row < picked.length; row += 1) picked[row] = from[places[row] ?? 0] ?? 0
  return picked
}

function pickBytes(from: Uint8Array, places: Int32Array): Uint8Array {
  const picked = new Uint8Array(places.length)
  for (let row = 0; row < picked.length; row += 1) picked[row] = from[places[row] ?? 0] ?? 0
  return picked
}

function moneyAt({ money }: Chunk, places: Int32Array): Chunk['money'] {
  const { rows, indexes } = takenOf(money.row, places)
  return {
    row: rows,
    units: BigInt64Array.from(indexes, (index) => money.units[index] ?? 0n),
    currency: Int32Array.from(indexes, (index) => money.currency[index] ?? 0),
  }
}

function errorsAt({ errors }: Chunk, places: Int32Array): Chunk['errors'] {
  const { rows, indexes } = takenOf(errors.row, places)
  return {
    row: rows,
    low: Uint32Array.from(indexes, (index) => errors.low[index] ?? 0),
    high: Uint32Array.from(indexes, (index) => errors.high[index] ?? 0),
  }
}

/** Which of some rows are taken, both ascending: where they are now, and their index among those that there were. */
function takenOf(some: Int32Array, places: Int32Array): { rows: Int32Array; indexes: number[] } {
  const [rows, indexes]: [number[], number[]] = [[], []]
  const last = places.at(-1) ?? -1
  let at = 0
  for (let index = firstFrom(some, places[0] ?? 0); index < some.length; index += 1) {
    const place = some[index] ?? 0
    if (place > last) break
    while ((places[at] ?? last) < place) at += 1
    if (places[at] !== place) continue
    rows.push(at)
    indexes.push(index)
  }
  return { rows: Int32Array.from(rows), indexes }
}

/** The index of the first that is not below the least, of rows that ascend. */
function firstFrom(rows: Int32Array, least: number): number {
  let [low, high] = [0, rows.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((rows[middle] ?? 0) < least) low = middle + 1
    else high = middle
  }
  return low
}

/** All rows of all chunks, one chunk after the other. */
export function joinChunks(chunks: readonly Chunk[]): Chunk {
  const [only] = chunks
  if (only !== undefined && chunks.length === 1) return only
  const count = chunks.reduce((sum, chunk) => sum + chunk.count, 0)
  const firsts: number[] = []
  let first = 0
  for (const chunk of chunks) {
    firsts.push(first)
    first += chunk.count
  }
  const placed = <Column extends { set: (part: Column, at: number) => void }>(
    whole: Column,
    columnOf: (chunk: Chunk) => Column,
  ): Column => {
    for (const [index, chunk] of chunks.entries()) whole.set(columnOf(chunk), firsts[index] ?? 0)
    return whole
  }
  return {
    count,
    session: placed(new Int32Array(count), (chunk) => chunk.session),
    person: placed(new Int32Array(count), (chunk) => chunk.person),
    ms: placed(new Float64Array(count), (chunk) => chunk.ms),
    arrival: placed(new Float64Array(count), (chunk) => chunk.arrival),
    flags: placed(new Uint8Array(count), (chunk) => chunk.flags),
    texts: eachText((name) => placed(new Int32Array(count), (chunk) => chunk.texts[name])),
    money: {
      row: movedRows(chunks, firsts, ({ money }) => money.row),
      units: BigInt64Array.from(chunks.flatMap(({ money }) => [...money.units])),
      currency: Int32Array.from(chunks.flatMap(({ money }) => [...money.currency])),
    },
    errors: {
      row: movedRows(chunks, firsts, ({ errors }) => errors.row),
      low: Uint32Array.from(chunks.flatMap(({ errors }) => [...errors.low])),
      high: Uint32Array.from(chunks.flatMap(({ errors }) => [...errors.high])),
    },
  }
}

function movedRows(
  chunks: readonly Chunk[],
  firsts: readonly number[],
  rowsOf: (chunk: Chunk) => Int32Array,
): Int32Array {
  return Int32Array.from(
    chunks.flatMap((chunk, index) => Array.from(rowsOf(chunk), (row) => row + (firsts[index] ?? 0))),
  )
}

/** The rows for which it holds; the chunk itself where it holds for all. */
export function filterRows(chunk: Chunk, isTaken: (row: number) => boolean): Chunk {
  const places = new Int32Array(chunk.count)
  let taken = 0
  for (let row = 0; row < chunk.count; row += 1) {
    if (!isTaken(row)) continue
    places[taken] = row
    taken += 1
  }
  return taken === chunk.count ? chunk : takeRows(chunk, places.subarray(0, taken))
}

/** The rows of each list, in the order of the chunk; those of list -1 are left out. */
export function splitRows(chunk: Chunk, listOf: Int32Array, lists: number): Chunk[] {
  const { order, starts } = orderedBy(listOf, lists)
  return Array.from({ length: lists }, (_, list) =>
    takeRows(chunk, order.subarray(starts[list] ?? 0, starts[list + 1] ?? 0)),
  )
}

/** What the columns of a chunk take in memory. */
export function bytesOfChunk({ session, person, ms, arrival, flags, texts, money, errors }: Chunk): number {
  const columns = [session, person, ms, arrival, flags, ...Object.values(texts)]
  return [...columns, ...Object.values(money), ...Object.values(errors)].reduce(
    (sum, column) => sum + column.byteLength,
    0,
  )
}
