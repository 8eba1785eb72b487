import { dayMs } from '../../platform/units.ts'
import type { Span } from './updates/part-changes.ts'

/** The starts of the days in UTC that a question needs, and those of them whose rows it needs. */
export type NeededDays = { days: readonly number[]; ofRows: readonly number[] }

/** Where sums of days are enough, rows are needed only of days that a time has a part of. */
export function neededDays(spans: readonly Span[], isOfSums: boolean): NeededDays {
  const days = [...new Set(spans.flatMap(daysOf))].sort((one, other) => one - other)
  if (!isOfSums) return { days, ofRows: days }
  const isCut = (day: number) =>
    spans.some(({ fromMs, toMs }) => isWithinDay(fromMs, day) || isWithinDay(toMs, day))
  return { days, ofRows: days.filter(isCut) }
}

const isWithinDay = (atMs: number, day: number) => day < atMs && atMs < day + dayMs

/** The starts of the days in UTC of which a time has a part. */
export function daysOf({ fromMs, toMs }: Span): number[] {
  const first = Math.floor(fromMs / dayMs)
  return Array.from(
    { length: Math.max(0, Math.ceil(toMs / dayMs) - first) },
    (_, index) => (first + index) * dayMs,
  )
}
