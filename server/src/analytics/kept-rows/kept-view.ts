import type { Condition } from '@assay/contract'
import { type Part, partsOf } from '../rollups/part.ts'
import type { Chunk } from '../tally/chunk.ts'
import { joinChunks } from '../tally/chunk-rows.ts'
import { type ChunkRows, type CurrentPeople, type EventRows, eventRowsOf } from '../tally/event-rows.ts'
import type { RowNumbers } from '../tally/row-numbers.ts'
import type { DayCount } from './day-count.ts'
import type { KeptSite } from './kept-site.ts'
import { countFitting, type RowFitter, rowFitter, visitChunks } from './row-condition.ts'
import type { Span } from './updates/part-changes.ts'

/** What is read of a site's events: without bots unless they are asked for, and of the visits that fit. */
export type KeptRange = { spans: readonly Span[]; includeBots: boolean; conditions: readonly Condition[] }

/** What a question sees of a site, with everyone who they are by now. */
export class KeptView {
  readonly people: CurrentPeople
  readonly #site: KeptSite
  readonly #range: KeptRange
  #fitter: RowFitter | null = null

  constructor(site: KeptSite, range: KeptRange, merges: Uint8Array<ArrayBuffer> | null) {
    this.people = site.currentPeople(merges)
    this.#site = site
    this.#range = range
  }

  get numbers(): RowNumbers {
    return this.#site.numbers
  }

  /** All rows of the question. */
  rows(): EventRows {
    return eventRowsOf(joinChunks(this.chunks().chunks), this.numbers, this.people)
  }

  /** The same as they are kept: for what looks at each row once, and takes few. */
  chunks(): ChunkRows {
    const chunks = this.#range.spans.flatMap((span) => this.#chunksIn(span))
    return { chunks, numbers: this.numbers, people: this.people }
  }

  /** What is counted of the rows day by day; for questions without conditions. */
  counts<Value>(count: DayCount<Value>): Value[] {
    const { spans, includeBots } = this.#range
    return spans.flatMap((span) => this.#site.counts(span, includeBots, count))
  }

  get #fitting(): RowFitter {
    this.#fitter ??= rowFitter(this.numbers, this.#range.conditions)
    return this.#fitter
  }

  /** Each time has its own visits. */
  #chunksIn(span: Span): Chunk[] {
    const { includeBots, conditions } = this.#range
    const chunks = this.#site.chunks(span, includeBots)
    return conditions.length === 0 ? chunks : visitChunks(chunks, this.numbers.sessions.size, this.#fitting)
  }

  /** What is counted of the rows of a time: once for each day that does not change, unless there are conditions. */
  parts(span: Span, borders: readonly number[]): Part[] {
    const { includeBots, conditions } = this.#range
    if (conditions.length === 0) return this.#site.parts(span, borders, includeBots)
    return partsOf(joinChunks(this.#chunksIn(span)), this.numbers, [span.fromMs, ...borders])
  }

  /** How many events fit, and how many of them are of bots. */
  count(span: Span): { events: number; bots: number } {
    const { conditions } = this.#range
    if (conditions.length === 0) return this.#site.count(span)
    const fitting = (includeBots: boolean) =>
      this.#site.chunks(span, includeBots).reduce((sum, chunk) => sum + countFitting(this.#fitting(chunk)), 0)
    const events = fitting(true)
    return { events, bots: events - fitting(false) }
  }
}
