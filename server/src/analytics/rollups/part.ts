import type { Chunk } from '../tally/chunk.ts'
import { splitRows } from '../tally/chunk-rows.ts'
import { intervalsOf } from '../tally/intervals.ts'
import type { RowNumbers } from '../tally/row-numbers.ts'
import { quarterMs, type Rollup, rollUp } from './rollup.ts'

/** Rows of a time, with what is counted of them. */
export type Part = { fromMs: number; chunk: Chunk; rollup: Rollup }

export const toPart = (chunk: Chunk, numbers: RowNumbers, fromMs: number): Part => ({
  fromMs,
  chunk,
  rollup: rollUp(chunk, numbers),
})

/** The rows from each border to the next, of which the first is the start of the rows. */
export function partsOf(chunk: Chunk, numbers: RowNumbers, borders: readonly number[]): Part[] {
  const chunks =
    borders.length === 1 ? [chunk] : splitRows(chunk, intervalsOf(chunk, borders), borders.length)
  return chunks.map((one, index) => toPart(one, numbers, borders[index] ?? 0))
}

/** Where parts of a period have to end besides: at intervals that begin within a quarter of an hour. */
export const bordersOf = (starts: readonly number[], fromMs: number): number[] =>
  starts.filter((start) => start > fromMs && start % quarterMs !== 0)
