import { dayMs } from '../../platform/units.ts'
import { type Part, toPart } from '../rollups/part.ts'
import { bytesOfRollup } from '../rollups/rollup.ts'
import type { Chunk } from '../tally/chunk.ts'
import { bytesOfChunk, filterRows } from '../tally/chunk-rows.ts'
import type { RowNumbers } from '../tally/row-numbers.ts'
import type { Span } from './part-changes.ts'

type RowKind = 'people' | 'bots'

/** The whole day, with bots and without, and what ranges of some zones have of it. */
const partsMax = 10

/** The events of one day, and what reports have counted of them so far: they do not change. */
export class KeptDay {
  readonly people: Chunk
  readonly bots: Chunk
  readonly #startMs: number
  readonly #numbers: RowNumbers
  // bounded: by partsMax.
  readonly #parts = new Map<string, Part>()

  constructor(startMs: number, { people, bots }: Record<RowKind, Chunk>, numbers: RowNumbers) {
    this.#startMs = startMs
    this.people = people
    this.bots = bots
    this.#numbers = numbers
  }

  get bytes(): number {
    const parts = [...this.#parts.values()].reduce(
      (sum, { rollup, chunk }) =>
        sum + bytesOfRollup(rollup) + (this.#isOwn(chunk) ? 0 : bytesOfChunk(chunk)),
      0,
    )
    return bytesOfChunk(this.people) + bytesOfChunk(this.bots) + parts
  }

  #isOwn(chunk: Chunk): boolean {
    return chunk === this.people || chunk === this.bots
  }

  /** The events of a time. */
  rows(kind: RowKind, { fromMs, toMs }: Span): Chunk {
    const chunk = this[kind]
    if (fromMs <= this.#startMs && this.#startMs + dayMs <= toMs) return chunk
    return filterRows(chunk, (row) => (chunk.ms[row] ?? 0) >= fromMs && (chunk.ms[row] ?? 0) < toMs)
  }

  /** The events of a time, with what is counted of them. */
  part(kind: RowKind, { fromMs, toMs }: Span): Part {
    const key = `${kind} ${fromMs} ${toMs}`
    const part = this.#parts.get(key) ?? toPart(this.rows(kind, { fromMs, toMs }), this.#numbers, fromMs)
    // The least recently asked one goes.
    this.#parts.delete(key)
    if (this.#parts.size >= partsMax) this.#parts.delete(this.#parts.keys().next().value ?? '')
    this.#parts.set(key, part)
    return part
  }
}
