import type { KeyNumbers } from '../sequences/key-numbers.ts'
import { type Block, type BlockColumn, readBlocks, type TextNumbers as Widths } from './native-blocks.ts'
import type { RowNumbers, TextName, TextNumbers } from './row-numbers.ts'
import { rowColumns, textColumns } from './row-store.ts'

export type RowText = (typeof textColumns)[number]

/** Some events as columns, by numbers. Sessions and people are -1 where an event has none. */
export type Chunk = {
  count: number
  session: Int32Array
  person: Int32Array
  ms: Float64Array
  arrival: Float64Array
  flags: Uint8Array
  texts: Readonly<Record<RowText, Int32Array>>
  /** Of the few events with money, in the order of rows: the row, ten-thousandths, the number of the currency. */
  money: { row: Int32Array; units: BigInt64Array; currency: Int32Array }
  /** Of the errors among them, in the order of rows: the row, and the halves of the fingerprint. */
  errors: { row: Int32Array; low: Uint32Array; high: Uint32Array }
}

type ColumnName = (typeof rowColumns)[number][0]
const types = rowColumns.map(([, type]) => type)
const half = 2 ** 32

export function readChunk(bytes: Uint8Array<ArrayBuffer>, numbers: RowNumbers): Chunk {
  const blocks = readBlocks(bytes, types)
  const count = blocks.reduce((sum, block) => sum + block.rows, 0)
  const pairs = (name: ColumnName): Pairs => columnsOf(blocks, name, 'pairs').map((column) => column.pairs)
  const texts = (name: TextName) => joinedTexts(blocks, name, count, numbers.texts[name])
  return {
    count,
    session: numbered(pairs('session'), count, numbers.sessions),
    person: numbered(pairs('person'), count, numbers.people),
    ms: timesOf(pairs('ms'), count),
    arrival: arrivalsOf(pairs('arrival'), count),
    flags: joined(
      new Uint8Array(count),
      columnsOf(blocks, 'flags', 'bytes').map((column) => column.bytes),
    ),
    texts: eachText(texts),
    money: moneyOf(pairs('money'), texts('currency'), numbers.texts.currency.take('')),
    errors: errorsOf(pairs('error')),
  }
}

/** One for each text column. */
export function eachText<Value>(make: (name: RowText) => Value): Record<RowText, Value> {
  // boundary: one for each name of the list.
  return Object.fromEntries(textColumns.map((name) => [name, make(name)])) as Record<RowText, Value>
}

type ColumnOf<Kind> = Extract<BlockColumn, { kind: Kind }>

function columnsOf<Kind extends BlockColumn['kind']>(
  blocks: readonly Block[],
  name: ColumnName,
  kind: Kind,
): ColumnOf<Kind>[] {
  const place = rowColumns.findIndex(([one]) => one === name)
  const isOfKind = (column: BlockColumn | undefined): column is ColumnOf<Kind> => column?.kind === kind
  return blocks.map(({ columns }) => columns[place]).filter(isOfKind)
}

function joined(whole: Uint8Array, parts: readonly Uint8Array[]): Uint8Array {
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/** Each block has its own numbers for texts. */
function joinedTexts(
  blocks: readonly Block[],
  name: TextName,
  count: number,
  known: TextNumbers,
): Int32Array {
  const whole = new Int32Array(count)
  let at = 0
  for (const { texts, numbers } of columnsOf(blocks, name, 'texts')) {
    fill(
      whole,
      at,
      numbers,
      Int32Array.from(texts, (text) => known.take(text)),
    )
    at += numbers.length
  }
  return whole
}

/** A loop for each width: one that meets all of them takes five times as long. */
function fill(whole: Int32Array, at: number, numbers: Widths, own: Int32Array): void {
  if (numbers instanceof Uint8Array) fillFromBytes(whole, at, numbers, own)
  else if (numbers instanceof Uint16Array) fillFromShorts(whole, at, numbers, own)
  else fillFromLongs(whole, at, numbers, own)
}

function fillFromBytes(whole: Int32Array, at: number, numbers: Uint8Array, own: Int32Array): void {
  for (let row = 0; row < numbers.length; row += 1) whole[at + row] = own[numbers[row] ?? 0] ?? 0
}

function fillFromShorts(whole: Int32Array, at: number, numbers: Uint16Array, own: Int32Array): void {
  for (let row = 0; row < numbers.length; row += 1) whole[at + row] = own[numbers[row] ?? 0] ?? 0
}

function fillFromLongs(whole: Int32Array, at: number, numbers: Uint32Array, own: Int32Array): void {
  for (let row = 0; row < numbers.length; row += 1) whole[at + row] = own[numbers[row] ?? 0] ?? 0
}

/** A column of each block. */
type Pairs = readonly Uint32Array[]

/** A loop over one block: one over all of them takes twice as long. */
function eachBlock(column: Pairs, take: (pairs: Uint32Array, first: number) => void): void {
  let first = 0
  for (const pairs of column) {
    take(pairs, first)
    first += pairs.length / 2
  }
}

function timesOf(column: Pairs, count: number): Float64Array {
  const times = new Float64Array(count)
  eachBlock(column, (pairs, first) => {
    for (let row = 0; row * 2 < pairs.length; row += 1)
      times[first + row] = ((pairs[row * 2 + 1] ?? 0) | 0) * half + (pairs[row * 2] ?? 0)
  })
  return times
}

/** As `eventOrder` compares it: 53 bits. */
function arrivalsOf(column: Pairs, count: number): Float64Array {
  const arrivals = new Float64Array(count)
  eachBlock(column, (pairs, first) => {
    for (let row = 0; row * 2 < pairs.length; row += 1)
      arrivals[first + row] = ((pairs[row * 2 + 1] ?? 0) & 0x1f_ffff) * half + (pairs[row * 2] ?? 0)
  })
  return arrivals
}

function numbered(column: Pairs, count: number, keys: KeyNumbers): Int32Array {
  const numbers = new Int32Array(count)
  eachBlock(column, (pairs, first) => {
    for (let row = 0; row * 2 < pairs.length; row += 1) {
      const [low, high] = [pairs[row * 2] ?? 0, pairs[row * 2 + 1] ?? 0]
      numbers[first + row] = low === 0 && high === 0 ? -1 : keys.take(low, high)
    }
  })
  return numbers
}

function moneyOf(column: Pairs, currencies: Int32Array, none: number): Chunk['money'] {
  const [rows, units]: [number[], bigint[]] = [[], []]
  eachBlock(column, (pairs, first) => {
    for (let row = 0; row * 2 < pairs.length; row += 1) {
      if (currencies[first + row] === none) continue
      rows.push(first + row)
      units.push((BigInt((pairs[row * 2 + 1] ?? 0) | 0) << 32n) + BigInt(pairs[row * 2] ?? 0))
    }
  })
  return {
    row: Int32Array.from(rows),
    units: BigInt64Array.from(units),
    currency: Int32Array.from(rows, (row) => currencies[row] ?? none),
  }
}

function errorsOf(column: Pairs): Chunk['errors'] {
  const [rows, lows, highs]: [number[], number[], number[]] = [[], [], []]
  eachBlock(column, (pairs, first) => {
    for (let row = 0; row * 2 < pairs.length; row += 1) {
      const [low, high] = [pairs[row * 2] ?? 0, pairs[row * 2 + 1] ?? 0]
      if (low === 0 && high === 0) continue
      rows.push(first + row)
      lows.push(low)
      highs.push(high)
    }
  })
  return { row: Int32Array.from(rows), low: Uint32Array.from(lows), high: Uint32Array.from(highs) }
}
