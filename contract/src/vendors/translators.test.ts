import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readTrack } from '../gate/envelope/track-envelope.ts'
import { translators } from './index.ts'

const clients = Object.entries(translators)
const nowMs = 1_782_864_000_000

/** Names that the translators look for, so that generated bodies reach every branch. */
const names = [
  'event', 'properties', 'distinct_id', 'batch', 'events', 'api_key', 'token', '$set', '$elements', '$exception_list',
  'stacktrace', 'frames', 'payload', 'data', 'website', 'screen', 'name', 'n', 'u', 'd', 'p', '$', 'params', 'user_id',
  'user_properties', 'event_type', 'event_properties', 'groups', 'time', 'requests', 'ec_id', 'ec_items', 'cdt', 'e_a',
] // biome-ignore format: a list
const values = [
  '$identify',
  '$create_alias',
  '$autocapture',
  '$exception',
  'pageview',
  'engagement',
  '?a=1&ec_id=2',
  '[[1]]',
]

const { value: json } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.jsonValue({ maxDepth: 1 }),
    fc.constantFrom(...values),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...names), tie('value'), { maxKeys: 5 }),
  ),
}))

describe('a translator', () => {
  test.each(clients)(
    'of %s has an answer for any body and query, which the gate can read',
    (_, translate) => {
      fc.assert(
        fc.property(json, fc.dictionary(fc.constantFrom(...names), fc.string()), (body, query) => {
          const { key, calls } = translate({ body, query, nowMs })
          expect(key === null || typeof key === 'string').toBe(true)
          for (const call of calls) expect(['event', 'alias', 'unreadable']).toContain(readTrack(call).kind)
        }),
      )
    },
  )

  test('refuses a million events before it translates any', () => {
    const events = Array.from({ length: 1_000_000 }, () => ({}))
    for (const name of [
      'posthog',
      'amplitude',
      'ga4',
      'mixpanel',
      'mixpanelPeople',
      'matomo',
      'batch',
    ] as const) {
      const bodies = { amplitude: { events }, ga4: { events }, matomo: { requests: events } }
      const body = Object.entries(bodies).find(([one]) => one === name)?.[1] ?? events
      const startedMs = performance.now()
      expect(() => translators[name]({ body, query: {}, nowMs })).toThrow('over the limit of 2000')
      expect(performance.now() - startedMs).toBeLessThan(100)
    }
  })

  test('never makes more than two calls of an event', () => {
    fc.assert(
      fc.property(fc.array(json, { maxLength: 20 }), (events) => {
        for (const [, translate] of clients) {
          for (const body of [events, { batch: events }, { events }, { requests: events }]) {
            const { calls } = translate({ body, query: {}, nowMs })
            expect(calls.length).toBeLessThanOrEqual(2 * events.length + 1)
          }
        }
      }),
    )
  })
})

const posthog = (event: object) =>
  translators.posthog({ body: { batch: [event] }, query: {}, nowMs }).calls[0]

describe('PostHog’s ids', () => {
  test.each([
    [
      'a UUID is a visitor',
      { distinct_id: '0190b5a0-0000-7000-8000-000000000000' },
      { anonymousId: '0190b5a0-0000-7000-8000-000000000000' },
    ],
    ['another id is a user', { distinct_id: 'u1' }, { userId: 'u1' }],
    [
      'of someone who is not identified is a visitor',
      { distinct_id: 'v1', properties: { $is_identified: false } },
      { anonymousId: 'v1' },
    ],
    [
      'a user may have a device',
      { distinct_id: 'u1', properties: { $device_id: 'd1' } },
      { userId: 'u1', anonymousId: 'd1' },
    ],
  ])('%s', (_, event, ids) => {
    const { userId, anonymousId } = posthog({ event: 'x', ...event }) ?? {}
    expect({ userId, anonymousId }).toEqual({ userId: undefined, anonymousId: undefined, ...ids })
  })

  test('before and after a sign-in are of one person', () => {
    const properties = {
      $anon_distinct_id: 'd1',
      $set: { plan: 'pro' },
      $set_once: { plan: 'free', first: 'x' },
    }
    expect(posthog({ event: '$identify', distinct_id: 'u1', properties })).toMatchObject({
      type: 'identify',
      userId: 'u1',
      anonymousId: 'd1',
      traits: { plan: 'pro', first: 'x' },
    })
  })
})

test('an error of PostHog has its name, its message and where it was', () => {
  const frames = [{ function: 'inner', filename: 'a.js', lineno: 3, colno: 7 }]
  const properties = { $exception_list: [{ type: 'TypeError', value: 'x is null', stacktrace: { frames } }] }
  expect(posthog({ event: '$exception', distinct_id: 'u1', properties })).toMatchObject({
    event: 'error',
    properties: { name: 'TypeError', message: 'x is null', stack: 'at inner (a.js:3:7)' },
  })
})

test('an order of Matomo, an event, a search, a download and a goal keep what they say', () => {
  const requests = [
    '?ec_id=o1&revenue=12.5&ec_items=[["s1","Shoes","",12.5,1]]',
    '?e_c=video&e_a=play&e_n=intro&e_v=3',
    '?search=shoes&search_count=7',
    '?download=https://shop.example/a.pdf',
    '?idgoal=4&revenue=2',
    '?ping=1',
  ]
  const { calls } = translators.matomo({ body: { requests }, query: {}, nowMs })
  expect(calls.map(({ event, properties }) => [event, properties])).toEqual([
    [
      '$purchase',
      {
        order_id: 'o1',
        amount: 12.5,
        items: [{ sku: 's1', name: 'Shoes', category: '', price: 12.5, qty: 1 }],
      },
    ],
    ['play', { category: 'video', name: 'intro', value: 3 }],
    ['$search', { query: 'shoes', result_count: 7 }],
    ['$download', { file_url: 'https://shop.example/a.pdf' }],
    ['goal_4', { amount: 2 }],
  ])
})

test('what is of the past is marked as such, where the other tool says so', () => {
  const batch = [{ event: 'x', distinct_id: 'u1' }]
  const marked = (body: object) => translators.posthog({ body, query: {}, nowMs }).calls[0]?.historical
  expect([marked({ batch }), marked({ batch, historical_migration: true })]).toEqual([undefined, true])
  const requests = ['?url=a', '?url=a&cdt=1577836800']
  const { calls } = translators.matomo({ body: { requests }, query: {}, nowMs })
  expect(calls.map(({ historical }) => historical)).toEqual([undefined, true])
})
