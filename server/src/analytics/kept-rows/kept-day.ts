import { dayMs } from '../../platform/units.ts'
import { type Part, toPart } from '../rollups/part.ts'
import { bytesOfRollup } from '../rollups/rollup.ts'
import type { Chunk } from '../tally/chunk.ts'
import { bytesOfChunk, filterRows } from '../tally/chunk-rows.ts'
import type { RowNumbers } from '../tally/row-numbers.ts'
import type { Span } from './part-changes.ts'

export type RowKind = 'people' | 'bots'

/** A range of days ends within two of them, in each zone at another time. */
const cutsMax = 8

/** The events of one day, and what reports have counted of them so far: they do not change. */
export class KeptDay {
  readonly people: Chunk
  readonly bots: Chunk
  readonly #startMs: number
  readonly #numbers: RowNumbers
  // bounded: by the whole day, with bots and without, and cutsMax.
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
    const known = this.#parts.get(key)
    if (known !== undefined) return known
    const part = toPart(this.rows(kind, { fromMs, toMs }), this.#numbers, fromMs)
    if (this.#parts.size >= cutsMax + 2) this.#parts.delete(this.#parts.keys().next().value ?? '')
    this.#parts.set(key, part)
    return part
  }
}
