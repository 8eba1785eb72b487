import type { CountPlace } from './day-count.ts'
import type { Span } from './updates/part-changes.ts'

/** What has changed of a site since the last question about it. */
export type KeptChange = {
  /** Of the site, with what else its rows depend on. */
  key: string
  /** Starts of days that are gone. */
  drop: readonly number[]
  /** The answer of the store for whole days, those of them of which only sums are kept, and what sums. */
  fresh: {
    span: Span
    rows: Uint8Array<ArrayBuffer>
    summed: ReadonlySet<number>
    counts: readonly CountPlace[]
  } | null
}

/** What a site takes: in all, and of it the days with their rows. */
export type KeptSize = { bytes: number; rowBytes: number }
