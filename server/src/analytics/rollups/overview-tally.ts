import { readChunk } from '../tally/chunk.ts'
import { filterRows } from '../tally/chunk-rows.ts'
import { currentPeople, type RawRows } from '../tally/event-rows.ts'
import { newRowNumbers } from '../tally/row-numbers.ts'
import { addUpOverview, type OverviewFigures, type SeriesOptions } from './overview-rollups.ts'
import { bordersOf, partsOf, toPart } from './part.ts'

export type TallyOptions = SeriesOptions & {
  /** Where the current period begins. */
  currentMs: number
}

/** Counts everything in an overview from one reading of its events; pure. */
export function tallyOverview({ rows, merges }: RawRows, options: TallyOptions): OverviewFigures {
  const { currentMs, starts } = options
  const numbers = newRowNumbers()
  const chunk = readChunk(rows, numbers)
  const isCurrent = (row: number) => (chunk.ms[row] ?? 0) >= currentMs
  const previous = toPart(
    filterRows(chunk, (row) => !isCurrent(row)),
    numbers,
    -Infinity,
  )
  const borders = [currentMs, ...bordersOf(starts, currentMs)]
  const current = partsOf(filterRows(chunk, isCurrent), numbers, borders)
  const people = currentPeople(numbers.people, merges)
  return addUpOverview({ previous: [previous], current, numbers, people }, options)
}
