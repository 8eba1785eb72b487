import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sessionIdOf } from './session.ts'
import type { SessionRow, Sessions } from './sessions.ts'
import { createSessions } from './sessions.ts'

const minute = 60_000
const idleMsMax = 30 * minute

const sessionsFor = (visitorsMax = 1_000): Sessions => createSessions({ idleMsMax, visitorsMax })

/** Assigns events of one visitor at these minutes and answers the ids as letters in the order they first came. */
function lettersOf(sessions: Sessions, minutes: readonly number[]): string {
  const letters = new Map<string, string>()
  return minutes
    .map((at) => {
      const { sessionId } = sessions.assign('site', 'visitor', at * minute)
      if (!letters.has(sessionId)) letters.set(sessionId, String.fromCharCode(97 + letters.size))
      return letters.get(sessionId)
    })
    .join('')
}

test.each([
  ['one visit', [0, 1, 20, 45], 'aaaa'],
  ['a pause of exactly the idle time', [0, 30, 60], 'aaa'],
  ['a longer pause', [0, 30.001, 31], 'abb'],
  ['a late event within the visit', [0, 20, 10], 'aaa'],
  [
    'a late event before the visit, within the idle time, after which the visit reaches back',
    [60, 40, 12],
    'aaa',
  ],
  ['a late event of the previous visit, which leaves the current one current', [0, 100, 5, 101], 'abab'],
  ['a late event between two visits joins the current one first', [0, 55, 28], 'abb'],
  [
    'a late event that belongs to neither begins its own and leaves the current one current',
    [100, 0, 130, 5],
    'abab',
  ],
  ['the nearest of two earlier visits', [0, 50, 200, 22], 'abca'],
  ['the fourth visit back is still remembered', [0, 100, 200, 300, 1], 'abcda'],
  ['the fifth is not', [0, 100, 200, 300, 400, 1], 'abcdef'],
  [
    'an old visit that comes in late, event by event, stays one',
    [900, 0, 10, 300, 310, 600, 610, 20, 905],
    'abbccddba',
  ],
])('sessions by event time: %s', (_, minutes, expected) => {
  expect(lettersOf(sessionsFor(), minutes)).toBe(expected)
})

test('a given session id wins over any pause, becomes the current one, and is new only once', () => {
  const sessions = sessionsFor()
  const { sessionId: own } = sessions.assign('site', 'visitor', 0)
  expect(sessions.assign('site', 'visitor', 1 * minute, 'mine')).toEqual({ sessionId: 'mine', isNew: true })
  expect(sessions.assign('site', 'visitor', 2 * minute)).toEqual({ sessionId: 'mine', isNew: false })
  expect(sessions.assign('site', 'visitor', 500 * minute, 'mine')).toEqual({
    sessionId: 'mine',
    isNew: false,
  })
  expect(sessions.assign('site', 'visitor', 501 * minute, own)).toEqual({ sessionId: own, isNew: false })
  expect(sessions.assign('site', 'visitor', 502 * minute)).toEqual({ sessionId: own, isNew: false })
  expect(sessions.assign('site', 'other', 502 * minute, 'theirs')).toEqual({
    sessionId: 'theirs',
    isNew: true,
  })
})

test('sites and visitors are kept apart', () => {
  const sessions = sessionsFor()
  const pairs: [string, string][] = [
    ['s1', 'v1'],
    ['s1', 'v2'],
    ['s2', 'v1'],
  ]
  const ids = pairs.map(([site, visitor]) => sessions.assign(site, visitor, 0).sessionId)
  expect(new Set(ids).size).toBe(3)
  expect(pairs.map(([site, visitor]) => sessions.assign(site, visitor, 1).sessionId)).toEqual(ids)
})

test('an id is short, says what it is, and follows from site, visitor and first time alone', () => {
  expect(sessionIdOf('site_1', 'visitor', 1_000)).toMatch(/^ses_[0-9a-f]{16}$/)
  expect(sessionIdOf('site_1', 'visitor', 1_000)).toBe(sessionIdOf('site_1', 'visitor', 1_000))
  expect(sessionIdOf('site_1', 'visitor', 1_001)).not.toBe(sessionIdOf('site_1', 'visitor', 1_000))
})

test('an id maker of the caller’s own is asked once for each new session', () => {
  const asked: unknown[] = []
  const newSessionId = (...about: unknown[]) => `mine_${asked.push(about)}`
  const sessions = createSessions({ idleMsMax, visitorsMax: 10, newSessionId })
  const ids = [0, 10, 60].map((at) => sessions.assign('site', 'visitor', at * minute).sessionId)
  expect(ids).toEqual(['mine_1', 'mine_1', 'mine_2'])
  expect(asked).toEqual([
    ['site', 'visitor', 0],
    ['site', 'visitor', 60 * minute],
  ])
})

test('no more visitors than allowed are remembered, and the longest inactive one goes first', () => {
  const sessions = sessionsFor(3)
  for (const visitor of ['a', 'b', 'c']) sessions.assign('site', visitor, 0, `of-${visitor}`)
  sessions.assign('site', 'a', 1)
  sessions.assign('elsewhere', 'd', 2, 'of-d')
  expect(sessions.size).toBe(3)
  expect(['a', 'c'].map((visitor) => sessions.assign('site', visitor, 3).sessionId)).toEqual(['of-a', 'of-c'])
  expect(sessions.assign('site', 'b', 3).isNew).toBe(true)
  expect(sessions.assign('elsewhere', 'd', 3).isNew).toBe(true)
  expect(sessions.size).toBe(3)
})

type Event = { siteId: string; visitorKey: string; ts: number }

/** Many visitors mixed, each in order; pauses crowd around the idle time, where a mistake would show. */
const inOrderStream = fc
  .array(
    fc.record({
      siteId: fc.constantFrom('s1', 's2'),
      visitorKey: fc.constantFrom('v1', 'v2', 'v3'),
      pauseMs: fc.oneof(fc.nat({ max: minute }), fc.integer({ min: idleMsMax - 2, max: idleMsMax + 2 })),
    }),
    { maxLength: 200 },
  )
  .map((steps) => {
    let ts = 1_700_000_000_000
    return steps.map(({ siteId, visitorKey, pauseMs }): Event => {
      ts += pauseMs
      return { siteId, visitorKey, ts }
    })
  })

/** The definition: a session ends where a visitor's next event is more than the idle time away. */
function byDefinition(events: readonly Event[]): number[] {
  const last = new Map<string, { ts: number; first: number }>()
  return events.map(({ siteId, visitorKey, ts }, index) => {
    const key = `${siteId} ${visitorKey}`
    const previous = last.get(key)
    const first = previous !== undefined && ts - previous.ts <= idleMsMax ? previous.first : index
    last.set(key, { ts, first })
    return first
  })
}

const assignAll = (sessions: Sessions, events: readonly Event[]): string[] =>
  events.map(({ siteId, visitorKey, ts }) => sessions.assign(siteId, visitorKey, ts).sessionId)

test('events in order get exactly the sessions of the 30-minute definition, and the same ids when replayed', () => {
  fc.assert(
    fc.property(inOrderStream, (events) => {
      const ids = assignAll(sessionsFor(), events)
      const firstOf = new Map<string, number>()
      for (const [index, id] of ids.entries()) if (!firstOf.has(id)) firstOf.set(id, index)
      expect(ids.map((id) => firstOf.get(id))).toEqual(byDefinition(events))
      expect(assignAll(sessionsFor(), events)).toEqual(ids)
    }),
  )
})

test('a restart at any moment changes no session', () => {
  fc.assert(
    fc.property(inOrderStream, fc.nat({ max: 200 }), fc.boolean(), (events, at, isSplit) => {
      const before = events.slice(0, at)
      const ids = assignAll(sessionsFor(), events)
      const restored = sessionsFor()
      const half = Math.floor(before.length / 2)
      const parts = isSplit ? [before.slice(0, half), before.slice(half)] : [before]
      const starts = isSplit ? [0, half] : [0]
      restored.restore(parts.flatMap((part, index) => rowsOf(part, ids.slice(starts[index]))))
      expect(assignAll(restored, events.slice(at))).toEqual(ids.slice(at))
    }),
  )
})

/** One row a session, newest first, as a store might answer. */
function rowsOf(events: readonly Event[], ids: readonly string[]): SessionRow[] {
  const rows = new Map<string, SessionRow>()
  for (const [index, { siteId, visitorKey, ts }] of events.entries()) {
    const sessionId = ids[index] ?? ''
    const row = rows.get(sessionId)
    rows.set(sessionId, { siteId, visitorKey, sessionId, firstTs: row?.firstTs ?? ts, lastTs: ts })
  }
  return [...rows.values()].reverse()
}

test('whatever comes in whatever order, an event lies within the idle time of the session it joined', () => {
  const event = fc.record({
    ts: fc.integer({ min: 0, max: 400 * minute }),
    given: fc.option(fc.constantFrom('x', 'y'), { nil: undefined, freq: 8 }),
  })
  fc.assert(
    fc.property(fc.array(event, { maxLength: 100 }), (events) => {
      const sessions = sessionsFor()
      const ranges = new Map<string, { first: number; last: number }>()
      for (const { ts, given } of events) {
        const { sessionId, isNew } = sessions.assign('site', 'visitor', ts, given)
        const range = ranges.get(sessionId) ?? { first: ts, last: ts }
        if (given === undefined && !isNew) {
          expect(Math.max(range.first - ts, ts - range.last)).toBeLessThanOrEqual(idleMsMax)
        }
        ranges.set(sessionId, { first: Math.min(range.first, ts), last: Math.max(range.last, ts) })
      }
    }),
  )
})

test('only the visitors of a deleted site are evicted', () => {
  const sessions = sessionsFor(3)
  for (const [site, visitor] of [
    ['gone', 'a'],
    ['stays', 'b'],
    ['gone', 'c'],
  ] as const) {
    sessions.assign(site, visitor, 0)
  }
  sessions.forget('gone')
  sessions.forget('never seen')
  expect(sessions.size).toBe(1)
  expect(sessions.assign('gone', 'a', minute).isNew).toBe(true)
  expect(sessions.assign('stays', 'b', minute).isNew).toBe(false)
  // The chain from the least to the most recently active one is still whole: b stays, a goes.
  for (const visitor of ['d', 'e']) sessions.assign('stays', visitor, minute)
  expect(sessions.assign('stays', 'b', minute).isNew).toBe(false)
})

test('visitors with the longest identifiers take no more memory than many usual ones, also when restored', () => {
  const charactersMax = 100_000
  const long = (kind: string, index: number) => `${kind}${index}`.padEnd(512, 'x')
  const held = (fill: (sessions: Sessions) => void) => {
    const sessions = createSessions({ idleMsMax: 1_000, visitorsMax: 100_000, charactersMax })
    fill(sessions)
    return sessions.size * 1_024
  }
  const assigned = held((sessions) => {
    for (let index = 0; index < 5_000; index += 1) {
      sessions.assign('site', long('visitor', index), index, long('session', index))
    }
  })
  const restored = held((sessions) =>
    sessions.restore(
      Array.from({ length: 5_000 }, (_, index) => ({
        siteId: 'site',
        visitorKey: long('visitor', index),
        sessionId: long('session', index),
        firstTs: index,
        lastTs: index,
      })),
    ),
  )
  expect(assigned).toBeGreaterThan(charactersMax / 2)
  expect(assigned).toBeLessThanOrEqual(charactersMax)
  expect(restored).toBe(assigned)
})

test('the most active visitor stays, however many session ids it names', () => {
  const sessions = createSessions({ idleMsMax: 1_000, visitorsMax: 10, charactersMax: 1_000 })
  for (let index = 0; index < 1_000; index += 1) {
    sessions.assign('site', 'one', index, `${index}`.padEnd(512, 'x'))
  }
  expect(sessions.size).toBe(1)
  expect(sessions.assign('site', 'one', 1_000).isNew).toBe(false)
})

test('a person has a session open where they were known last, from its first event until the idle time is over', () => {
  const sessions = sessionsFor()
  const { sessionId } = sessions.assign('site', 'device', 10 * minute)
  expect(sessions.openOf('site', 'ada', 10 * minute)).toBeUndefined()
  sessions.assign('site', 'device', 12 * minute, undefined, 'ada')
  for (const at of [10, 11, 12, 42]) expect(sessions.openOf('site', 'ada', at * minute)).toBe(sessionId)
  for (const at of [9, 43]) expect(sessions.openOf('site', 'ada', at * minute)).toBeUndefined()
  expect(sessions.openOf('other', 'ada', 12 * minute)).toBeUndefined()
  const { sessionId: later } = sessions.assign('site', 'device', 100 * minute, undefined, 'ada')
  expect(sessions.openOf('site', 'ada', 101 * minute)).toBe(later)
  expect(sessions.openOf('site', 'ada', 20 * minute)).toBe(sessionId)
  const { sessionId: elsewhere } = sessions.assign('site', 'phone', 102 * minute, undefined, 'ada')
  expect(sessions.openOf('site', 'ada', 103 * minute)).toBe(elsewhere)
  sessions.assign('site', 'phone', 104 * minute, undefined, 'bob')
  expect(sessions.openOf('site', 'bob', 105 * minute)).toBe(elsewhere)
  expect(sessions.openOf('site', 'ada', 105 * minute)).toBeUndefined()
})

test('who was known on which device goes with the device, and comes back with what is restored', () => {
  const sessions = sessionsFor(2)
  sessions.assign('site', 'a', 0, 'one', 'ada')
  sessions.assign('site', 'b', 0, 'two', 'bob')
  sessions.assign('site', 'c', 0, 'three', 'eve')
  expect(sessions.openOf('site', 'ada', 0)).toBeUndefined()
  expect(sessions.openOf('site', 'bob', 0)).toBe('two')
  sessions.forget('site')
  expect(sessions.openOf('site', 'bob', 0)).toBeUndefined()
  const row = { siteId: 'site', visitorKey: 'b', sessionId: 'two', firstTs: 0, lastTs: minute }
  sessions.restore([{ ...row, personId: 'bob' }, row])
  expect(sessions.openOf('site', 'bob', 31 * minute)).toBe('two')
  expect(sessions.openOf('site', 'bob', 32 * minute)).toBeUndefined()
})

test('long ids of people count against the memory limit', () => {
  const sessions = createSessions({ idleMsMax, visitorsMax: 1_000, charactersMax: 2_000 })
  for (let index = 0; index < 50; index += 1)
    sessions.assign('site', `v${index}`, 0, `s${index}`, `${index}`.padEnd(200, 'x'))
  expect(sessions.size).toBeLessThanOrEqual(10)
})
