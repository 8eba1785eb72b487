import type { BlockColumn } from './block-column.ts'
import { GrowingBytes } from './growing-bytes.ts'
import { backslash, endOfText, firstPrintable, quote, unescaped, unread } from './json-bytes.ts'

/** Versions and flags of https://github.com/ClickHouse/ClickHouse, SerializationLowCardinality.cpp. */
const keysVersion = 1
const hasAdditionalKeys = 1 << 9
const needsNoGlobalDictionary = 1 << 10

const slotsFirst = 64
const rowsFirst = 256

/**
 * `LowCardinality(String)`: each text once, and a number of two bytes for each row. Number 0 is the empty text.
 */
export class DictionaryColumn implements BlockColumn {
  readonly name: string
  readonly type = 'LowCardinality(String)'
  /** As they are written. */
  readonly #keys = new GrowingBytes()
  #starts: number[] = []
  #ends: number[] = []
  #hashes: number[] = []
  /** Numbers plus one by hash; 0 is empty. */
  #slots = new Uint32Array(slotsFirst)
  #codes = new Uint16Array(rowsFirst)
  #rows = 0
  /** The number of the latest value. */
  #last = 0

  constructor(name: string) {
    this.name = name
    this.clear()
  }

  read(bytes: Uint8Array, at: number, row: number): number {
    if (bytes[at] !== quote) return unread
    const again = this.#endOfLast(bytes, at + 1)
    if (again !== unread) {
      this.#note(row)
      return again
    }
    let hash = 0
    for (let end = at + 1; ; end += 1) {
      const byte = bytes[end] ?? 0
      if (byte === quote) {
        this.#put(row, bytes, at + 1, end, hash)
        return end + 1
      }
      if (byte === backslash || byte < firstPrintable) return this.#readEscaped(bytes, at, row)
      hash = (Math.imul(hash, 31) + byte) | 0
    }
  }

  /** Most rows have the value of the row before. */
  #endOfLast(bytes: Uint8Array, start: number): number {
    const keys = this.#keys
    const end = this.#ends[this.#last] ?? 0
    let at = start
    for (let key = this.#starts[this.#last] ?? 0; key < end; key += 1, at += 1) {
      if (bytes[at] !== keys.at(key)) return unread
    }
    return bytes[at] === quote ? at + 1 : unread
  }

  #readEscaped(bytes: Uint8Array, at: number, row: number): number {
    const end = ~endOfText(bytes, at + 1)
    const text = end <= unread ? null : unescaped(bytes.subarray(at, end + 1))
    if (text === null) return unread
    let hash = 0
    for (const byte of text) hash = (Math.imul(hash, 31) + byte) | 0
    this.#put(row, text, 0, text.length, hash)
    return end + 1
  }

  #put(row: number, source: Uint8Array, start: number, end: number, hash: number): void {
    this.#last = this.#codeOf(source, start, end, hash)
    this.#note(row)
  }

  #note(row: number): void {
    while (row >= this.#codes.length) {
      const grown = new Uint16Array(this.#codes.length * 2)
      grown.set(this.#codes)
      this.#codes = grown
    }
    this.#codes[row] = this.#last
    this.#rows = row + 1
  }

  #codeOf(source: Uint8Array, start: number, end: number, hash: number): number {
    if (end === start) return 0
    const mask = this.#slots.length - 1
    for (let slot = mix(hash) & mask; ; slot = (slot + 1) & mask) {
      const code = (this.#slots[slot] ?? 0) - 1
      if (code < 0) return this.#add(source, start, end, hash, slot)
      if (this.#hashes[code] === hash && this.#isKey(code, source, start, end)) return code
    }
  }

  #isKey(code: number, source: Uint8Array, start: number, end: number): boolean {
    const first = this.#starts[code] ?? 0
    if ((this.#ends[code] ?? 0) - first !== end - start) return false
    for (let at = start, key = first; at < end; at += 1, key += 1) {
      if (source[at] !== this.#keys.at(key)) return false
    }
    return true
  }

  #add(source: Uint8Array, start: number, end: number, hash: number, slot: number): number {
    const code = this.#starts.length
    this.#keys.text(source, start, end)
    this.#ends.push(this.#keys.length)
    this.#starts.push(this.#keys.length - (end - start))
    this.#hashes.push(hash)
    this.#slots[slot] = code + 1
    if (this.#starts.length * 2 > this.#slots.length) this.#grow()
    return code
  }

  #grow(): void {
    this.#slots = new Uint32Array(this.#slots.length * 2)
    const mask = this.#slots.length - 1
    for (let code = 1; code < this.#hashes.length; code += 1) {
      let slot = mix(this.#hashes[code] ?? 0) & mask
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask
      this.#slots[slot] = code + 1
    }
  }

  /** Each text that a row has, but for the empty one. */
  texts(): string[] {
    const keys = Buffer.from(this.#keys.view())
    return this.#starts.slice(1).map((start, index) => keys.toString('utf8', start, this.#ends[index + 1]))
  }

  write(output: GrowingBytes, rows: number): void {
    const keys = this.#starts.length
    const width = keys <= 1 << 8 ? 1 : 2
    const numbers = [keysVersion, (width - 1) | hasAdditionalKeys | needsNoGlobalDictionary, keys]
    for (const number of numbers) output.copy(bytesOf(number), 0, 8)
    output.copy(this.#keys.view(), 0, this.#keys.length)
    output.copy(bytesOf(rows), 0, 8)
    output.copy(narrowed(this.#codes.subarray(0, this.#rows), width), 0, this.#rows * width)
    output.zeros((rows - this.#rows) * width)
  }

  clear(): void {
    this.#keys.clear()
    this.#keys.zeros(1)
    this.#starts = [1]
    this.#ends = [1]
    this.#hashes = [0]
    this.#slots.fill(0)
    this.#codes.fill(0, 0, this.#rows)
    this.#rows = 0
    this.#last = 0
  }
}

/** The last bits of such a hash follow those of the last letters, and names often end alike. */
function mix(hash: number): number {
  return Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 8
}

/** Eight bytes, the lowest first. */
function bytesOf(number: number): Uint8Array {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setUint32(0, number, true)
  return bytes
}

/** Every processor that the product runs on has the lowest byte first, as the format has it. */
function narrowed(codes: Uint16Array, width: 1 | 2): Uint8Array {
  if (width === 1) return Uint8Array.from(codes)
  return new Uint8Array(codes.buffer, codes.byteOffset, codes.byteLength)
}
