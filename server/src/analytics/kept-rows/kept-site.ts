import { dayMs } from '../../platform/units.ts'
import { type Chunk, readChunk } from '../tally/chunk.ts'
import { bytesOfChunk, filterRows, joinChunks, takeRows } from '../tally/chunk-rows.ts'
import { type EventRows, eventRowsOf } from '../tally/event-rows.ts'
import { newRowNumbers } from '../tally/row-numbers.ts'
import { rowFlags } from '../tally/row-store.ts'
import type { Span } from './part-changes.ts'

/** What is read of a site's events: without bots unless they are asked for. */
export type KeptRange = { spans: readonly Span[]; includeBots: boolean }

type Day = { people: Chunk; bots: Chunk }

/**
 * The events of one site as columns, day by day, in UTC. Sessions, people and texts have the same number on all days,
 * so that days are counted together without looking at what the numbers stand for.
 */
export class KeptSite {
  readonly #numbers = newRowNumbers()
  // bounded: by the bytes that are kept; the owner says which days.
  readonly #days = new Map<number, Day>()
  #bytes = 0

  /** The columns, and what their numbers stand for. */
  get bytes(): number {
    const { sessions, people, texts } = this.#numbers
    const textBytes = Object.values(texts).reduce((sum, { bytes }) => sum + bytes, 0)
    return this.#bytes + (sessions.size + people.size) * keyBytes + textBytes
  }

  drop(days: readonly number[]): void {
    for (const day of days) {
      const kept = this.#days.get(day)
      if (kept === undefined) continue
      this.#bytes -= bytesOfDay(kept)
      this.#days.delete(day)
    }
  }

  /** Takes the answer of the store for whole days from one day on. */
  add(rows: Uint8Array<ArrayBuffer>, span: Span): void {
    this.drop(daysOf(span))
    const chunk = readChunk(rows, this.#numbers)
    const places = placesByDay(chunk, span)
    for (const [index, start] of daysOf(span).entries()) {
      const day = {
        people: takeRows(chunk, places[index * 2] ?? nowhere),
        bots: takeRows(chunk, places[index * 2 + 1] ?? nowhere),
      }
      this.#days.set(start, day)
      this.#bytes += bytesOfDay(day)
    }
  }

  has(days: readonly number[]): boolean {
    return days.every((day) => this.#days.has(day))
  }

  /** How many events there are, and how many of them are of bots. */
  count(span: Span): { events: number; bots: number } {
    const bots = this.#within(span, (day) => [day.bots]).reduce((sum, chunk) => sum + chunk.count, 0)
    const people = this.#within(span, (day) => [day.people]).reduce((sum, chunk) => sum + chunk.count, 0)
    return { events: bots + people, bots }
  }

  rows({ spans, includeBots }: KeptRange, merges: Uint8Array<ArrayBuffer> | null): EventRows {
    const chunksOf = (day: Day) => (includeBots ? [day.people, day.bots] : [day.people])
    const chunk = joinChunks(spans.flatMap((span) => this.#within(span, chunksOf)))
    return eventRowsOf(chunk, this.#numbers, merges)
  }

  #within({ fromMs, toMs }: Span, chunksOf: (day: Day) => Chunk[]): Chunk[] {
    return daysOf({ fromMs, toMs }).flatMap((start) => {
      const day = this.#days.get(start)
      if (day === undefined) return []
      const isWhole = fromMs <= start && start + dayMs <= toMs
      const isInside = ({ ms }: Chunk, row: number) => (ms[row] ?? 0) >= fromMs && (ms[row] ?? 0) < toMs
      return chunksOf(day).map((chunk) =>
        isWhole ? chunk : filterRows(chunk, (row) => isInside(chunk, row)),
      )
    })
  }
}

/** Two halves and a number in a table that is a quarter to a half full. */
const keyBytes = 36

const bytesOfDay = ({ people, bots }: Day) => bytesOfChunk(people) + bytesOfChunk(bots)

/** The starts of the days in UTC of which a time has a part. */
export function daysOf({ fromMs, toMs }: Span): number[] {
  const first = Math.floor(fromMs / dayMs)
  return Array.from(
    { length: Math.max(0, Math.ceil(toMs / dayMs) - first) },
    (_, index) => (first + index) * dayMs,
  )
}

const nowhere = new Int32Array(0)

/** The rows of each day in the order of the chunk: those of people, then those of bots. */
function placesByDay({ count, ms, flags }: Chunk, { fromMs, toMs }: Span): Int32Array[] {
  const lists = Math.round((toMs - fromMs) / dayMs) * 2
  const listOf = new Int32Array(count)
  const sizes = new Int32Array(lists)
  for (let row = 0; row < count; row += 1) {
    const list =
      Math.floor(((ms[row] ?? 0) - fromMs) / dayMs) * 2 + (((flags[row] ?? 0) & rowFlags.bot) === 0 ? 0 : 1)
    listOf[row] = list
    sizes[list] = (sizes[list] ?? 0) + 1
  }
  const places = Array.from(sizes, (size) => new Int32Array(size))
  const filled = new Int32Array(lists)
  for (let row = 0; row < count; row += 1) {
    const list = listOf[row] ?? 0
    const own = places[list]
    if (own === undefined) continue
    const at = filled[list] ?? 0
    own[at] = row
    filled[list] = at + 1
  }
  return places
}
