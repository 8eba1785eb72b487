import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { formatMinute, formatTime } from './format.ts'
import { some } from './plural.ts'
import { eventText } from './text/events.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: new Date('2026-12-31T23:30:00Z') })
})
afterEach(() => {
  vi.useRealTimers()
})

test('a time of this year is without the year, of the zone in which it is shown', () => {
  expect(formatTime('2026-03-01T09:21:07Z')).toBe('1 Mar, 09:21:07')
  expect(formatTime('2025-12-31T23:59:59Z')).toBe('31 Dec 2025, 23:59:59')
  // In Tokyo it is the next year already.
  expect(formatMinute('2026-03-01T09:21:07Z')).toBe('1 Mar, 09:21')
  expect(formatMinute('2025-12-31T23:59:59Z')).toBe('31 Dec 2025, 23:59')
  expect(formatTime('2026-12-31T15:30:00Z', 'Asia/Tokyo')).toBe('1 Jan, 00:30:00')
  expect(formatTime('2026-12-31T14:30:00Z', 'Asia/Tokyo')).toBe('31 Dec 2026, 23:30:00')
})

test('counts in words have their thousands apart', () => {
  expect(some(1, 'event')).toBe('1 event')
  expect(some(10_968, 'entry', 'entries')).toBe('10,968 entries')
  expect(some('10,968', 'event')).toBe('10,968 events')
  expect(eventText.fixes.released(1_204, 2_000)).toBe('1,204 released, 2,000 still quarantined')
})
