import { describe, expect, test } from 'vitest'
import { intervalStarts, isoTime, previousPeriod, readPeriod } from './period.ts'

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

  test('of a window reaches back to the midnight that lies so many days ago at least', () => {
    const period = readPeriod({ window: '7d' }, 'America/New_York', noon)
    expect(isoTime(period.fromMs)).toBe('2026-03-22T04:00:00.000Z')
    expect(period.toMs).toBe(noon + 1)
  })

  test('before another is as long and ends where it begins', () => {
    const period = readPeriod({ from: '2026-03-01', to: '2026-03-10' }, 'UTC', noon)
    const before = previousPeriod(period)
    expect(before.toMs).toBe(period.fromMs)
    expect(before.toMs - before.fromMs).toBe(period.toMs - period.fromMs)
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
