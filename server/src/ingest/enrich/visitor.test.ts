import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { networkOf, visitorId } from './visitor.ts'

/** A salt of its own for each day; in operation it is random and thrown away. */
function saltFor(day: string): Uint8Array {
  return createHash('sha256').update(`test salt of ${day}`).digest()
}

const jane = { siteId: 'site_a', day: '2026-03-01', ip: '192.0.2.77', userAgent: 'Firefox' }

test('one visitor has one id for a day on a site', () => {
  expect(visitorId(jane, saltFor)).toBe(visitorId({ ...jane }, saltFor))
  expect(visitorId(jane, saltFor)).toMatch(/^vis_[\w-]{22}$/)
})

test.each([
  ['another day', { day: '2026-03-02' }],
  ['another site', { siteId: 'site_b' }],
  ['another network', { ip: '192.0.3.77' }],
  ['another browser', { userAgent: 'Chrome' }],
])('%s is another id', (_what, change) => {
  expect(visitorId({ ...jane, ...change }, saltFor)).not.toBe(visitorId(jane, saltFor))
})

test('without the salt of that day the id cannot be made again', () => {
  expect(visitorId(jane, () => saltFor('another'))).not.toBe(visitorId(jane, saltFor))
})

test('addresses are shortened before they are used, so neighbours in a network differ only by browser', () => {
  expect(visitorId({ ...jane, ip: '192.0.2.1' }, saltFor)).toBe(visitorId(jane, saltFor))
  expect(networkOf('192.0.2.1')).toBe(networkOf('::ffff:192.0.2.255'))
  expect(networkOf('2001:db8:1:2::3')).toBe(networkOf('2001:db8:1:ffff::'))
  expect(networkOf('2001:db8:1::')).not.toBe(networkOf('2001:db8:2::'))
  expect(networkOf('0.0.0.1')).not.toBe(networkOf('::1'))
})

test('parts of the facts cannot be moved from one into the next', () => {
  const moved = { ...jane, siteId: 'site_a2', day: '026-03-01' }
  expect(visitorId(moved, () => saltFor(jane.day))).not.toBe(visitorId(jane, saltFor))
})

test('without an address there is no id, since everyone with the same browser would share it', () => {
  expect(visitorId({ ...jane, ip: '' }, saltFor)).toBeNull()
  expect(visitorId({ ...jane, ip: 'unknown' }, saltFor)).toBeNull()
})
