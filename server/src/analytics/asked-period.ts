import { type Period, type PeriodQuery, readPeriod } from './period.ts'

/** The period that a query names; null where it names none, which some reads take as all there is. */
export function askedPeriod(query: PeriodQuery, siteTimezone: string, nowMs: number): Period | null {
  const { from, to, window } = query
  // A zone alone names no period, and still has to be one.
  const period = readPeriod(query, siteTimezone, nowMs)
  return from === undefined && to === undefined && window === undefined ? null : period
}
