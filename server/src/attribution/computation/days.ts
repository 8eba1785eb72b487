import { attributionLimits, invalidParameter } from '@assay/contract'
import { dayMs } from '../../platform/units.ts'

/** Days are in UTC, as `2026-03-01`: outcomes of several sites, in several zones, are computed together. */
export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}

export function startMs(day: string): number {
  return Date.parse(`${day}T00:00:00Z`)
}

export function addDays(day: string, days: number): string {
  return dayOf(startMs(day) + days * dayMs)
}

/** Both ends inclusive. */
export function daysFrom(first: string, last: string): string[] {
  const days: string[] = []
  for (let ms = startMs(first); ms <= startMs(last); ms += dayMs) days.push(dayOf(ms))
  return days
}

const chunkDaysMax = 31

/** Runs of consecutive days that are read together: a month, or as many as have that many events. */
export function neighbours(
  days: readonly string[],
  eventsOn: (day: string) => number,
  eventsMax: number,
): string[][] {
  const groups: string[][] = []
  let events = 0
  for (const day of days.toSorted()) {
    const group = groups.at(-1)
    const isNext =
      group !== undefined && group.length < chunkDaysMax && addDays(group.at(-1) ?? '', 1) === day
    events = isNext ? events + eventsOn(day) : eventsOn(day)
    if (isNext && events <= eventsMax) group.push(day)
    else {
      events = eventsOn(day)
      groups.push([day])
    }
  }
  return groups
}

export type DayRange = { from: string; to: string }

/**
 * Up to when all days of a range contain what was acknowledged: of a day that was never checked, nothing
 * since it began.
 */
export function reachOf({ from, to }: DayRange, untilOf: (day: string) => Date | null | undefined): number {
  return Math.min(...daysFrom(from, to).map((day) => untilOf(day)?.getTime() ?? startMs(day)))
}

/** Days in the past, or today. */
export function readDays({ from, to }: DayRange, nowMs: number): DayRange {
  for (const [field, day] of Object.entries({ from, to })) {
    const ms = startMs(day)
    if (Number.isNaN(ms) || dayOf(ms) !== day)
      throw invalidParameter(field, 'must be a day such as 2026-03-01')
  }
  const today = dayOf(nowMs)
  if (from > to) throw invalidParameter('from', 'must not be after to')
  if (from > today) throw invalidParameter('from', 'must not lie in the future')
  const last = to < today ? to : today
  if (daysFrom(from, last).length > attributionLimits.rangeDaysMax) {
    throw invalidParameter('from', `may lie ${attributionLimits.rangeDaysMax} days before to at most`)
  }
  return { from, to: last }
}
