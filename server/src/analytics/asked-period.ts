import { type Period, type PeriodQuery, readPeriod } from './period.ts'

/** The period of a query; null without one, which some reads treat as all time. */
export function askedPeriod(query: PeriodQuery, siteTimezone: string, nowMs: number): Period | null {
  const { from, to, window } = query
  // A zone alone is not a period, but it still has to be valid.
  const period = readPeriod(query, siteTimezone, nowMs)
  return from === undefined && to === undefined && window === undefined ? null : period
}
