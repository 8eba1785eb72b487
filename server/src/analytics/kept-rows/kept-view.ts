import type { Part } from '../rollups/part.ts'
import { type CurrentPeople, currentPeople, type EventRows, eventRowsOf } from '../tally/event-rows.ts'
import type { RowNumbers } from '../tally/row-numbers.ts'
import type { KeptRange, KeptSite } from './kept-site.ts'
import type { Span } from './part-changes.ts'

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
    return eventRowsOf(this.#site.rows(this.#range), this.numbers, this.people)
  }

  /** What is counted of the rows of a time: once for each day that does not change. */
  parts(span: Span, borders: readonly number[]): Part[] {
    return this.#site.parts(span, borders, this.#range.includeBots)
  }

  /** How many events there are, and how many of them are of bots. */
  count(span: Span): { events: number; bots: number } {
    return this.#site.count(span)
  }
}
