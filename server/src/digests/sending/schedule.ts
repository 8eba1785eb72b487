import type { DigestFrequency } from '@assay/contract'
import { Temporal } from 'temporal-polyfill'
import { zoned } from '../../sites/calendar.ts'

export type Schedule = { frequency: DigestFrequency; weekday: number; hour: number }

/** Whole days of a zone, the first and the last of them. */
export type Days = { from: string; to: string }
/** When a digest is to be sent, and which days it covers. */
type Due = { atMs: number; days: Days }

/** The first time after now. */
export function nextDue(schedule: Schedule, timezone: string, nowMs: number): Due {
  return around(schedule, timezone, nowMs).find(({ atMs }) => atMs > nowMs) ?? never()
}

/** The last time until now: what was missed before that is not sent any more. */
export function latestDue(schedule: Schedule, timezone: string, nowMs: number): Due {
  return around(schedule, timezone, nowMs).findLast(({ atMs }) => atMs <= nowMs) ?? never()
}

/** Enough of them that one is before and one is after now, whatever the clocks of the zone do. */
const steps = [-2, -1, 0, 1, 2]

function around({ frequency, weekday, hour }: Schedule, timezone: string, nowMs: number): Due[] {
  const today = zoned(nowMs, timezone).toPlainDate()
  return steps.map((step) => {
    const date =
      frequency === 'weekly'
        ? mondayOf(today).add({ days: 7 * step + weekday - 1 })
        : today.with({ day: 1 }).add({ months: step })
    // A time of day that the clocks skip is the next one that there is, and of two equal ones it is the first.
    const at = date.toZonedDateTime({ timeZone: timezone, plainTime: { hour } })
    return { atMs: at.epochMilliseconds, days: daysBefore(date, frequency) }
  })
}

/** The last whole week, or month, before a date. By the calendar alone, so that none is left out or covered twice. */
function daysBefore(date: Temporal.PlainDate, frequency: DigestFrequency): Days {
  const end = frequency === 'weekly' ? mondayOf(date) : date.with({ day: 1 })
  const start = end.subtract(frequency === 'weekly' ? { weeks: 1 } : { months: 1 })
  return { from: start.toString(), to: end.subtract({ days: 1 }).toString() }
}

/** As many whole weeks or months before, each as long as the calendar says. */
export function earlier({ from }: Days, frequency: DigestFrequency, count: number): Days {
  const end = Temporal.PlainDate.from(from)
  const start = end.subtract(frequency === 'weekly' ? { weeks: count } : { months: count })
  return { from: start.toString(), to: end.subtract({ days: 1 }).toString() }
}

const mondayOf = (date: Temporal.PlainDate) => date.subtract({ days: date.dayOfWeek - 1 })

function never(): never {
  throw new Error('five weeks or months around now have one before and one after it')
}
