import type { Chunk } from '../tally/chunk.ts'
import type { RowNumbers } from '../tally/row-numbers.ts'

/** Where the thread that keeps rows finds a count, and the folders of which the sources say what its values mean. */
export type CountPlace = { file: string; name: string; sources: readonly string[] }

/**
 * Something that is counted of some rows of a day, whatever is asked: once, as long as they do not change. It may
 * depend on nothing else, and is kept with the rows.
 */
export class DayCount<Value> {
  /** No two counts have the same. */
  readonly name: string
  readonly bytesOf: (value: Value) => number
  readonly #values = new WeakMap<Chunk, Value>()
  readonly #make: (chunk: Chunk, numbers: RowNumbers) => Value

  constructor(
    name: string,
    make: (chunk: Chunk, numbers: RowNumbers) => Value,
    bytesOf: (value: Value) => number,
  ) {
    this.name = name
    this.#make = make
    this.bytesOf = bytesOf
  }

  /** What was counted of them before, if it was. */
  known(chunk: Chunk): Value | undefined {
    return this.#values.get(chunk)
  }

  /** Takes what was counted of the same rows before; says how many bytes it takes. */
  put(chunk: Chunk, value: Value): number {
    this.#values.set(chunk, value)
    return this.bytesOf(value)
  }

  /** What is counted of the rows; `onMade` hears how many bytes it takes where it was not known. */
  of(chunk: Chunk, numbers: RowNumbers, onMade: (bytes: number) => void): Value {
    const known = this.#values.get(chunk)
    if (known !== undefined) return known
    const value = this.#make(chunk, numbers)
    this.#values.set(chunk, value)
    onMade(this.bytesOf(value))
    return value
  }
}
