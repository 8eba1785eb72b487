import { describe, expect, test } from 'vitest'
import { dayMs } from '../../platform/units.ts'
import { makeTraffic } from '../traffic.ts'
import { siteTally } from './tally.ts'

const toMs = Date.UTC(2026, 5, 4, 18)
const demoDays = 30

type Counts = { sessions: Set<string>; visitors: Set<string> }

/** Sessions and visitors of each span of so many days, the latest first. */
function countSpans(seed: number, events: number, spanDays: number): Counts[] {
  const traffic = makeTraffic({ seed, events, fromMs: toMs - demoDays * dayMs, toMs, sites: ['shop'] })
  const spans: Counts[] = []
  for (const { wire, tsMs, isBot } of traffic.events) {
    if (isBot || wire.session_id === undefined || wire.anonymous_id === undefined) continue
    const index = Math.floor((toMs - tsMs - 1) / (spanDays * dayMs))
    spans[index] ??= { sessions: new Set(), visitors: new Set() }
    spans[index].sessions.add(wire.session_id)
    spans[index].visitors.add(wire.anonymous_id)
  }
  return spans
}

describe('a month of a demo', () => {
  test.each([
    { spanDays: 7, events: 12_000 },
    { spanDays: 14, events: 12_000 },
    { spanDays: 14, events: 60_000 },
  ])(
    'has as many visitors to a session in one span of $spanDays days as in the one before, with $events events',
    ({ spanDays, events }) => {
      for (const seed of [1, 2, 3, 7, 11]) {
        const [now, before] = countSpans(seed, events, spanDays)
        if (now === undefined || before === undefined) throw new Error('a demo has two such spans')
        const visitors = now.visitors.size / before.visitors.size
        const sessions = now.sessions.size / before.sessions.size
        expect(Math.abs(visitors / sessions - 1), `seed ${seed}`).toBeLessThan(0.1)
      }
    },
  )

  test('counts a visitor when they first come, though they may have been here before', () => {
    const traffic = makeTraffic({
      seed: 7,
      events: 12_000,
      fromMs: toMs - demoDays * dayMs,
      toMs,
      sites: ['shop'],
      badShare: 0,
    })
    const visitors = new Set<string>()
    for (const { wire, isBot } of traffic.events) {
      if (!isBot && wire.anonymous_id !== undefined) visitors.add(wire.anonymous_id)
    }
    expect(siteTally(traffic.tally, 'shop').visitors).toBe(visitors.size)
  })
})
