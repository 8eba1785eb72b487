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
  const pairs = (name: ColumnName): Uint32Array =>
    joined(
      new Uint32Array(count * 2),
      columnsOf(blocks, name, 'pairs').map((column) => column.pairs),
    )
  const texts = (name: TextName) => joinedTexts(blocks, name, count, numbers.texts[name])
  return {
    count,
    session: numbered(pairs('session'), numbers.sessions),
    person: numbered(pairs('person'), numbers.people),
    ms: timesOf(pairs('ms')),
    arrival: arrivalsOf(pairs('arrival')),
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

function joined<Part extends Uint8Array | Uint32Array>(whole: Part, parts: readonly Part[]): Part {
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

function timesOf(pairs: Uint32Array): Float64Array {
  const times = new Float64Array(pairs.length / 2)
  for (let row = 0; row < times.length; row += 1)
    times[row] = ((pairs[row * 2 + 1] ?? 0) | 0) * half + (pairs[row * 2] ?? 0)
  return times
}

/** As `eventOrder` compares it: 53 bits. */
function arrivalsOf(pairs: Uint32Array): Float64Array {
  const arrivals = new Float64Array(pairs.length / 2)
  for (let row = 0; row < arrivals.length; row += 1)
    arrivals[row] = ((pairs[row * 2 + 1] ?? 0) & 0x1f_ffff) * half + (pairs[row * 2] ?? 0)
  return arrivals
}

function numbered(pairs: Uint32Array, keys: KeyNumbers): Int32Array {
  const numbers = new Int32Array(pairs.length / 2)
  for (let row = 0; row < numbers.length; row += 1) {
    const low = pairs[row * 2] ?? 0
    const high = pairs[row * 2 + 1] ?? 0
    numbers[row] = low === 0 && high === 0 ? -1 : keys.take(low, high)
  }
  return numbers
}

function moneyOf(pairs: Uint32Array, currencies: Int32Array, none: number): Chunk['money'] {
  const rows: number[] = []
  for (let row = 0; row < currencies.length; row += 1) if (currencies[row] !== none) rows.push(row)
  const unitsOf = (row: number) =>
    (BigInt((pairs[row * 2 + 1] ?? 0) | 0) << 32n) + BigInt(pairs[row * 2] ?? 0)
  return {
    row: Int32Array.from(rows),
    units: BigInt64Array.from(rows, unitsOf),
    currency: Int32Array.from(rows, (row) => currencies[row] ?? none),
  }
}

function errorsOf(pairs: Uint32Array): Chunk['errors'] {
  const rows: number[] = []
  for (let row = 0; row * 2 < pairs.length; row += 1)
    if (pairs[row * 2] !== 0 || pairs[row * 2 + 1] !== 0) rows.push(row)
  return {
    row: Int32Array.from(rows),
    low: Uint32Array.from(rows, (row) => pairs[row * 2] ?? 0),
    high: Uint32Array.from(rows, (row) => pairs[row * 2 + 1] ?? 0),
  }
}
