import { dayMs } from '../../platform/units.ts'
import type { Part } from '../rollups/part.ts'
import { type Chunk, readChunk } from '../tally/chunk.ts'
import { splitRows } from '../tally/chunk-rows.ts'
import { type CurrentPeople, currentPeople } from '../tally/event-rows.ts'
import { newRowNumbers, type RowNumbers } from '../tally/row-numbers.ts'
import { rowFlags } from '../tally/row-store.ts'
import type { DayCount } from './day-count.ts'
import type { KeptChange } from './kept-change.ts'
import { KeptDay, type RowKind, rowKinds } from './kept-day.ts'
import { daysOf, type NeededDays } from './needed-days.ts'
import { SummedDay } from './summed-day.ts'
import type { Span } from './updates/part-changes.ts'

/**
 * The events of one site as columns, day by day, in UTC. Sessions, people and texts have the same number on all days,
 * so that days are counted together without looking at what the numbers stand for.
 */
export class KeptSite {
  readonly numbers: RowNumbers
  // bounded: by the bytes that are kept; the owner says which days.
  readonly #days = new Map<number, KeptDay | SummedDay>()
  #people: { merges: Uint8Array<ArrayBuffer> | null; keys: number; people: CurrentPeople } | null = null

  constructor(numbers: RowNumbers = newRowNumbers()) {
    this.numbers = numbers
  }

  get days(): ReadonlyMap<number, KeptDay | SummedDay> {
    return this.#days
  }

  /** The columns, and what their numbers stand for. */
  get bytes(): number {
    const { sessions, people, texts } = this.numbers
    const textBytes = Object.values(texts).reduce((sum, { bytes }) => sum + bytes, 0)
    return bytesOf(this.#days.values()) + (sessions.size + people.size) * keyBytes + textBytes
  }

  /** Of the days that have their rows. */
  get rowBytes(): number {
    return bytesOf([...this.#days.values()].filter((day) => day instanceof KeptDay))
  }

  put(start: number, day: KeptDay | SummedDay): void {
    this.#days.set(start, day)
  }

  drop(days: readonly number[]): void {
    for (const day of days) this.#days.delete(day)
  }

  /** Takes the answer of the store for whole days from one day on; keeps what is counted of them, or all. */
  add({ rows, span, summed }: NonNullable<KeptChange['fresh']>, counts: readonly DayCount<unknown>[]): void {
    const days = daysOf(span)
    const chunk = readChunk(rows, this.numbers)
    const chunks = splitRows(chunk, listsByDay(chunk, span), days.length * 2)
    for (const [index, start] of days.entries()) {
      const [people, bots] = [chunks[index * 2], chunks[index * 2 + 1]]
      if (people === undefined || bots === undefined) continue
      const day = new KeptDay(start, { people, bots }, this.numbers)
      this.#days.set(
        start,
        summed.has(start) ? SummedDay.of(day, { fromMs: start, toMs: start + dayMs }, counts) : day,
      )
    }
  }

  has({ days, ofRows }: NeededDays): boolean {
    return (
      days.every((day) => this.#days.has(day)) &&
      ofRows.every((day) => this.#days.get(day) instanceof KeptDay)
    )
  }

  /** How many events there are, and how many of them are of bots. */
  count(span: Span): { events: number; bots: number } {
    const [people, bots] = rowKinds.map((kind) =>
      this.#within(span, (day, own) => [day.size(kind, own)]).reduce((sum, one) => sum + one, 0),
    )
    return { events: (people ?? 0) + (bots ?? 0), bots: bots ?? 0 }
  }

  /** The rows of a time, day by day. */
  chunks(span: Span, includeBots: boolean): Chunk[] {
    const kinds = kindsOf(includeBots)
    return this.#within(span, (day, own) => kinds.map((kind) => rowsOf(day).rows(kind, own)))
  }

  /** Everyone who they are by now. It is looked up again when someone is new, or was merged. */
  currentPeople(merges: Uint8Array<ArrayBuffer> | null): CurrentPeople {
    const known = this.#people
    const { people: keys } = this.numbers
    if (known !== null && known.merges === merges && known.keys === keys.size) return known.people
    const people = currentPeople(keys, merges)
    this.#people = { merges, keys: keys.size, people }
    return people
  }

  /** The rows in parts, none of which goes beyond a day or a border. */
  parts(span: Span, borders: readonly number[], includeBots: boolean): Part[] {
    const kinds = kindsOf(includeBots)
    const partsOf = (day: KeptDay | SummedDay, own: Span) => kinds.map((kind) => day.part(kind, own))
    return cutAt(span, borders).flatMap((cut) => this.#within(cut, partsOf))
  }

  /** What is counted of each day. */
  counts<Value>(span: Span, includeBots: boolean, count: DayCount<Value>): Value[] {
    const kinds = kindsOf(includeBots)
    const countedOf = (day: KeptDay | SummedDay, kind: RowKind, own: Span) =>
      day instanceof SummedDay ? day.count(kind, count) : day.count(kind, own, count).value
    return this.#within(span, (day, own) => kinds.map((kind) => countedOf(day, kind, own)))
  }

  /** Of each day the part that is within the time. */
  #within<Value>(
    { fromMs, toMs }: Span,
    valuesOf: (day: KeptDay | SummedDay, own: Span) => Value[],
  ): Value[] {
    return daysOf({ fromMs, toMs }).flatMap((start) => {
      const day = this.#days.get(start)
      const own = { fromMs: Math.max(fromMs, start), toMs: Math.min(toMs, start + dayMs) }
      return day === undefined ? [] : valuesOf(day, own)
    })
  }
}

const bytesOf = (days: Iterable<{ bytes: number }>) => [...days].reduce((sum, { bytes }) => sum + bytes, 0)

const kindsOf = (includeBots: boolean) => (includeBots ? rowKinds : (['people'] as const))

/** The owner has seen to it that days of which rows are asked have them. */
function rowsOf(day: KeptDay | SummedDay): KeptDay {
  if (day instanceof KeptDay) return day
  throw new Error('only sums of the day are kept')
}

/** Two halves and a number in a table that is a third to two thirds full. */
const keyBytes = 27

function cutAt({ fromMs, toMs }: Span, borders: readonly number[]): Span[] {
  const starts = [fromMs, ...borders]
  return starts.map((start, index) => ({ fromMs: start, toMs: starts[index + 1] ?? toMs }))
}

/** Two lists for each day: events of people and events of bots. */
function listsByDay({ count, ms, flags }: Chunk, { fromMs }: Span): Int32Array {
  const listOf = new Int32Array(count)
  for (let row = 0; row < count; row += 1) {
    const isBot = ((flags[row] ?? 0) & rowFlags.bot) !== 0
    listOf[row] = Math.floor(((ms[row] ?? 0) - fromMs) / dayMs) * 2 + (isBot ? 1 : 0)
  }
  return listOf
}
