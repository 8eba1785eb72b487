import { dayMs } from '../../platform/units.ts'
import type { Part } from '../rollups/part.ts'
import { bytesOfRollup, type Rollup, rollUp } from '../rollups/rollup.ts'
import type { Chunk } from '../tally/chunk.ts'
import { bytesOfChunk, filterRows } from '../tally/chunk-rows.ts'
import type { RowNumbers } from '../tally/row-numbers.ts'
import { DayCount } from './day-count.ts'
import type { Span } from './updates/part-changes.ts'

export const rowKinds = ['people', 'bots'] as const
export type RowKind = (typeof rowKinds)[number]
/** Of the events that an overview was asked for. */
export type WholeRollups = { [Kind in RowKind]?: Rollup | undefined }

/** The whole day, with bots and without, and what ranges of some zones have of it. */
const slicesMax = 10

/** Rows of a time within the day, and the bytes of what is counted of them, with their own. */
type Slice = { chunk: Chunk; bytes: number }

const rollups = new DayCount('overview', rollUp, bytesOfRollup)

/** The events of one day, and what reports have counted of them so far: they do not change. */
export class KeptDay {
  readonly people: Chunk
  readonly bots: Chunk
  readonly #startMs: number
  readonly #numbers: RowNumbers
  readonly #chunkBytes: number
  // bounded: by slicesMax.
  readonly #slices = new Map<string, Slice>()

  constructor(
    startMs: number,
    { people, bots }: Record<RowKind, Chunk>,
    numbers: RowNumbers,
    counted: WholeRollups = {},
  ) {
    this.#startMs = startMs
    this.people = people
    this.bots = bots
    this.#numbers = numbers
    this.#chunkBytes = bytesOfChunk(people) + bytesOfChunk(bots)
    for (const kind of rowKinds) {
      const rollup = counted[kind]
      if (rollup !== undefined)
        this.#slices.set(kind, { chunk: this[kind], bytes: rollups.put(this[kind], rollup) })
    }
  }

  /** What an overview has counted of the whole day. */
  get counted(): WholeRollups {
    return { people: rollups.known(this.people), bots: rollups.known(this.bots) }
  }

  get bytes(): number {
    let bytes = this.#chunkBytes
    for (const slice of this.#slices.values()) bytes += slice.bytes
    return bytes
  }

  /** How many events there are in a time. */
  size(kind: RowKind, span: Span): number {
    return this.rows(kind, span).count
  }

  /** The events of a time; as long as nothing else is asked, the same object for the same time. */
  rows(kind: RowKind, span: Span): Chunk {
    return this.#isWhole(span) ? this[kind] : this.#slice(kind, span).chunk
  }

  /** What is counted of the events of a time. */
  count<Value>(kind: RowKind, span: Span, count: DayCount<Value>): { chunk: Chunk; value: Value } {
    const slice = this.#slice(kind, span)
    const onMade = (bytes: number) => {
      slice.bytes += bytes
    }
    return { chunk: slice.chunk, value: count.of(slice.chunk, this.#numbers, onMade) }
  }

  /** The events of a time, with what an overview counts of them. */
  part(kind: RowKind, span: Span): Part {
    const { chunk, value } = this.count(kind, span, rollups)
    return { fromMs: span.fromMs, chunk, rollup: value }
  }

  #isWhole({ fromMs, toMs }: Span): boolean {
    return fromMs <= this.#startMs && this.#startMs + dayMs <= toMs
  }

  #slice(kind: RowKind, span: Span): Slice {
    const key = this.#isWhole(span) ? kind : `${kind} ${span.fromMs} ${span.toMs}`
    const slice = this.#slices.get(key) ?? this.#cut(kind, span)
    // The least recently asked one goes.
    this.#slices.delete(key)
    if (this.#slices.size >= slicesMax) this.#slices.delete(this.#slices.keys().next().value ?? '')
    this.#slices.set(key, slice)
    return slice
  }

  #cut(kind: RowKind, { fromMs, toMs }: Span): Slice {
    const whole = this[kind]
    if (this.#isWhole({ fromMs, toMs })) return { chunk: whole, bytes: 0 }
    const isIn = (row: number) => (whole.ms[row] ?? 0) >= fromMs && (whole.ms[row] ?? 0) < toMs
    const chunk = filterRows(whole, isIn)
    return { chunk, bytes: chunk === whole ? 0 : bytesOfChunk(chunk) }
  }
}
