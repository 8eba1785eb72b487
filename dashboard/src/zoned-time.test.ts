import { expect, test } from 'vitest'
import { zonedField, zonedMs } from './zoned-time.ts'

test.each([
  ['Europe/Berlin', '2026-11-05T13:00', '2026-11-05T12:00:00.000Z'],
  ['Europe/Berlin', '2026-07-05T00:30', '2026-07-04T22:30:00.000Z'],
  ['Asia/Kathmandu', '2026-01-01T00:00', '2025-12-31T18:15:00.000Z'],
  ['America/New_York', '2026-12-31T23:59', '2027-01-01T04:59:00.000Z'],
  ['UTC', '2026-02-28T00:00', '2026-02-28T00:00:00.000Z'],
])('a field in %s that shows %s is the moment %s, and back', (zone, field, moment) => {
  expect(new Date(zonedMs(field, zone)).toISOString()).toBe(moment)
  expect(zonedField(Date.parse(moment), zone)).toBe(field)
})

test('an hour that clocks skip is the one after it, and of a repeated hour it is the first', () => {
  expect(new Date(zonedMs('2026-03-29T02:30', 'Europe/Berlin')).toISOString()).toBe(
    '2026-03-29T01:30:00.000Z',
  )
  expect(zonedField(Date.parse('2026-03-29T01:30:00Z'), 'Europe/Berlin')).toBe('2026-03-29T03:30')
  expect(new Date(zonedMs('2026-10-25T02:30', 'Europe/Berlin')).toISOString()).toBe(
    '2026-10-25T00:30:00.000Z',
  )
})

test('a field without a moment is none', () => {
  expect(zonedMs('', 'Europe/Berlin')).toBeNaN()
  expect(zonedMs('2026-02-32T00:00', 'Europe/Berlin')).toBeNaN()
})
