import { KeyNumbers } from '../sequences/key-numbers.ts'
import { type Block, type BlockColumn, readBlocks, type TextNumbers } from './native-blocks.ts'
import { rowColumns } from './row-store.ts'

/** What the store answered, before anything is counted. `merges` is null where no one of the workspace was merged. */
export type RawRows = { rows: Uint8Array<ArrayBuffer>; merges: Uint8Array<ArrayBuffer> | null }

/** A text of each event, by its number in a list without repetitions. */
export type TextColumn = { texts: readonly string[]; numbers: Int32Array }

/** Events as columns. Sessions and people have numbers from 0, or -1 where an event has none. */
export type EventRows = {
  count: number
  session: Int32Array
  sessions: number
  /** Of today, after all merges. */
  person: Int32Array
  people: number
  ms: Float64Array
  arrival: Float64Array
  /** Ten-thousandths, as pairs of halves, the lower one first. */
  money: Uint32Array
  flags: Uint8Array
  name: TextColumn
  page: TextColumn
  currency: TextColumn
  source: TextColumn
  country: TextColumn
  device: TextColumn
}

const types = rowColumns.map(([, type]) => type)
type ColumnName = (typeof rowColumns)[number][0]
const half = 2 ** 32

export function toEventRows({ rows, merges }: RawRows): EventRows {
  const blocks = readBlocks(rows, types)
  const count = blocks.reduce((sum, block) => sum + block.rows, 0)
  const pairs = (name: ColumnName): Uint32Array =>
    joined(
      new Uint32Array(count * 2),
      columnsOf(blocks, name, 'pairs').map((column) => column.pairs),
    )
  const texts = (name: ColumnName) => joinedTexts(blocks, name, count)
  const sessions = new KeyNumbers()
  const people = new KeyNumbers()
  const session = numbered(pairs('session'), sessions)
  const person = numbered(pairs('person'), people)
  return {
    count,
    session,
    sessions: sessions.size,
    ...(merges === null ? { person, people: people.size } : merged(person, people, merges)),
    ms: timesOf(pairs('ms')),
    arrival: arrivalsOf(pairs('arrival')),
    money: pairs('money'),
    flags: joined(
      new Uint8Array(count),
      columnsOf(blocks, 'flags', 'bytes').map((column) => column.bytes),
    ),
    name: texts('name'),
    page: texts('page'),
    currency: texts('currency'),
    source: texts('source'),
    country: texts('country'),
    device: texts('device'),
  }
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

/** Each block has its own numbers for texts; one list has them all. */
function joinedTexts(blocks: readonly Block[], name: ColumnName, count: number): TextColumn {
  // bounded: by the bytes of the answer.
  const places = new Map<string, number>()
  const whole = new Int32Array(count)
  let at = 0
  for (const { texts, numbers } of columnsOf(blocks, name, 'texts')) {
    const own = Int32Array.from(texts, (text) => {
      const place = places.get(text) ?? places.size
      places.set(text, place)
      return place
    })
    fill(whole, at, numbers, own)
    at += numbers.length
  }
  return { texts: [...places.keys()], numbers: whole }
}

/** A loop for each width: one that meets all of them takes five times as long. */
function fill(whole: Int32Array, at: number, numbers: TextNumbers, own: Int32Array): void {
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

const mergeBytes = 16

/** Events of a merged person get the number of the current person, who may have no event here. */
function merged(
  person: Int32Array,
  people: KeyNumbers,
  merges: Uint8Array<ArrayBuffer>,
): Pick<EventRows, 'person' | 'people'> {
  const view = new DataView(merges.buffer, merges.byteOffset, merges.byteLength)
  const absent = new KeyNumbers()
  const current = Int32Array.from({ length: people.size }, (_, number) => number)
  for (let at = 0; at < merges.byteLength; at += mergeBytes) {
    const original = people.find(view.getUint32(at, true), view.getUint32(at + 4, true))
    if (original === -1) continue
    const [low, high] = [view.getUint32(at + 8, true), view.getUint32(at + 12, true)]
    const known = people.find(low, high)
    current[original] = known === -1 ? people.size + absent.take(low, high) : known
  }
  for (let row = 0; row < person.length; row += 1) {
    const number = person[row] ?? -1
    if (number !== -1) person[row] = current[number] ?? number
  }
  return { person, people: people.size + absent.size }
}
