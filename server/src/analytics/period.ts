import type { ReadPeriod, TimeUnit } from '@assay/contract'
import { readDaysMax } from '@assay/contract/maxima'
import { invalidParameter } from '@assay/contract/problems'
import { Temporal } from 'temporal-polyfill'
import { dayMs, hourMs } from '../platform/units.ts'
import { midnightBefore, zoned } from '../sites/calendar.ts'

/** A range of time [fromMs, toMs), the zone of its days, and the time of the request. */
export type Period = { fromMs: number; toMs: number; timezone: string; nowMs: number }
export type Interval = TimeUnit

export type PeriodQuery = {
  from?: string | undefined
  to?: string | undefined
  window?: string | undefined
  timezone?: string | undefined
}

const windowDaysDefault = 30
/** More points are not visible on a chart, and each costs a little. */
export const pointsMax = 1_000

/**
 * `window=30d` is 30 calendar days, the last of which is today; `24h` is 24 hours. A plain date means
 * midnight in the zone; as `to` it means the end of that day.
 */
export function readPeriod(query: PeriodQuery, siteTimezone: string, nowMs: number): Period {
  const timezone = readTimezone(query.timezone ?? siteTimezone)
  if (query.window !== undefined && query.from !== undefined) {
    throw invalidParameter('window', 'cannot be combined with from')
  }
  const toMs = query.to === undefined ? nowMs + 1 : readTime('to', query.to, timezone, 1)
  const fromMs =
    query.from === undefined
      ? windowStart(query.window, toMs, timezone)
      : readTime('from', query.from, timezone, 0)
  if (fromMs >= toMs) throw invalidParameter('from', 'must be before to')
  // One day more than the limit, since a day can have 25 hours and a window starts at midnight.
  if (toMs - fromMs > (readDaysMax + 1) * dayMs)
    throw invalidParameter('from', `may reach back ${readDaysMax} days at most`)
  return { fromMs, toMs, timezone, nowMs }
}

/**
 * A period of days is compared with as many days before it, and with the same part of the last one. A period
 * that starts within a day is compared with as much time before it.
 */
export function previousPeriod({ fromMs, toMs, timezone, nowMs }: Period): Period {
  const [from, to] = [zoned(fromMs, timezone), zoned(toMs, timezone)]
  if (!from.equals(from.startOfDay()))
    return { fromMs: fromMs - (toMs - fromMs), toMs: fromMs, timezone, nowMs }
  const last = zoned(toMs - 1, timezone).toPlainDate()
  const days = from.toPlainDate().until(last, { largestUnit: 'days' }).days + 1
  return {
    fromMs: from.subtract({ days }).startOfDay().epochMilliseconds,
    // A time of day skipped by a clock change is moved later, so it could reach into the period itself.
    toMs: Math.min(fromMs, to.subtract({ days }).epochMilliseconds),
    timezone,
    nowMs,
  }
}

/** The same days of the year before, with the same part of the last one; hours are as many as they are. */
export function yearBefore({ fromMs, toMs, timezone, nowMs }: Period): Period {
  const [from, to] = [zoned(fromMs, timezone), zoned(toMs, timezone)]
  const startMs = from.subtract({ years: 1 }).epochMilliseconds
  if (!from.equals(from.startOfDay()))
    return { fromMs: startMs, toMs: startMs + toMs - fromMs, timezone, nowMs }
  const isWhole = to.equals(to.startOfDay())
  const end = isWhole
    ? to.subtract({ days: 1 }).subtract({ years: 1 }).add({ days: 1 })
    : to.subtract({ years: 1 })
  return { fromMs: startMs, toMs: end.epochMilliseconds, timezone, nowMs }
}

export function chooseInterval(
  period: Period,
  wanted: Exclude<Interval, 'week'> | undefined,
): Exclude<Interval, 'week'> {
  const days = (period.toMs - period.fromMs) / dayMs
  const chosen = wanted ?? (days <= 2 ? 'hour' : days <= 124 ? 'day' : 'month')
  if (chosen === 'hour' && days * 24 > pointsMax)
    throw invalidParameter('interval', 'hour is for up to 41 days')
  return chosen
}

const steps = { hour: { hours: 1 }, day: { days: 1 }, week: { weeks: 1 }, month: { months: 1 } } as const

/** Starts of the intervals that cover the period; calendar steps, so a day of 23 or 25 hours is one day. */
export function intervalStarts(
  period: Pick<Period, 'fromMs' | 'toMs' | 'timezone'>,
  interval: Interval,
): number[] {
  const step = steps[interval]
  let at = startOf(zoned(period.fromMs, period.timezone), interval)
  const starts: number[] = []
  while (at.epochMilliseconds < period.toMs) {
    starts.push(at.epochMilliseconds)
    at = startOf(at.add(step), interval)
  }
  return starts
}

/** Whether an interval is over and completely in the period. */
export function isComplete(startMs: number, period: Period, interval: Interval): boolean {
  const { fromMs, toMs, nowMs, timezone } = period
  const end = startOf(zoned(startMs, timezone).add(steps[interval]), interval).epochMilliseconds
  return startMs >= fromMs && end <= toMs && end <= nowMs
}

function startOf(at: Temporal.ZonedDateTime, interval: Interval): Temporal.ZonedDateTime {
  // Rounding, unlike setting fields, distinguishes two equal hours when clocks are set back.
  if (interval === 'hour') return at.round({ smallestUnit: 'hour', roundingMode: 'floor' })
  const day = at.startOfDay()
  if (interval === 'day') return day
  // Monday, by ISO 8601.
  if (interval === 'week') return day.subtract({ days: day.dayOfWeek - 1 }).startOfDay()
  return day.with({ day: 1 }).startOfDay()
}

/** When a window that ends there began. */
export function windowStart(window: string | undefined, toMs: number, timezone: string): number {
  const count = window === undefined ? windowDaysDefault : Number.parseInt(window, 10)
  if (window?.endsWith('h')) return toMs - count * hourMs
  if (count > readDaysMax) throw invalidParameter('window', `may be ${readDaysMax}d at most`)
  return midnightBefore(toMs - 1, count - 1, timezone)
}

function readTimezone(name: string): string {
  try {
    return zoned(0, name).timeZoneId
  } catch {
    throw invalidParameter('timezone', 'must be an IANA name such as Europe/Berlin')
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
    throw invalidParameter(field, 'must be an RFC 3339 time or a date such as 2026-11-15')
  }
}

export function isoTime(ms: number): string {
  return Temporal.Instant.fromEpochMilliseconds(ms).toString({ fractionalSecondDigits: 3 })
}

/** In the format of answers. */
export function toPeriod({ fromMs, toMs, timezone, nowMs }: Period): ReadPeriod {
  const today = midnightBefore(nowMs, 0, timezone)
  const includesToday = fromMs <= nowMs && toMs > today
  return { from: isoTime(fromMs), to: isoTime(toMs), timezone, includesToday }
}
