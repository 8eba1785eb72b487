import type { Part } from '../rollups/part.ts'
import { bytesOfRollup } from '../rollups/rollup.ts'
import { slimPart } from '../rollups/slim-part.ts'
import { bytesOfChunk } from '../tally/chunk-rows.ts'
import type { KeptDay, RowKind } from './kept-day.ts'
import type { Span } from './updates/part-changes.ts'

/** What an overview counts of a whole day, without its rows: of a large site all of them would not fit in memory. */
export class SummedDay {
  readonly bytes: number
  readonly #parts: Record<RowKind, Part>
  readonly #sizes: Record<RowKind, number>

  constructor(day: KeptDay, span: Span) {
    const slim = (kind: RowKind) => slimPart(day.part(kind, span))
    this.#parts = { people: slim('people'), bots: slim('bots') }
    this.#sizes = { people: day.people.count, bots: day.bots.count }
    this.bytes = Object.values(this.#parts).reduce(
      (sum, { chunk, rollup }) => sum + bytesOfChunk(chunk) + bytesOfRollup(rollup),
      0,
    )
  }

  size(kind: RowKind): number {
    return this.#sizes[kind]
  }

  part(kind: RowKind): Part {
    return this.#parts[kind]
  }
}
