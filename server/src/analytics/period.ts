import { Problem, readDaysMax } from '@assay/contract'
import { Temporal } from 'temporal-polyfill'

/** A range of time [fromMs, toMs) and the zone whose days it is told in. */
export type Period = { fromMs: number; toMs: number; timezone: string }
export type Interval = 'hour' | 'day' | 'week' | 'month'

export type PeriodQuery = {
  from?: string | undefined
  to?: string | undefined
  window?: string | undefined
  timezone?: string | undefined
}

const dayMs = 86_400_000
const windowDaysDefault = 30
/** More points than this say nothing more on a chart, and each costs a little. */
const pointsMax = 1_000

/**
 * `window=30d` reaches back to the midnight that lies at least 30 days ago, so that a day is never shown in part
 * save today. A plain date means midnight in the zone; as `to` it means the end of that day.
 */
export function readPeriod(query: PeriodQuery, siteTimezone: string, nowMs: number): Period {
  const timezone = readTimezone(query.timezone ?? siteTimezone)
  if (query.window !== undefined && query.from !== undefined) {
    throw invalid('window', 'cannot be combined with from')
  }
  const toMs = query.to === undefined ? nowMs + 1 : readTime('to', query.to, timezone, 1)
  const fromMs =
    query.from === undefined
      ? windowStart(query.window, toMs, timezone)
      : readTime('from', query.from, timezone, 0)
  if (fromMs >= toMs) throw invalid('from', 'must be before to')
  // One day more than the limit, since a day can have 25 hours and a window starts at midnight.
  if (toMs - fromMs > (readDaysMax + 1) * dayMs)
    throw invalid('from', `may reach back ${readDaysMax} days at most`)
  return { fromMs, toMs, timezone }
}

/** As long as the period and ending where it begins. */
export function previousPeriod({ fromMs, toMs, timezone }: Period): Period {
  return { fromMs: fromMs - (toMs - fromMs), toMs: fromMs, timezone }
}

export function chooseInterval(
  period: Period,
  wanted: Exclude<Interval, 'week'> | undefined,
): Exclude<Interval, 'week'> {
  const days = (period.toMs - period.fromMs) / dayMs
  const chosen = wanted ?? (days <= 2 ? 'hour' : days <= 124 ? 'day' : 'month')
  if (chosen === 'hour' && days * 24 > pointsMax) throw invalid('interval', 'hour is for up to 41 days')
  return chosen
}

/** Starts of the intervals that cover the period; calendar steps, so a day of 23 or 25 hours is one day. */
export function intervalStarts(period: Period, interval: Interval): number[] {
  const step = { hour: { hours: 1 }, day: { days: 1 }, week: { weeks: 1 }, month: { months: 1 } }[interval]
  let at = startOf(zoned(period.fromMs, period.timezone), interval)
  const starts: number[] = []
  while (at.epochMilliseconds < period.toMs) {
    starts.push(at.epochMilliseconds)
    at = startOf(at.add(step), interval)
  }
  return starts
}

function startOf(at: Temporal.ZonedDateTime, interval: Interval): Temporal.ZonedDateTime {
  // Rounding, unlike setting fields, keeps the second of two equal hours apart when clocks go back.
  if (interval === 'hour') return at.round({ smallestUnit: 'hour', roundingMode: 'floor' })
  const day = at.startOfDay()
  if (interval === 'day') return day
  // Monday, as ISO 8601 has it.
  if (interval === 'week') return day.subtract({ days: day.dayOfWeek - 1 }).startOfDay()
  return day.with({ day: 1 }).startOfDay()
}

function windowStart(window: string | undefined, toMs: number, timezone: string): number {
  const days = window === undefined ? windowDaysDefault : Number.parseInt(window, 10)
  if (days > readDaysMax) throw invalid('window', `may be ${readDaysMax}d at most`)
  return midnightBefore(toMs - 1, days, timezone)
}

/** The midnight with which the day began that lies so many days before a moment. */
export function midnightBefore(ms: number, days: number, timezone: string): number {
  return zoned(ms, timezone).startOfDay().subtract({ days }).startOfDay().epochMilliseconds
}

function zoned(ms: number, timezone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timezone)
}

function readTimezone(name: string): string {
  try {
    return zoned(0, name).timeZoneId
  } catch {
    throw invalid('timezone', 'must be an IANA name such as Europe/Berlin')
  }
}

function readTime(field: string, text: string, timezone: string, dateAddsDays: number): number {
  try {
    if (/^\d{4}-\d{2}-\d{2}$/.test(text)) {
      const date = Temporal.PlainDate.from(text).add({ days: dateAddsDays })
      return date.toZonedDateTime({ timeZone: timezone }).epochMilliseconds
    }
    return Temporal.Instant.from(text).epochMilliseconds
  } catch {
    throw invalid(field, 'must be an RFC 3339 time or a date such as 2026-11-15')
  }
}

/** Names the parameter in the refusal. */
export function invalid(field: string, message: string): Problem {
  return new Problem('invalid-parameter', { detail: `${field} ${message}.`, errors: [{ field, message }] })
}

export function isoTime(ms: number): string {
  return Temporal.Instant.fromEpochMilliseconds(ms).toString({ fractionalSecondDigits: 3 })
}

/** As answers write it. */
export function toPeriod({ fromMs, toMs, timezone }: Period): { from: string; to: string; timezone: string } {
  return { from: isoTime(fromMs), to: isoTime(toMs), timezone }
}
