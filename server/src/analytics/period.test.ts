import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  intervalStarts,
  isComplete,
  isoTime,
  previousPeriod,
  readPeriod,
  toPeriod,
  yearBefore,
} from './period.ts'

const noon = Date.parse('2026-03-29T12:00:00Z')

describe('a period', () => {
  test('of dates runs from midnight to midnight of its zone', () => {
    const period = readPeriod(
      { from: '2026-03-28', to: '2026-03-29', timezone: 'Europe/Berlin' },
      'UTC',
      noon,
    )
    expect(isoTime(period.fromMs)).toBe('2026-03-27T23:00:00.000Z')
    // Clocks go forward on the 29th, so that day has 23 hours.
    expect(isoTime(period.toMs)).toBe('2026-03-29T22:00:00.000Z')
  })

  test('of a window of days is so many days of the calendar, today included', () => {
    const period = readPeriod({ window: '7d' }, 'America/New_York', noon)
    expect(isoTime(period.fromMs)).toBe('2026-03-23T04:00:00.000Z')
    expect(period.toMs).toBe(noon + 1)
    expect(intervalStarts(period, 'day')).toHaveLength(7)
    expect(toPeriod(period)).toMatchObject({ includesToday: true })
  })

  test('of a window of hours is exactly so long, whatever the clocks do', () => {
    const { fromMs, toMs } = readPeriod({ window: '24h' }, 'Europe/Berlin', noon)
    expect(toMs - fromMs).toBe(24 * 3_600_000)
    const before = previousPeriod(readPeriod({ window: '24h' }, 'Europe/Berlin', noon))
    expect([before.fromMs, before.toMs]).toEqual([fromMs - 24 * 3_600_000, fromMs])
  })

  test('of whole days is compared with as many days that end where it begins', () => {
    const period = readPeriod({ from: '2026-03-01', to: '2026-03-10' }, 'UTC', noon)
    const before = previousPeriod(period)
    expect(before.toMs).toBe(period.fromMs)
    expect(before.toMs - before.fromMs).toBe(period.toMs - period.fromMs)
    expect(toPeriod(period)).toMatchObject({ includesToday: false })
  })

  test('that ends within a day is compared with days that end at the same time of day', () => {
    // Clocks went forward in Berlin in the night before.
    const before = previousPeriod(readPeriod({ window: '7d' }, 'Europe/Berlin', noon))
    expect(isoTime(before.fromMs)).toBe('2026-03-15T23:00:00.000Z')
    expect(isoTime(before.toMs)).toBe('2026-03-22T13:00:00.001Z')
  })

  test('and the one before it never overlap, in any zone, and have as many days', () => {
    const zones = ['UTC', 'Europe/Berlin', 'America/Santiago', 'Asia/Kolkata', 'Pacific/Apia', 'Africa/Cairo']
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.integer({ min: 1, max: 400 }),
        fc.integer({ min: Date.UTC(2011, 0), max: Date.UTC(2027, 0) }),
        (timezone, days, nowMs) => {
          const period = readPeriod({ window: `${days}d` }, timezone, nowMs)
          const before = previousPeriod(period)
          expect(before.toMs).toBeLessThanOrEqual(period.fromMs)
          expect(before.fromMs).toBeLessThan(before.toMs)
          const points = intervalStarts(period, 'day')
          // Apia had no 30th of December in 2011.
          expect(Math.abs(points.length - days)).toBeLessThanOrEqual(timezone === 'Pacific/Apia' ? 1 : 0)
          const complete = points.filter((start) => isComplete(start, period, 'day'))
          expect(complete).toHaveLength(points.length - 1)
        },
      ),
      { numRuns: 60 },
    )
  })
})

describe('a year before', () => {
  const days = (from: string, to: string) => {
    const before = yearBefore(readPeriod({ from, to, timezone: 'Europe/Berlin' }, 'UTC', noon))
    return [isoTime(before.fromMs), isoTime(before.toMs)]
  }

  test('are the same days of the calendar, whatever the clocks do', () => {
    expect(days('2026-03-01', '2026-03-31')).toEqual(['2025-02-28T23:00:00.000Z', '2025-03-31T22:00:00.000Z'])
    expect(days('2024-02-01', '2024-02-28')).toEqual(['2023-01-31T23:00:00.000Z', '2023-02-28T23:00:00.000Z'])
    expect(days('2024-02-29', '2024-02-29')).toEqual(['2023-02-27T23:00:00.000Z', '2023-02-28T23:00:00.000Z'])
  })

  test('the last day ends at the same time of day, and hours are as many', () => {
    const week = yearBefore(readPeriod({ window: '7d' }, 'Europe/Berlin', noon))
    expect(isoTime(week.fromMs)).toBe('2025-03-22T23:00:00.000Z')
    // Clocks go forward on the 29th of March in 2026, and on the 30th in 2025.
    expect(isoTime(week.toMs)).toBe('2025-03-29T13:00:00.001Z')
    const hours = yearBefore(readPeriod({ window: '24h' }, 'Europe/Berlin', noon))
    expect(hours.toMs - hours.fromMs).toBe(24 * 3_600_000)
  })
})

describe('intervals', () => {
  const starts = (from: string, to: string, timezone: string, interval: 'hour' | 'day' | 'month') =>
    intervalStarts(readPeriod({ from, to, timezone }, 'UTC', noon), interval).map(isoTime)

  test('are days of 23, 24 and 25 hours when clocks change', () => {
    expect(starts('2026-03-28', '2026-03-30', 'Europe/Berlin', 'day')).toEqual([
      '2026-03-27T23:00:00.000Z',
      '2026-03-28T23:00:00.000Z',
      '2026-03-29T22:00:00.000Z',
    ])
    expect(starts('2026-10-24', '2026-10-26', 'Europe/Berlin', 'day')).toEqual([
      '2026-10-23T22:00:00.000Z',
      '2026-10-24T22:00:00.000Z',
      '2026-10-25T23:00:00.000Z',
    ])
  })

  test('are 23 or 25 hours on such a day', () => {
    expect(starts('2026-03-29', '2026-03-29', 'Europe/Berlin', 'hour')).toHaveLength(23)
    expect(starts('2026-10-25', '2026-10-25', 'Europe/Berlin', 'hour')).toHaveLength(25)
    expect(new Set(starts('2026-10-25', '2026-10-25', 'Europe/Berlin', 'hour')).size).toBe(25)
  })

  test('begin at local midnight even where clocks change at midnight, and where a day is missing', () => {
    expect(starts('2026-09-05', '2026-09-07', 'America/Santiago', 'day')).toEqual([
      '2026-09-05T04:00:00.000Z',
      '2026-09-06T04:00:00.000Z',
      '2026-09-07T03:00:00.000Z',
    ])
    expect(starts('2011-12-29', '2011-12-31', 'Pacific/Apia', 'day')).toHaveLength(2)
  })

  test('are months of the calendar', () => {
    expect(starts('2026-01-15', '2026-03-02', 'UTC', 'month')).toEqual([
      '2026-01-01T00:00:00.000Z',
      '2026-02-01T00:00:00.000Z',
      '2026-03-01T00:00:00.000Z',
    ])
  })
})
