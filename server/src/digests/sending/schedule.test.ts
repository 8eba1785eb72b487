import { digestFrequencies } from '@assay/contract'
import fc from 'fast-check'
import { Temporal } from 'temporal-polyfill'
import { expect, test } from 'vitest'
import { dayMs } from '../../platform/units.ts'
import { zoned } from '../../sites/calendar.ts'
import { earlier, latestDue, nextDue, type Schedule } from './schedule.ts'

/** With half-hour changes, changes at midnight and late in the evening, days that were left out, and none at all. */
const zones = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'America/Nuuk',
  'America/Sao_Paulo',
  'America/St_Johns',
  'Africa/Cairo',
  'Asia/Kathmandu',
  'Asia/Tehran',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Pacific/Kiritimati',
]

const schedules: fc.Arbitrary<Schedule> = fc.record({
  frequency: fc.constantFrom(...digestFrequencies),
  weekday: fc.integer({ min: 1, max: 7 }),
  hour: fc.integer({ min: 0, max: 23 }),
})
const zone = fc.constantFrom(...zones)
const moment = fc.integer({ min: Date.UTC(2008, 0, 1), max: Date.UTC(2040, 0, 1) })

test('the next time is in the future, at the wanted time of day or the next that the clocks have', () => {
  fc.assert(
    fc.property(schedules, zone, moment, (schedule, timezone, nowMs) => {
      const { atMs } = nextDue(schedule, timezone, nowMs)
      expect(atMs).toBeGreaterThan(nowMs)
      expect(atMs - nowMs).toBeLessThanOrEqual((schedule.frequency === 'weekly' ? 9 : 33) * dayMs)
      const at = zoned(atMs, timezone)
      const isWanted =
        at.hour === schedule.hour &&
        at.minute === 0 &&
        (schedule.frequency === 'weekly' ? at.dayOfWeek === schedule.weekday : at.day === 1)
      if (isWanted) return
      // Then the clocks were set forward less than a day before, over the wanted time.
      const before = zoned(atMs - dayMs, timezone)
      expect(at.offsetNanoseconds).toBeGreaterThan(before.offsetNanoseconds)
    }),
  )
})

test('one after the other they neither overlap nor leave a day out, and each period is over when it is sent', () => {
  fc.assert(
    fc.property(schedules, zone, moment, (schedule, timezone, startMs) => {
      let { atMs, days } = nextDue(schedule, timezone, startMs)
      for (let count = 0; count < 15; count++) {
        expect(latestDue(schedule, timezone, atMs)).toEqual({ atMs, days })
        const end = Temporal.PlainDate.from(days.to).add({ days: 1 }).toZonedDateTime(timezone)
        expect(end.epochMilliseconds).toBeLessThanOrEqual(atMs)
        const next = nextDue(schedule, timezone, atMs)
        expect(next.days.from).toBe(Temporal.PlainDate.from(days.to).add({ days: 1 }).toString())
        expect(earlier(next.days, schedule.frequency, 1)).toEqual(days)
        expect(latestDue(schedule, timezone, next.atMs - 1)).toEqual({ atMs, days })
        ;({ atMs, days } = next)
      }
    }),
  )
})

test('a week is from Monday to Sunday, and a month is whole', () => {
  const nowMs = Date.UTC(2026, 10, 17, 12)
  const weekly = nextDue({ frequency: 'weekly', weekday: 1, hour: 8 }, 'Europe/Berlin', nowMs)
  expect(weekly).toEqual({
    atMs: Date.UTC(2026, 10, 23, 7),
    days: { from: '2026-11-16', to: '2026-11-22' },
  })
  const sundays = nextDue({ frequency: 'weekly', weekday: 7, hour: 8 }, 'UTC', nowMs)
  expect(sundays.days).toEqual({ from: '2026-11-09', to: '2026-11-15' })
  const monthly = nextDue({ frequency: 'monthly', weekday: 3, hour: 8 }, 'America/New_York', nowMs)
  expect(monthly).toEqual({
    atMs: Date.UTC(2026, 11, 1, 13),
    days: { from: '2026-11-01', to: '2026-11-30' },
  })
  expect(earlier(monthly.days, 'monthly', 1)).toEqual({ from: '2026-10-01', to: '2026-10-31' })
})
