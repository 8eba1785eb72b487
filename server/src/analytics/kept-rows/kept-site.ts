import { dayMs } from '../../platform/units.ts'
import type { Part } from '../rollups/part.ts'
import { type Chunk, readChunk } from '../tally/chunk.ts'
import { splitRows } from '../tally/chunk-rows.ts'
import { type CurrentPeople, currentPeople } from '../tally/event-rows.ts'
import { newRowNumbers, type RowNumbers } from '../tally/row-numbers.ts'
import { rowFlags } from '../tally/row-store.ts'
import type { DayCount } from './day-count.ts'
import { KeptDay } from './kept-day.ts'
import type { Span } from './part-changes.ts'

/**
 * The events of one site as columns, day by day, in UTC. Sessions, people and texts have the same number on all days,
 * so that days are counted together without looking at what the numbers stand for.
 */
export class KeptSite {
  readonly numbers: RowNumbers = newRowNumbers()
  // bounded: by the bytes that are kept; the owner says which days.
  readonly #days = new Map<number, KeptDay>()
  #people: { merges: Uint8Array<ArrayBuffer> | null; keys: number; people: CurrentPeople } | null = null

  /** The columns, and what their numbers stand for. */
  get bytes(): number {
    const { sessions, people, texts } = this.numbers
    const textBytes = Object.values(texts).reduce((sum, { bytes }) => sum + bytes, 0)
    const dayBytes = [...this.#days.values()].reduce((sum, { bytes }) => sum + bytes, 0)
    return dayBytes + (sessions.size + people.size) * keyBytes + textBytes
  }

  drop(days: readonly number[]): void {
    for (const day of days) this.#days.delete(day)
  }

  /** Takes the answer of the store for whole days from one day on. */
  add(rows: Uint8Array<ArrayBuffer>, span: Span): void {
    const days = daysOf(span)
    const chunk = readChunk(rows, this.numbers)
    const chunks = splitRows(chunk, listsByDay(chunk, span), days.length * 2)
    for (const [index, start] of days.entries()) {
      const [people, bots] = [chunks[index * 2], chunks[index * 2 + 1]]
      if (people !== undefined && bots !== undefined)
        this.#days.set(start, new KeptDay(start, { people, bots }, this.numbers))
    }
  }

  has(days: readonly number[]): boolean {
    return days.every((day) => this.#days.has(day))
  }

  /** How many events there are, and how many of them are of bots. */
  count(span: Span): { events: number; bots: number } {
    const [people, bots] = (['people', 'bots'] as const).map((kind) =>
      this.#within(span, (day, own) => [day.rows(kind, own).count]).reduce((sum, one) => sum + one, 0),
    )
    return { events: (people ?? 0) + (bots ?? 0), bots: bots ?? 0 }
  }

  /** The rows of a time, day by day. */
  chunks(span: Span, includeBots: boolean): Chunk[] {
    const kinds = kindsOf(includeBots)
    return this.#within(span, (day, own) => kinds.map((kind) => day.rows(kind, own)))
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
    const partsOf = (day: KeptDay, own: Span) => kinds.map((kind) => day.part(kind, own))
    return cutAt(span, borders).flatMap((cut) => this.#within(cut, partsOf))
  }

  /** What is counted of each day, with its rows. */
  counts<Value>(span: Span, includeBots: boolean, count: DayCount<Value>): { chunk: Chunk; value: Value }[] {
    const kinds = kindsOf(includeBots)
    return this.#within(span, (day, own) => kinds.map((kind) => day.count(kind, own, count)))
  }

  /** Of each day the part that is within the time. */
  #within<Value>({ fromMs, toMs }: Span, valuesOf: (day: KeptDay, own: Span) => Value[]): Value[] {
    return daysOf({ fromMs, toMs }).flatMap((start) => {
      const day = this.#days.get(start)
      const own = { fromMs: Math.max(fromMs, start), toMs: Math.min(toMs, start + dayMs) }
      return day === undefined ? [] : valuesOf(day, own)
    })
  }
}

const kindsOf = (includeBots: boolean) =>
  includeBots ? (['people', 'bots'] as const) : (['people'] as const)

/** Two halves and a number in a table that is a quarter to a half full. */
const keyBytes = 36

/** The starts of the days in UTC of which a time has a part. */
export function daysOf({ fromMs, toMs }: Span): number[] {
  const first = Math.floor(fromMs / dayMs)
  return Array.from(
    { length: Math.max(0, Math.ceil(toMs / dayMs) - first) },
    (_, index) => (first + index) * dayMs,
  )
}

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
