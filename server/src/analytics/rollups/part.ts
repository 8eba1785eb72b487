import type { Chunk } from '../tally/chunk.ts'
import type { RowNumbers } from '../tally/row-numbers.ts'
import { quarterMs, type Rollup, rollUp } from './rollup.ts'

/** Rows of a time, with what is counted of them. */
export type Part = { fromMs: number; chunk: Chunk; rollup: Rollup }

export const toPart = (chunk: Chunk, numbers: RowNumbers, fromMs: number): Part => ({
  fromMs,
  chunk,
  rollup: rollUp(chunk, numbers),
})

/** Where parts of a period have to end besides: at intervals that begin within a quarter of an hour. */
export const bordersOf = (starts: readonly number[], fromMs: number): number[] =>
  starts.filter((start) => start > fromMs && start % quarterMs !== 0)
