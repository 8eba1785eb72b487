import { type Overview, type TimeUnit, timeUnits } from '@assay/contract'

export const intervalNames = timeUnits
export type Interval = TimeUnit

const dayMs = 86_400_000
/** Longest periods, in days, for which the points of an interval can still be distinguished. */
const daysMax: Readonly<Record<Interval, number>> = { hour: 8, day: 400, week: 4_000, month: 4_000 }
/** Shortest ones for which it gives more than a point or two. */
const daysMin: Readonly<Record<Interval, number>> = { hour: 0, day: 2, week: 14, month: 60 }

/** As the overview chooses it for so many days; where it differs, another question follows. */
export function usualInterval(days: number): Interval {
  return days <= 2 ? 'hour' : days <= 124 ? 'day' : 'month'
}

/** The intervals that make sense for a period. */
export function intervalsFor({ from, to }: Pick<Overview['period'], 'from' | 'to'>): readonly Interval[] {
  const days = (Date.parse(to) - Date.parse(from)) / dayMs
  return intervalNames.filter((name) => days <= daysMax[name] && days >= daysMin[name])
}
