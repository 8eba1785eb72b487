import fc from 'fast-check'
import { expect, test } from 'vitest'
import { timeAt } from './payload.ts'

test('a time of a vendor can be written down, or is none, whatever was sent', () => {
  const value = fc.oneof(
    fc.double(),
    fc.integer(),
    fc.bigInt({ min: 0n, max: 10n ** 20n }).map(String),
    fc.date().map((date) => (Number.isNaN(date.getTime()) ? 'never' : date.toISOString())),
    fc.constantFrom(1e18, Number.MAX_VALUE, '+275760-09-13T00:00:00Z', '9999999999999', {}, null),
  )
  fc.assert(
    fc.property(value, fc.constantFrom('s', 'ms', 'iso'), (started_at, unit) => {
      const ms = timeAt({ started_at }, 'started_at', unit)
      if (ms !== undefined) expect(new Date(ms).toISOString()).toMatch(/^(?:\d{4}|-00\d{4})-/)
    }),
  )
})

test('usual times are read as they are', () => {
  const times = {
    s: 1_790_000_000,
    ms: 1_790_000_000_000,
    iso: '2026-09-21T14:13:20Z',
    bare: '2026-09-21T14:13:20',
  }
  expect(timeAt(times, 's', 's')).toBe(times.ms)
  expect(timeAt(times, 'ms', 'ms')).toBe(times.ms)
  expect(timeAt(times, 'iso', 'iso')).toBe(times.ms)
  expect(timeAt(times, 'bare', 'iso')).toBe(times.ms)
})
