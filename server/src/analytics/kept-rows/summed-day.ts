import type { Part } from '../rollups/part.ts'
import { bytesOfRollup } from '../rollups/rollup.ts'
import { slimPart } from '../rollups/slim-part.ts'
import { bytesOfChunk } from '../tally/chunk-rows.ts'
import type { KeptDay, RowKind } from './kept-day.ts'
import type { Span } from './updates/part-changes.ts'

/** What is left of a day: its parts, and how many events it has. */
export type DaySums = { parts: Record<RowKind, Part>; sizes: Record<RowKind, number> }

/** What an overview counts of a whole day, without its rows: of a large site all of them would not fit in memory. */
export class SummedDay {
  readonly bytes: number
  readonly sums: DaySums

  constructor(sums: DaySums) {
    this.sums = sums
    this.bytes = Object.values(sums.parts).reduce(
      (sum, { chunk, rollup }) => sum + bytesOfChunk(chunk) + bytesOfRollup(rollup),
      0,
    )
  }

  static of(day: KeptDay, span: Span): SummedDay {
    const slim = (kind: RowKind) => slimPart(day.part(kind, span))
    return new SummedDay({
      parts: { people: slim('people'), bots: slim('bots') },
      sizes: { people: day.people.count, bots: day.bots.count },
    })
  }

  size(kind: RowKind): number {
    return this.sums.sizes[kind]
  }

  part(kind: RowKind): Part {
    return this.sums.parts[kind]
  }
}
