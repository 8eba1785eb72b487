import { batch, getOverview, type Overview } from '@assay/contract'
import fc from 'fast-check'
import { Temporal } from 'temporal-polyfill'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWorld, type World } from '../testing/harness.ts'

let world: World
/** After everything that is sent: what claims to come from the future is moved to its arrival. */
const clock = { ms: Temporal.Instant.from('2027-01-10T12:00:00Z').epochMilliseconds }

beforeAll(async () => {
  world = await startWorld({ now: () => clock.ms })
})
afterAll(() => world?.close())

const browser =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36'
const crawler = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'

type Kind = 'view' | 'login' | 'signup' | 'purchase' | 'refund' | 'unknown' | 'broken'
type Sent = {
  kind: Kind
  visitor: number
  id: number
  minutesLater: number
  amount: number
  currency: 'EUR' | 'USD'
  order: number
  isBot: boolean
}

const sent: fc.Arbitrary<Sent> = fc.record({
  kind: fc.constantFrom<Kind>(
    'view',
    'view',
    'view',
    'login',
    'signup',
    'purchase',
    'purchase',
    'refund',
    'unknown',
    'broken',
  ),
  visitor: fc.integer({ min: 1, max: 4 }),
  id: fc.integer({ min: 1, max: 60 }),
  minutesLater: fc.constantFrom(0, 1, 7, 29, 31, 300, 1500),
  amount: fc.integer({ min: 1, max: 99_999 }).map((cents) => cents / 100),
  currency: fc.constantFrom('EUR', 'EUR', 'USD'),
  order: fc.integer({ min: 1, max: 5 }),
  isBot: fc.constantFrom(false, false, false, false, true),
})

const names = {
  view: '$pageview',
  login: '$login',
  signup: '$signup',
  purchase: '$purchase',
  refund: '$refund',
  unknown: 'no_such_event',
  broken: '$login',
} as const

function wire(event: Sent, tsMs: number): object {
  const money = { amount: event.amount, currency: event.currency, order_id: `o${event.order}` }
  const properties = {
    view: { url: `https://shop.example/p${event.visitor}`, title: 'P' },
    login: { method: 'x' },
    signup: { method: 'x' },
    purchase: money,
    refund: money,
    unknown: {},
    broken: {},
  }[event.kind]
  return {
    event: names[event.kind],
    event_id: `e${event.id}`,
    anonymous_id: `v${event.visitor}`,
    ts: new Date(tsMs).toISOString(),
    historical: true,
    properties,
    context: { userAgent: event.isBot ? crawler : browser },
  }
}

type Counted = Sent & { tsMs: number; session: string }

/** The same rules in the plainest way there is: one pass in memory. */
function model(events: readonly { event: Sent; tsMs: number }[]): {
  counted: Counted[]
  held: number
  rejected: number
} {
  const ids = new Set<number>()
  const orders = new Set<number>()
  const sessions = new Map<number, { name: string; last: number }>()
  const counted: Counted[] = []
  let held = 0
  let rejected = 0
  for (const { event, tsMs } of events) {
    if (event.kind === 'broken') {
      rejected++
      continue
    }
    if (ids.has(event.id)) continue
    ids.add(event.id)
    const session = sessions.get(event.visitor)
    const goesOn = session !== undefined && tsMs - session.last <= 30 * 60_000
    const current = { name: goesOn ? session.name : `${event.visitor}/${tsMs}`, last: tsMs }
    sessions.set(event.visitor, current)
    if (event.kind === 'unknown') {
      held++
      continue
    }
    // A bot's purchase is not counted, so it takes no order from one that is.
    if (event.kind === 'purchase' && !event.isBot) {
      if (orders.has(event.order)) continue
      orders.add(event.order)
    }
    counted.push({ ...event, tsMs, session: current.name })
  }
  return { counted, held, rejected }
}

const conversionKinds: readonly Kind[] = ['purchase', 'signup']

type Figures = Omit<Overview['metrics'], 'currency' | 'reasons'>

function metricsOf(counted: readonly Counted[]): Figures {
  const bySession = Map.groupBy(counted, (event) => event.session)
  const sessions = [...bySession.values()]
  const share = (count: number) => (sessions.length === 0 ? null : count / sessions.length)
  const durations = sessions.map(
    (events) => Math.max(...events.map((e) => e.tsMs)) - Math.min(...events.map((e) => e.tsMs)),
  )
  const isConversion = (event: Counted) => conversionKinds.includes(event.kind)
  return {
    visitors: new Set(counted.map((event) => event.visitor)).size,
    sessions: sessions.length,
    pageviews: counted.filter((event) => event.kind === 'view').length,
    events: counted.length,
    bounceRate: share(sessions.filter((events) => events.length === 1).length),
    avgSessionMs: share(durations.reduce((sum, duration) => sum + duration, 0)),
    conversions: counted.filter(isConversion).length,
    conversionRate: share(sessions.filter((events) => events.some(isConversion)).length),
    revenue: revenueOf(counted, 'EUR'),
  }
}

function revenueOf(counted: readonly Counted[], currency: string): number {
  const signed = counted
    .filter((event) => event.currency === currency && (event.kind === 'purchase' || event.kind === 'refund'))
    .map((event) => Math.round(event.amount * 100) * (event.kind === 'refund' ? -1 : 1))
  return signed.reduce((sum, cents) => sum + cents, 0) / 100
}

function expectClose(actual: Overview['metrics'], expected: Figures): void {
  const near = Object.entries(expected).map(([name, value]) => [
    name,
    value === null ? null : expect.closeTo(value, 6),
  ])
  expect(actual).toMatchObject(Object.fromEntries(near))
}

describe('the overview', () => {
  test('equals a plain count in memory, for any sequence of batches, in any time zone', async () => {
    const zones = [
      'UTC',
      'Europe/Berlin',
      'America/New_York',
      'Asia/Kolkata',
      'Pacific/Apia',
      'America/St_Johns',
    ]
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(sent, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 5 }),
        fc.constantFrom(...zones),
        fc.constantFrom('2026-03-27T20:10:00Z', '2026-10-23T20:10:00Z', '2026-11-01T00:00:00Z'),
        async (batches, timezone, startsAt) => {
          const shop = await world.newWorkspace({ timezone, preset: 'strict' })
          let tsMs = Temporal.Instant.from(startsAt).epochMilliseconds
          const all: { event: Sent; tsMs: number }[] = []
          for (const events of batches) {
            const timed = events.map((event) => {
              tsMs += event.minutesLater * 60_000
              return { event, tsMs }
            })
            all.push(...timed)
            const answer = await shop.call(batch, {
              body: { batch: timed.map((one) => wire(one.event, one.tsMs)) },
            })
            expect(answer.status).toBe(200)
          }
          await shop.settle()
          const query = {
            siteId: shop.siteId,
            from: '2026-03-01',
            // Sixty events, a day and an hour apart at most, from November on.
            to: '2027-01-09',
            interval: 'day',
          } as const
          const { body } = await shop.call(getOverview, { query })
          const { counted, held, rejected } = model(all)
          const people = counted.filter((event) => !event.isBot)
          expectClose(body.metrics, metricsOf(people))
          expect(body.otherCurrencies.find((row) => row.currency === 'USD')?.revenue ?? 0).toBeCloseTo(
            revenueOf(people, 'USD'),
            6,
          )
          expect(body.dataQuality).toMatchObject({ quarantined: held, rejected })
          expect(body.dataQuality.botShare).toEqual(
            counted.length === 0 ? null : expect.closeTo(1 - people.length / counted.length, 6),
          )
          expectSeries(body, people, timezone)
          expectBreakdowns(body, people)
        },
      ),
      { numRuns: 12, endOnFailure: true },
    )
  }, 240_000)

  test('says nothing and divides by nothing where there is nothing', async () => {
    const shop = await world.newWorkspace()
    const { body } = await shop.call(getOverview, { query: { siteId: shop.siteId } })
    expect(body.metrics).toMatchObject({
      visitors: 0,
      sessions: 0,
      pageviews: 0,
      bounceRate: null,
      avgSessionMs: null,
      conversionRate: null,
      revenue: 0,
      reasons: { bounceRate: 'There are no sessions.' },
    })
    expect(body.series).toHaveLength(30)
    expect(body.dataQuality).toMatchObject({ quarantined: 0, botShare: null })
  })

  test('says why a figure has no meaning under a filter', async () => {
    const shop = await world.newWorkspace()
    const query = { siteId: shop.siteId, event: '$search', country: 'de' }
    const { metrics, dataQuality, series } = (await shop.call(getOverview, { query })).body
    expect(metrics).toMatchObject({ events: 0, pageviews: null, bounceRate: null })
    expect(metrics.reasons).toMatchObject({
      pageviews: 'Only $search events match the filters.',
      bounceRate: 'No session matches the filters.',
    })
    expect(dataQuality).toMatchObject({ warned: null, quarantined: null, rejected: null })
    expect(dataQuality.reasons.rejected).toBeDefined()
    expect(series.every(({ pageviews }) => pageviews === null)).toBe(true)
  })

  test.each([
    { window: '7d', points: 7 },
    { window: '30d', points: 30 },
    { window: '24h', points: 25 },
    { window: '1d', points: 13 },
  ])('of $window has $points points, the last of which still runs', async ({ window, points }) => {
    const shop = await world.newWorkspace()
    const { body } = await shop.call(getOverview, { query: { siteId: shop.siteId, window } })
    expect(body.series).toHaveLength(points)
    expect(body.series.at(-1)?.isComplete).toBe(false)
    expect(body.period.includesToday).toBe(true)
    const whole = body.series.slice(window === '24h' ? 1 : 0, -1)
    expect(whole.every(({ isComplete }) => isComplete)).toBe(true)
  })

  test.each([
    { from: '2026-01-02', to: '2026-01-01' },
    { from: 'yesterday' },
    { window: '0d' },
    { window: '401d' },
    { from: '2024-01-01', to: '2026-01-01' },
    { timezone: 'Mars/Olympus' },
    { window: '30d', interval: 'week' },
    { window: '400d', interval: 'hour' },
    { window: '30d', from: '2026-01-01' },
    { surprise: '1' },
  ])('refuses %o with the parameter named', async (extra) => {
    const shop = await world.newWorkspace()
    // boundary: on purpose not what the route takes.
    const query = { siteId: shop.siteId, ...extra } as { siteId: string }
    const answer = await shop.call(getOverview, { query })
    expect(answer.status).toBe(422)
    expect(answer.problem.errors?.length).toBeGreaterThan(0)
  })
})

/** Days by the calendar of the zone, calculated independently with Temporal. */
function expectSeries(body: Overview, people: readonly Counted[], timezone: string): void {
  const dayOf = (ms: number) =>
    Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timezone).toPlainDate().toString()
  const byDay = Map.groupBy(people, (event) => dayOf(event.tsMs))
  for (const point of body.series) {
    const events = byDay.get(dayOf(Date.parse(point.start))) ?? []
    expect(point.events, point.start).toBe(events.length)
    expect(point.visitors, point.start).toBe(new Set(events.map((event) => event.visitor)).size)
    expect(point.sessions, point.start).toBe(new Set(events.map((event) => event.session)).size)
    expect(point.revenue, point.start).toBeCloseTo(revenueOf(events, 'EUR'), 6)
  }
  expect(body.series.reduce((sum, point) => sum + point.events, 0)).toBe(people.length)
}

function expectBreakdowns(body: Overview, people: readonly Counted[]): void {
  const views = Map.groupBy(
    people.filter((event) => event.kind === 'view'),
    (event) => `/p${event.visitor}`,
  )
  expect(new Map(body.breakdowns.pages.map((row) => [row.key, row.events]))).toEqual(
    new Map([...views].map(([path, events]) => [path, events.length])),
  )
  const byName = Map.groupBy(people, (event) => names[event.kind])
  expect(new Map(body.breakdowns.events.map((row) => [row.key, row.visitors]))).toEqual(
    new Map([...byName].map(([name, events]) => [name, new Set(events.map((event) => event.visitor)).size])),
  )
}

test('a parameter that is not known is refused with those that are', async () => {
  const shop = await world.newWorkspace()
  const answer = await fetch(`${world.product.url}${getOverview.path}?siteId=${shop.siteId}&windw=7d`, {
    headers: { authorization: `Bearer ${shop.keys.live}` },
  })
  expect(answer.status).toBe(422)
  expect(await answer.json()).toMatchObject({
    detail: expect.stringContaining(
      'windw is not a parameter of this call; window may be meant. It takes: siteId,',
    ),
  })
})

test('a year is compared with the same days of the year before, and nothing in between counts', async () => {
  const shop = await world.newWorkspace({ timezone: 'UTC' })
  const days = ['2026-01-09', '2026-01-10', '2026-06-01', '2027-01-09']
  const events = days.map((day) => ({
    type: 'track',
    event: '$pageview',
    anonymous_id: `visitor of ${day}`,
    historical: true,
    ts: `${day}T10:00:00Z`,
    properties: { url: 'https://shop.example/', title: 'Home' },
  }))
  await shop.call(batch, { body: { batch: events } }, { key: shop.keys.secret })
  await shop.settle()
  const before = async (query: object) => {
    const asked = { siteId: shop.siteId, from: '2027-01-09', to: '2027-01-09', ...query }
    return (await shop.call(getOverview, { query: asked })).body.previous
  }
  const year = await before({ compare: 'year' })
  expect(year.period).toMatchObject({ from: '2026-01-09T00:00:00.000Z', to: '2026-01-10T00:00:00.000Z' })
  expect([year.metrics.visitors, (await before({})).metrics.visitors]).toEqual([1, 0])
  expect((await before({ compare: 'year', device: 'desktop' })).metrics.visitors).toBe(0)
  const long = { siteId: shop.siteId, from: '2026-01-01', to: '2027-01-09', compare: 'year' as const }
  expect((await shop.call(getOverview, { query: long })).problem).toMatchObject({
    errors: [{ field: 'compare' }],
  })
})
