import type { TimelineEvent } from '@assay/contract'
import { expect, test } from 'vitest'
import { byDayAndVisit, pathOf } from './visits.ts'

const event = (event_id: string, ts: string, session_id: string): TimelineEvent => ({
  event_id,
  ts,
  session_id,
  site_id: 'site_1',
  received_at: ts,
  name: '$pageview',
  sent_name: '$pageview',
  verdict: { outcome: 'accept', issues: [] },
  source: { endpoint: 'track', surface: 'web', sdk: '', channel: '', referrer: '' },
  identified_by: { person_id: 'p', user_id: null, anonymous_id: null },
  url: '',
  title: '',
  counted: true,
  amount: null,
  currency: null,
  properties: {},
})

test('a timeline is grouped by day, and within a day by visits that follow each other', () => {
  const days = byDayAndVisit(
    [
      event('e5', '2026-03-02T09:00:00Z', 'b'),
      event('e4', '2026-03-02T08:00:00Z', 'b'),
      event('e3', '2026-03-02T07:00:00Z', 'a'),
      event('e2', '2026-03-02T06:00:00Z', 'b'),
      event('e1', '2026-03-01T23:00:00Z', 'b'),
    ],
    (time) => time.slice(0, 10),
  )
  expect(
    days.map(({ day, visits }) => [day, visits.map(({ events }) => events.map(({ event_id }) => event_id))]),
  ).toEqual([
    ['2026-03-02', [['e5', 'e4'], ['e3'], ['e2']]],
    ['2026-03-01', [['e1']]],
  ])
})

test('an address is shown by its path', () => {
  expect(pathOf('https://shop.example/cart?token=1#top')).toBe('/cart')
  expect(pathOf('https://app.example/#/settings')).toBe('/#/settings')
  expect([pathOf('/cart'), pathOf('')]).toEqual(['/cart', ''])
})
