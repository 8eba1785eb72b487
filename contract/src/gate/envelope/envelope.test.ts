import { expect, test } from 'vitest'
import type { RawEvent, Reading } from '../raw-event.ts'
import { pathOf } from './envelope-fields.ts'
import { readIngest } from './ingest-envelope.ts'
import { readTrack } from './track-envelope.ts'
import { readTime } from './wire-time.ts'

function eventOf(reading: Reading): RawEvent {
  if (reading.kind !== 'event') throw new Error(`read as ${reading.kind}`)
  return reading.event
}

test('the native names and those of the tracking specification are read into the same event', () => {
  const native = eventOf(
    readTrack({
      event: 'step_done',
      event_id: 'e-1',
      anonymous_id: 'a-1',
      user_id: 'u-1',
      ts: '2026-05-01T10:00:00Z',
      sent_at: '2026-05-01T10:00:01Z',
      properties: { step: 1 },
      context: { locale: 'tr-TR' },
    }),
  )
  const spoken = eventOf(
    readTrack({
      type: 'track',
      event: 'step_done',
      messageId: 'e-1',
      anonymousId: 'a-1',
      userId: 'u-1',
      originalTimestamp: '2026-05-01T10:00:00Z',
      sentAt: '2026-05-01T10:00:01Z',
      properties: { step: 1 },
      context: { locale: 'tr-TR' },
    }),
  )
  expect({ ...spoken, envelopeBytes: native.envelopeBytes }).toEqual(native)
  expect(spoken.envelopeBytes).toBeGreaterThan(native.envelopeBytes)
  expect(native).toMatchObject({
    eventId: 'e-1',
    anonymousId: 'a-1',
    userId: 'u-1',
    isAnonymousIdDerived: false,
  })
})

test('the device clock of a relayed event outranks the time that the relay corrected', () => {
  const times = { originalTimestamp: '2026-05-01T09:00:00Z', timestamp: '2026-05-01T10:00:00Z' }
  const relayed = { event: 'x', userId: 'u', receivedAt: '2026-05-01T10:00:01Z', ...times }
  expect(eventOf(readTrack(relayed)).tsClient).toBe(Date.UTC(2026, 4, 1, 9))
})

test('the time that the caller gave outranks the time of the call', () => {
  const times = { originalTimestamp: '2026-05-01T10:00:00Z', timestamp: '2026-05-01T09:00:00Z' }
  expect(eventOf(readTrack({ event: 'x', userId: 'u', ...times })).tsClient).toBe(Date.UTC(2026, 4, 1, 9))
})

test('an alias is handed over as what it is', () => {
  const alias = { previousId: 'a-1', userId: 'u-1', eventId: 'm-1', findings: [] }
  expect(readTrack({ type: 'alias', previousId: 'a-1', userId: 'u-1', messageId: 'm-1' })).toEqual({
    kind: 'alias',
    alias,
  })
  expect(readTrack({ from: 'a-1', to: 'u-1', event_id: 'm-1' }, { type: 'alias' })).toEqual({
    kind: 'alias',
    alias,
  })
})

test('a visitor id made by the endpoint is marked as such and made only if the event names no one', () => {
  let asked = 0
  const fallbackAnonymousId = () => `day-${++asked}`
  const unnamed = eventOf(readIngest({ type: 'click', element: 'x' }, { fallbackAnonymousId }))
  expect(unnamed).toMatchObject({ anonymousId: 'day-1', isAnonymousIdDerived: true })
  const named = eventOf(readIngest({ type: 'click', element: 'x', userId: 'u' }, { fallbackAnonymousId }))
  expect(named).toMatchObject({ anonymousId: undefined, userId: 'u', isAnonymousIdDerived: false })
  expect(asked).toBe(1)
})

test('the url of an ingest item is a property and also the page', () => {
  const { page, properties } = eventOf(
    readIngest({ type: 'click', url: 'https://shop.example/cart?x=1', element: 'buy' }),
  )
  expect(properties.url).toBe('https://shop.example/cart?x=1')
  expect(page).toMatchObject({ url: 'https://shop.example/cart?x=1', path: '/cart' })
})

test('traits of an identify call are kept with the event', () => {
  const event = eventOf(readTrack({ type: 'identify', userId: 'u', traits: { plan: 'pro' } }))
  expect(event.traits).toEqual({ plan: 'pro' })
})

test.each([
  ['https://shop.example/a/b?c=1#d', '/a/b'],
  ['https://shop.example', '/'],
  ['https://shop.example?x=1', '/'],
  ['/a?b', '/a'],
  ['a/b', 'a/b'],
  ['', '/'],
  ['?x', '/'],
])('the path of %j is %s', (url, path) => {
  expect(pathOf(url)).toBe(path)
})

const noon = Date.UTC(2026, 4, 1, 12)
test.each<[unknown, number | undefined]>([
  ['2026-05-01T12:00:00Z', noon],
  ['2026-05-01t12:00:00z', noon],
  ['2026-05-01 12:00:00Z', noon],
  ['2026-05-01T15:00:00+03:00', noon],
  ['2026-05-01T15:00:00+0300', noon],
  ['2026-05-01T06:30:00-05:30', noon],
  ['2026-05-01T12:00:00.123456789Z', noon + 123],
  ['2026-05-01T11:59:60Z', noon],
  ['2026-05-01T12:00Z', noon],
  [' 1777636800 ', noon],
  [1777636800, noon],
  [1777636800.5, noon + 500],
  [1777636800000, noon],
  ['1777636800000', noon],
  [0, 0],
  [-1, -1000],
  ['2024-02-29T00:00:00Z', Date.UTC(2024, 1, 29)],
  ['2026-02-29T00:00:00Z', undefined],
  ['2026-13-01T00:00:00Z', undefined],
  ['2026-00-01T00:00:00Z', undefined],
  ['2026-05-01T24:00:00Z', undefined],
  ['2026-05-01T12:60:00Z', undefined],
  ['2026-05-01T12:00:00+25:00', undefined],
  ['01.05.2026', undefined],
  ['Fri, 01 May 2026 12:00:00 GMT', undefined],
  ['', undefined],
  [Number.NaN, undefined],
  [Number.POSITIVE_INFINITY, undefined],
  [1e18, undefined],
  [true, undefined],
  [{}, undefined],
])('the time %j is read as %s', (sent, expected) => {
  expect(readTime(sent)?.ms).toBe(expected)
})

test('a time without a zone is read as UTC and says that this was assumed', () => {
  expect(readTime('2026-05-01T12:00:00')).toEqual({ ms: noon, isZoneAssumed: true })
  expect(readTime('2026-05-01')).toEqual({ ms: Date.UTC(2026, 4, 1), isZoneAssumed: true })
})
