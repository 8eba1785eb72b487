import type { BlockColumn } from './block-column.ts'
import { GrowingBytes } from './growing-bytes.ts'
import { endOfNested, endOfText, isNestedAt, isTextAt, unescaped, unread } from './json-bytes.ts'

/** `String`: a text, or an object or array as it is written. */
export class TextColumn implements BlockColumn {
  readonly name: string
  readonly type = 'String'
  readonly #values = new GrowingBytes()
  #rows = 0

  constructor(name: string) {
    this.name = name
  }

  read(bytes: Uint8Array, at: number, row: number): number {
    if (!isTextAt(bytes, at)) {
      const end = isNestedAt(bytes, at) ? endOfNested(bytes, at) : unread
      if (end !== unread) this.#put(row, bytes, at, end)
      return end
    }
    const end = endOfText(bytes, at + 1)
    if (end === unread) return unread
    if (end < 0) return this.#readEscaped(bytes, at, ~end, row)
    this.#put(row, bytes, at + 1, end)
    return end + 1
  }

  #readEscaped(bytes: Uint8Array, at: number, end: number, row: number): number {
    const text = end === unread ? null : unescaped(bytes.subarray(at, end + 1))
    if (text === null) return unread
    this.#put(row, text, 0, text.length)
    return end + 1
  }

  #put(row: number, source: Uint8Array, start: number, end: number): void {
    this.#fillUpTo(row)
    this.#values.text(source, start, end)
    this.#rows = row + 1
  }

  /** An empty text is one zero. */
  #fillUpTo(rows: number): void {
    if (rows > this.#rows) this.#values.zeros(rows - this.#rows)
    this.#rows = rows
  }

  write(output: GrowingBytes, rows: number): void {
    this.#fillUpTo(rows)
    output.copy(this.#values.view(), 0, this.#values.length)
  }

  clear(): void {
    this.#values.clear()
    this.#rows = 0
  }
}
