import type { Condition } from '@assay/contract'
import { type Part, partsOf } from '../rollups/part.ts'
import type { Chunk } from '../tally/chunk.ts'
import { filterRows, joinChunks } from '../tally/chunk-rows.ts'
import { type CurrentPeople, currentPeople, type EventRows, eventRowsOf } from '../tally/event-rows.ts'
import type { RowNumbers } from '../tally/row-numbers.ts'
import type { KeptSite } from './kept-site.ts'
import type { Span } from './part-changes.ts'
import { fittingRows, visitRows } from './row-condition.ts'

/** What is read of a site's events: without bots unless they are asked for, and of the visits that fit. */
export type KeptRange = { spans: readonly Span[]; includeBots: boolean; conditions: readonly Condition[] }

/** What a question sees of a site, with everyone who they are by now. */
export class KeptView {
  readonly people: CurrentPeople
  readonly #site: KeptSite
  readonly #range: KeptRange

  constructor(site: KeptSite, range: KeptRange, merges: Uint8Array<ArrayBuffer> | null) {
    this.people = currentPeople(site.numbers.people, merges)
    this.#site = site
    this.#range = range
  }

  get numbers(): RowNumbers {
    return this.#site.numbers
  }

  /** All rows of the question. */
  rows(): EventRows {
    const chunk = joinChunks(this.#range.spans.map((span) => this.#rowsIn(span)))
    return eventRowsOf(chunk, this.numbers, this.people)
  }

  /** Each time has its own visits. */
  #rowsIn(span: Span): Chunk {
    const { includeBots, conditions } = this.#range
    const chunk = this.#site.rows(span, includeBots)
    if (conditions.length === 0) return chunk
    const isFit = fittingRows(chunk, this.numbers, conditions)
    const { isTaken, flags } = visitRows(chunk, isFit, this.numbers.sessions.size)
    return filterRows({ ...chunk, flags }, isTaken)
  }

  /** What is counted of the rows of a time: once for each day that does not change, unless there are conditions. */
  parts(span: Span, borders: readonly number[]): Part[] {
    const { includeBots, conditions } = this.#range
    if (conditions.length === 0) return this.#site.parts(span, borders, includeBots)
    return partsOf(this.#rowsIn(span), this.numbers, [span.fromMs, ...borders])
  }

  /** How many events fit, and how many of them are of bots. */
  count(span: Span): { events: number; bots: number } {
    const { conditions } = this.#range
    if (conditions.length === 0) return this.#site.count(span)
    const fitting = (includeBots: boolean) =>
      fittingRows(this.#site.rows(span, includeBots), this.numbers, conditions).reduce(
        (sum, one) => sum + one,
        0,
      )
    const events = fitting(true)
    return { events, bots: events - fitting(false) }
  }
}
