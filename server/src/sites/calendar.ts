import { Temporal } from 'temporal-polyfill'

/** A moment by the calendar and the clocks of a zone. */
export function zoned(ms: number, timezone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timezone)
}

/** The midnight with which the day began that lies so many days before a moment. */
export function midnightBefore(ms: number, days: number, timezone: string): number {
  return zoned(ms, timezone).startOfDay().subtract({ days }).startOfDay().epochMilliseconds
}
