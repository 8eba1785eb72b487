import type { BlockColumn } from './block-column.ts'
import { DictionaryColumn } from './dictionary-column.ts'
import { GrowingBytes } from './growing-bytes.ts'
import { unread } from './json-bytes.ts'
import { MoneyColumn, NumberColumn } from './number-column.ts'
import { TextColumn } from './text-column.ts'

export type ColumnType = readonly [name: string, type: string]

/** What lines hold, as far as it takes no look at each of them. */
export type HeldInLines = {
  lines: number
  /** Columns that any of them has. */
  members: ReadonlySet<string>
  /** The values of each column of few values that was asked about. */
  texts: ReadonlyMap<string, ReadonlySet<string>>
}

/** About as many as ClickHouse puts into a block of its own; so many texts can be numbered by two bytes. */
const rowsMaxUsual = 65_535

const newline = 10
const quote = 34
const comma = 44
const colon = 58
const openBrace = 123
const closeBrace = 125

/** A member of a line: where its name is found, and its column. */
type Member = {
  column: BlockColumn
  /** Of its name with quotes and colon. */
  bytes: number
  /** The same four bytes at a time; the last four may overlap those before. */
  words: Int32Array
  /** The last row that has it: twice in a line is not for us to judge. */
  row: number
  /** What followed it in the line before: lines have their members in the same order. */
  next: Member | undefined
}

/** Lines of the log as blocks in ClickHouse's format Native, which the store loads without parsing any text. */
export class LineBlocks {
  readonly #members: readonly Member[]
  readonly #byName: ReadonlyMap<string, Member>
  readonly #output = new GrowingBytes()
  readonly #rowsMax: number
  readonly #asked: readonly string[]
  #lines = 0
  // bounded: by the columns.
  readonly #seen = new Set<string>()
  // bounded: by the columns that are asked about, and the lines of a segment.
  readonly #texts = new Map<string, Set<string>>()
  #first: Member | undefined
  #view: DataView = new DataView(new ArrayBuffer(0))

  /** `asked` are columns whose values are in `held`. */
  constructor(columns: readonly ColumnType[], rowsMax = rowsMaxUsual, asked: readonly string[] = []) {
    this.#asked = asked
    this.#rowsMax = Math.min(rowsMax, rowsMaxUsual)
    this.#members = columns.map(([name, type]) => ({
      column: columnOf(name, type),
      bytes: name.length + 3,
      words: wordsOf(Buffer.from(`"${name}":`)),
      row: -1,
      next: undefined,
    }))
    this.#byName = new Map(this.#members.map((member) => [member.column.name, member]))
  }

  /**
   * The blocks of these lines; null if one of them is not written as the log writes, and the store's own reader has to
   * judge it. The bytes are valid until the next call.
   */
  encode(lines: Uint8Array): Uint8Array | null {
    this.#output.clear()
    if (lines.at(-1) !== newline) return null
    this.#view = new DataView(lines.buffer, lines.byteOffset, lines.byteLength)
    let row = 0
    this.#clear()
    this.#forget()
    for (let at = 0; at < lines.length; ) {
      at = this.#readLine(lines, at, row)
      if (at === unread) return null
      row += 1
      if (row < this.#rowsMax) continue
      this.#write(row)
      row = 0
    }
    if (row > 0) this.#write(row)
    return this.#output.view()
  }

  /** Of the lines that were encoded last. */
  get held(): HeldInLines {
    return { lines: this.#lines, members: this.#seen, texts: this.#texts }
  }

  /** Returns the position of the next line. */
  #readLine(bytes: Uint8Array, start: number, row: number): number {
    if (bytes[start] !== openBrace) return unread
    let at = start + 1
    let member = this.#memberAt(bytes, at, this.#first)
    this.#first = member
    for (;;) {
      if (member === undefined || member.row === row) return unread
      member.row = row
      at = member.column.read(bytes, at + member.bytes, row)
      if (at === unread) return unread
      if (bytes[at] !== comma) break
      at += 1
      const next = this.#memberAt(bytes, at, member.next)
      member.next = next
      member = next
    }
    return bytes[at] === closeBrace && bytes[at + 1] === newline ? at + 2 : unread
  }

  #memberAt(bytes: Uint8Array, at: number, expected: Member | undefined): Member | undefined {
    if (expected !== undefined && isAt(this.#view, at, expected)) return expected
    if (bytes[at] !== quote) return undefined
    let end = at + 1
    while ((bytes[end] ?? newline) !== quote && bytes[end] !== newline) end += 1
    if (bytes[end + 1] !== colon) return undefined
    return this.#byName.get(String.fromCharCode(...bytes.subarray(at + 1, Math.min(end, at + nameBytesMax))))
  }

  #write(rows: number): void {
    const output = this.#output
    output.varint(this.#members.length)
    output.varint(rows)
    for (const { column } of this.#members) {
      for (const text of [column.name, column.type]) output.text(Buffer.from(text), 0, text.length)
      column.write(output, rows)
    }
    this.#note(rows)
    this.#clear()
  }

  #note(rows: number): void {
    this.#lines += rows
    for (const { column, row } of this.#members) {
      if (row < 0) continue
      this.#seen.add(column.name)
      const texts = this.#texts.get(column.name)
      if (texts === undefined || !(column instanceof DictionaryColumn)) continue
      for (const text of column.texts()) texts.add(text)
    }
  }

  #forget(): void {
    this.#lines = 0
    this.#seen.clear()
    for (const name of this.#asked) this.#texts.set(name, new Set())
  }

  #clear(): void {
    for (const member of this.#members) {
      member.column.clear()
      member.row = -1
    }
  }
}

/** Longer than any of them. */
const nameBytesMax = 64

function wordsOf(name: Buffer): Int32Array {
  const starts = Array.from({ length: Math.ceil(name.length / 4) }, (_, index) => index * 4)
  return Int32Array.from(starts, (start) => name.readInt32LE(Math.min(start, name.length - 4)))
}

/** No name with its quotes and colon has fewer than four bytes. */
function isAt(view: DataView, at: number, { bytes, words }: Member): boolean {
  if (at + bytes > view.byteLength) return false
  const last = words.length - 1
  for (let word = 0; word < last; word += 1) {
    if (view.getInt32(at + word * 4, true) !== words[word]) return false
  }
  return view.getInt32(at + bytes - 4, true) === words[last]
}

function columnOf(name: string, type: string): BlockColumn {
  if (type === 'String') return new TextColumn(name)
  if (type === 'LowCardinality(String)') return new DictionaryColumn(name)
  if (type === MoneyColumn.type) return new MoneyColumn(name)
  const number = NumberColumn.of(name, type)
  if (number === undefined) throw new Error(`${name}: lines of the log have no ${type}`)
  return number
}
