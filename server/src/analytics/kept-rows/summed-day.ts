import type { Part } from '../rollups/part.ts'
import { bytesOfRollup } from '../rollups/rollup.ts'
import { slimPart } from '../rollups/slim-part.ts'
import { bytesOfChunk } from '../tally/chunk-rows.ts'
import type { DayCount } from './day-count.ts'
import { type KeptDay, type RowKind, rowKinds } from './kept-day.ts'
import { NotInRows } from './row-condition.ts'
import type { Span } from './updates/part-changes.ts'

/** What a report besides the overview has counted of a day, and the bytes of it. */
type Counted = { values: Record<RowKind, unknown>; bytes: number }

/** What is left of a day: its parts, how many events it has, and what other reports count, by the name of the count. */
export type DaySums = {
  parts: Record<RowKind, Part>
  sizes: Record<RowKind, number>
  counted: Readonly<Record<string, Counted>>
}

/** What reports count of a whole day, without its rows: of a large site all of them would not fit in memory. */
export class SummedDay {
  readonly bytes: number
  readonly sums: DaySums

  constructor(sums: DaySums) {
    this.sums = sums
    const parts = Object.values(sums.parts).map(
      ({ chunk, rollup }) => bytesOfChunk(chunk) + bytesOfRollup(rollup),
    )
    const counted = Object.values(sums.counted).map(({ bytes }) => bytes)
    this.bytes = [...parts, ...counted].reduce((sum, bytes) => sum + bytes, 0)
  }

  static of(day: KeptDay, span: Span, counts: readonly DayCount<unknown>[]): SummedDay {
    const slim = (kind: RowKind) => slimPart(day.part(kind, span))
    return new SummedDay({
      parts: { people: slim('people'), bots: slim('bots') },
      sizes: { people: day.people.count, bots: day.bots.count },
      counted: Object.fromEntries(counts.map((count) => [count.name, countedOf(day, span, count)])),
    })
  }

  size(kind: RowKind): number {
    return this.sums.sizes[kind]
  }

  part(kind: RowKind): Part {
    return this.sums.parts[kind]
  }

  count<Value>(kind: RowKind, { name }: DayCount<Value>): Value {
    const counted = this.sums.counted[name]
    if (counted === undefined) throw new NotInRows()
    // boundary: no two counts have the same name.
    return counted.values[kind] as Value
  }
}

function countedOf(day: KeptDay, span: Span, count: DayCount<unknown>): Counted {
  const [people, bots] = rowKinds.map((kind) => day.count(kind, span, count).value)
  return { values: { people, bots }, bytes: count.bytesOf(people) + count.bytesOf(bots) }
}
