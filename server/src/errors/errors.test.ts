import { request as httpRequest } from 'node:http'
import {
  createErrorRule,
  deleteErrorRule,
  getError,
  getOrderValueCorrelation,
  getRevenueImpact,
  listErrorRules,
  listErrors,
  postRevenueImpact,
  previewErrorRule,
  setExchangeRates,
  updateError,
  updateErrorRule,
  type ValueSegment,
} from '@assay/contract'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dayMs, minuteMs } from '../platform/units.ts'
import { type StruckVisit, tallyVisits } from '../testing/error-tally.ts'
import { startWorld, type TestWorkspace, undated, type World } from '../testing/harness.ts'
import { globFits, groupsOf } from './groups.ts'
import type { Estimate } from './impact/impact.ts'
import { orderValues } from './impact/order-value.ts'
import { estimatesOf } from './impact/session-tally.ts'

const clock = { ms: Date.UTC(2026, 10, 10, 12) }
/** `30d` reaches back to the midnight that lies at least 30 days ago. */
const windowFromMs = Date.UTC(2026, 9, 11)
let world: World

beforeAll(async () => {
  world = await startWorld({ now: () => clock.ms })
})
afterAll(() => world?.close())

const agents = {
  desktop:
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36',
  mobile:
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
} as const

let serial = 0
type Sent = { event: string; who: string; ms: number; properties: object; device?: keyof typeof agents }

async function send(shop: TestWorkspace, events: readonly Sent[]): Promise<void> {
  const wired = events.map(({ event, who, ms, properties, device = 'desktop' }) => ({
    event,
    event_id: `err-${serial++}`,
    anonymous_id: who,
    ts: new Date(ms).toISOString(),
    historical: true,
    properties,
    context: { userAgent: agents[device] },
  }))
  await shop.send(wired, { outcomes: ['accept', 'warn'] })
}

/** What differs from visitor to visitor and from build to build, and what is the same problem all along. */
const problems = [
  (n: number) => ({
    name: 'TypeError',
    message: `Cannot read order ${n} of https://eu${n}.shop.example/api/orders?token=${n}`,
    stack: `TypeError: x\n    at submitOrder (https://cdn${n}.example/assets/app.${hash(n)}.js:${n}:${n + 7})\n    at https://cdn${n}.example/vendor-${hash(n).toUpperCase()}.js:1:${n}`,
    release: `1.${n % 3}.0`,
  }),
  (n: number) => ({
    name: 'TypeError',
    message: `Cannot read order ${n} of https://eu${n}.shop.example/api/orders?token=${n}`,
    stack: `TypeError: x\n    at openCart (https://cdn${n}.example/assets/app.${hash(n)}.js:${n}:${n + 7})`,
    release: '2.0.0',
  }),
  (n: number) => ({
    name: 'ChunkLoadError',
    message: `Uncaught ChunkLoadError: Loading chunk ${n} failed. (${hash(n)}${hash(n + 1)})`,
  }),
  (n: number) => ({
    message: `No session for usr_01k9${hash(n)}${hash(n * 3)} of tenant ${n}`,
    name: 'Error',
  }),
]
const hash = (n: number) => ((n * 2_654_435_761) >>> 0).toString(16).padStart(8, '0')

describe('the trend of a group', () => {
  test('compares with as many days before up to the same time of day, and hours with as many hours', async () => {
    const minutesAgo = fc.array(fc.integer({ min: 1, max: 16 * 24 * 60 }), { minLength: 1, maxLength: 60 })
    await fc.assert(
      fc.asyncProperty(minutesAgo, async (agos) => {
        const shop = await world.newWorkspace()
        const times = agos.map((ago) => clock.ms - ago * minuteMs)
        const properties = { message: 'Boom', url: 'https://shop.example/' }
        await send(
          shop,
          times.map((ms, at) => ({ event: 'error', who: `v${at}`, ms, properties })),
        )
        const countIn = (fromMs: number, toMs: number) =>
          times.filter((ms) => ms >= fromMs && ms < toMs).length
        const midnightMs = Date.UTC(2026, 10, 10)
        const cases = [
          { window: '7d', fromMs: midnightMs - 6 * dayMs, beforeMs: 7 * dayMs },
          { window: '24h', fromMs: clock.ms - dayMs, beforeMs: dayMs },
        ]
        for (const { window, fromMs, beforeMs } of cases) {
          const { body } = await shop.call(listErrors, { query: { siteId: shop.siteId, window } })
          const occurrences = countIn(fromMs, clock.ms)
          const previousOccurrences = countIn(fromMs - beforeMs, clock.ms - beforeMs)
          const expected = occurrences === 0 ? [] : [{ occurrences, trend: { previousOccurrences } }]
          expect(body.data).toMatchObject(expected)
        }
      }),
      { numRuns: 6, endOnFailure: true },
    )
  })
})

describe('errors', () => {
  test('are one group where message and stack differ only in what changes anyway', async () => {
    const shop = await world.newWorkspace()
    const numbers = fc.sample(fc.integer({ min: 10, max: 99_999 }), { numRuns: 12, seed: 7 })
    const sent = problems.flatMap((make, at) =>
      numbers.slice(at).map((n, index) => ({
        event: 'error',
        who: `v${index % 5}`,
        ms: clock.ms - (index + 1) * 3_600_000,
        properties: { ...make(n), url: `https://shop.example/checkout/${n}` },
      })),
    )
    await send(shop, sent)
    const { body } = await shop.call(listErrors, { query: { siteId: shop.siteId } })
    expect(body.data.map(({ occurrences }) => occurrences)).toEqual([12, 11, 10, 9])
    const [orders, carts, chunks, sessions] = body.data
    expect(orders).toMatchObject({
      errorGroup: 'TypeError: Cannot read order <n> of /api/orders',
      culprit: 'submitOrder  /assets/app.js < /vendor.js',
      users: 5,
      state: 'open',
      releases: ['1.0.0', '1.1.0', '1.2.0'],
      firstSeenAt: new Date(clock.ms - 12 * 3_600_000).toISOString(),
      lastSeenAt: new Date(clock.ms - 3_600_000).toISOString(),
      trend: { direction: 'up', previousOccurrences: 0 },
    })
    expect(carts?.errorGroup).toBe(orders?.errorGroup)
    expect(chunks?.errorGroup).toBe('ChunkLoadError: Loading chunk <n> failed. (<n>)')
    expect(sessions?.title).toBe('No session for <n> of tenant <n>')
    expect(orders?.trend.series.reduce((total, point) => total + point.occurrences, 0)).toBe(12)
    const one = await shop.call(getError, {
      params: { id: chunks?.id ?? '' },
      query: { siteId: shop.siteId },
    })
    expect(one.body.examples).toHaveLength(5)
    const noted = await world.product.deps.events.query(
      'SELECT uniqExact(error_key) AS groups FROM error_sightings WHERE site_id = {siteId:String}',
      { siteId: shop.siteId },
    )
    expect(Number(noted[0]?.groups)).toBe(4)
    expect(one.body.examples[0]).toMatchObject({
      message: problems[2]?.(numbers[2] ?? 0).message,
      handled: false,
    })
  }, 120_000)

  test('are put together by rules, of which the first that matches wins', async () => {
    const shop = await world.newWorkspace()
    const { siteId } = shop
    const of = (make: (n: number) => object, who: string) => ({
      event: 'error',
      who,
      ms: clock.ms - dayMs,
      properties: { ...make(5), url: 'https://shop.example/' },
    })
    await send(
      shop,
      problems.map((make, at) => of(make, `v${at % 2}`)),
    )
    const wanted = { match: { title: 'Cannot read*' }, errorGroup: 'Orders' }
    const preview = async (body: { ruleId?: string; rule: typeof wanted | null }) =>
      (await shop.call(previewErrorRule, { body: { siteId, ...body } })).body
    const cannotRead = { errorGroup: 'TypeError: Cannot read order <n> of /api/orders' }
    const merging = await preview({ rule: wanted })
    expect(merging).toMatchObject({
      matched: 2,
      groups: [{ errorGroup: 'Orders', isNew: true, from: [cannotRead, cannotRead] }],
      gone: [cannotRead, cannotRead],
    })
    const { body: made } = await shop.call(createErrorRule, { body: { siteId, ...wanted } })
    const swallowed = { siteId, match: { title: '*', type: 'TypeError' }, errorGroup: 'Never' }
    await shop.call(createErrorRule, { body: swallowed })
    const names = async () => {
      const { body } = await shop.call(listErrors, { query: { siteId } })
      return body.data.map(({ errorGroup, occurrences, users }) => [errorGroup, occurrences, users])
    }
    expect(await names()).toContainEqual(['Orders', 2, 2])
    expect(await names()).toHaveLength(3)
    expect((await shop.call(listErrorRules, { query: { siteId } })).body.data).toHaveLength(2)
    // What a rule takes no longer falls to the next one, and what would be gone comes back.
    const changed = { match: { type: 'ChunkLoadError' }, errorGroup: 'Orders' }
    const { body: splitting } = await shop.call(previewErrorRule, {
      body: { siteId, ruleId: made.id, rule: changed },
    })
    expect(splitting).toMatchObject({
      matched: 1,
      gone: [{ errorGroup: expect.stringMatching(/^ChunkLoad/) }],
    })
    expect(splitting.groups.map(({ errorGroup, isNew }) => [errorGroup, isNew]).sort()).toEqual([
      ['Never', true],
      ['Orders', false],
    ])
    const edited = await shop.call(updateErrorRule, { params: { id: made.id }, body: changed })
    expect(edited.body).toEqual({ ...made, ...changed })
    expect(await names()).toContainEqual(['Orders', 1, 1])
    expect(await names()).toContainEqual(['Never', 2, 2])
    expect(await preview({ ruleId: made.id, rule: null })).toMatchObject({
      matched: 0,
      gone: [{ errorGroup: 'Orders' }],
    })
    await shop.call(deleteErrorRule, { params: { id: made.id } })
    expect(await names()).toContainEqual(['Never', 2, 2])
    const missing = await shop.call(previewErrorRule, { body: { siteId, ruleId: made.id, rule: null } })
    expect(missing.status).toBe(404)
  }, 120_000)

  test('that were resolved and come back have regressed; muted ones stay muted', async () => {
    const shop = await world.newWorkspace()
    const { siteId } = shop
    const boom = (ms: number) => ({
      event: 'error',
      who: 'v',
      ms,
      properties: { message: 'Boom', url: 'https://shop.example/' },
    })
    await send(shop, [boom(clock.ms - 1_000)])
    const { body: list } = await shop.call(listErrors, { query: { siteId } })
    const params = { id: list.data[0]?.id ?? '' }
    const state = async () => (await shop.call(getError, { params, query: { siteId } })).body.state
    const { body: resolved } = await shop.call(updateError, { params, body: { siteId, state: 'resolved' } })
    expect(resolved.state).toBe('resolved')
    expect(await state()).toBe('resolved')
    clock.ms += 60_000
    await send(shop, [boom(clock.ms - 1_000)])
    expect(await state()).toBe('regressed')
    const open = await shop.call(listErrors, { query: { siteId, state: 'regressed' } })
    expect(open.body.data).toHaveLength(1)
    await shop.call(updateError, { params, body: { siteId, state: 'muted' } })
    expect(await state()).toBe('muted')
    const missing = { params: { id: 'err_none' }, body: { siteId, state: 'muted' as const } }
    expect((await shop.call(updateError, missing)).status).toBe(404)
  }, 120_000)

  test('that an earlier release distinguished are one group, with the id, state and rules of the first of them', async () => {
    const shop = await world.newWorkspace()
    const { siteId, workspaceId } = shop
    const { events } = world.product.deps
    const message = (id: string) => `Payment provider did not answer (intent ${id})`
    // What did not come through the gate of this release is not folded when it is stored.
    await events.insertRows(
      'events',
      ['pi_b0y4', 'pi_k2z'].map((id, at) => ({
        workspace_id: workspaceId,
        site_id: siteId,
        event_id: `early-${at}`,
        ts: new Date(clock.ms - (9 - at) * minuteMs).toISOString().slice(0, -1),
        name: 'error',
        counted: 1,
        properties: JSON.stringify({ message: message(id), url: 'https://shop.example/' }),
      })),
    )
    const list = async () => (await shop.call(listErrors, { query: { siteId } })).body.data
    const [early, ...others] = await list()
    expect(others).toEqual([])
    expect(early).toMatchObject({ occurrences: 2, state: 'open' })
    const stored = await events.query<{ id: string }>(
      `SELECT concat('err_', lower(leftPad(hex(error_key), 16, '0'))) AS id FROM events
       WHERE workspace_id = {workspaceId:String} ORDER BY ts`,
      { workspaceId },
    )
    expect(new Set(stored.map(({ id }) => id)).size).toBe(2)
    expect(early?.id).toBe(stored[0]?.id)
    const params = { id: stored[1]?.id ?? '' }
    const muted = await shop.call(updateError, { params, body: { siteId, state: 'muted' } })
    expect(muted.body).toMatchObject({ id: early?.id, state: 'muted' })

    const properties = { message: message('pi_3MtwBwLkdIwHu7ix28a3tqPa'), url: 'https://shop.example/' }
    await send(shop, [{ event: 'error', who: 'v', ms: clock.ms - minuteMs, properties }])
    expect(await list()).toMatchObject([
      {
        id: early?.id,
        occurrences: 3,
        state: 'muted',
        title: 'Payment provider did not answer (intent <n>)',
      },
    ])
    const match = { title: 'Payment provider did not answer (intent pi_k2z)' }
    await shop.call(createErrorRule, { body: { siteId, match, errorGroup: 'Payments' } })
    expect(await list()).toMatchObject([{ errorGroup: 'Payments', occurrences: 3 }])
  }, 120_000)

  test('of five thousand kinds come page by page, one by one, and by what they cost, all within bounds', async () => {
    const shop = await world.newWorkspace()
    const { siteId, workspaceId } = shop
    const { events } = world.product.deps
    const kinds = 5_000
    // Letters for digits, since a number would make them one kind; each kind once, the first one twice.
    await events.command(
      `INSERT INTO events (workspace_id, site_id, ts, event_id, name, counted, session_id, session_key, properties)
       SELECT {workspaceId:String}, {siteId:String}, fromUnixTimestamp64Milli({ms:Int64} - number, 'UTC'),
              concat('many-', toString(number)), 'error', 1, concat('s', toString(number)),
              cityHash64(concat('s', toString(number))),
              concat('{"message":"Part ', translate(toString(number % ${kinds}), '0123456789', 'abcdefghij'),
                     repeat(' is missing', 40), '"}')
       FROM numbers(${kinds} + 1)`,
      { workspaceId, siteId, ms: clock.ms - minuteMs },
    )
    const page = async (cursor?: string) =>
      (
        await shop.call(listErrors, {
          query: { siteId, limit: 200, ...(cursor !== undefined && { cursor }) },
        })
      ).body
    const first = await page()
    expect(first.data).toHaveLength(200)
    expect(first.data[0]).toMatchObject({
      occurrences: 2,
      title: expect.stringMatching(/^Part a is missing/),
    })
    const second = await page(first.nextCursor ?? '')
    expect(second.data).toHaveLength(200)
    expect(new Set([...first.data, ...second.data].map(({ id }) => id)).size).toBe(400)
    const last = second.data.at(-1)
    // What ranks low is found by its state all the same.
    const params = { id: last?.id ?? '' }
    await shop.call(updateError, { params, body: { siteId, state: 'muted' } })
    const muted = (await shop.call(listErrors, { query: { siteId, state: 'muted', limit: 1 } })).body
    expect(muted).toMatchObject({ data: [{ id: last?.id, state: 'muted' }], nextCursor: null })
    const { body: cost } = await shop.call(postRevenueImpact, { body: { siteId } })
    expect(cost.results).toHaveLength(200)
    // Where nothing is known to be lost, what met most visits comes first.
    expect(cost.results[0]).toMatchObject({ groupId: first.data[0]?.id, impact: { affectedSessions: 2 } })
    expect((await shop.call(listErrors, { query: { siteId, cursor: 'x' } })).status).toBe(422)
  }, 120_000)

  test('whose titles an earlier release folded in part are one group with those of now, but for statuses', () => {
    const said = (key: string, title: string, firstMs: number) => ({
      key,
      title,
      type: 'Error',
      culprit: 'submitOrder  /assets/app.js',
      firstMs,
      lastMs: firstMs + 1,
    })
    const groups = groupsOf(
      [
        said('0c', 'No answer (intent <n>)', 30),
        said('0a', 'No answer (intent pi_k<n>)', 20),
        said('0b', 'No answer (intent pi_b<n>y)', 10),
        said('0d', 'No session for <id>', 5),
        said('0e', 'No session for <n>', 50),
        said('0f', 'Answered with status <n>', 1),
        said('10', 'Answered with status 404', 60),
      ],
      [],
    )
    expect(groups.map(({ id, keys, firstMs, lastMs }) => [id, keys.toSorted(), firstMs, lastMs])).toEqual([
      ['err_0b', ['0a', '0b', '0c'], 10, 31],
      ['err_0d', ['0d', '0e'], 5, 51],
      ['err_0f', ['0f'], 1, 2],
      ['err_10', ['10'], 60, 61],
    ])
    expect(groups.map(({ name }) => name).slice(0, 2)).toEqual([
      'Error: No answer (intent <n>)',
      'Error: No session for <n>',
    ])
  })

  test('match a pattern as if * were any characters', () => {
    const part = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 8 })
    fc.assert(
      fc.property(part, fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 10 }), (glob, text) => {
        expect(globFits(glob, text)).toBe(new RegExp(`^${glob.replaceAll('*', '.*')}$`).test(text))
      }),
      { numRuns: 500 },
    )
  })
})

type Step = 'browse' | 'product' | 'cart' | 'checkout' | 'errorA' | 'errorB' | 'errorPay' | 'buy' | 'buyUsd'
type Visit = {
  person: number
  device: 'desktop' | 'mobile'
  isCurrent: boolean
  steps: Step[]
  cents: number
}

const visit: fc.Arbitrary<Visit> = fc.record({
  person: fc.integer({ min: 0, max: 6 }),
  device: fc.constantFrom('desktop', 'mobile'),
  isCurrent: fc.constantFrom(true, true, false),
  steps: fc.array(
    fc.constantFrom<Step>(
      'browse',
      'product',
      'cart',
      'checkout',
      'errorA',
      'errorB',
      'errorPay',
      'buy',
      'buyUsd',
    ),
    { minLength: 1, maxLength: 7 },
  ),
  cents: fc.integer({ min: 100, max: 20_000 }),
})

const pages = { browse: '/', product: '/urun/42', cart: '/sepet', checkout: '/checkout/pay' } as const
const stageOf: Record<Step, number> = {
  browse: 0,
  product: 1,
  cart: 2,
  checkout: 3,
  errorA: 0,
  errorB: 0,
  errorPay: 3,
  buy: 3,
  buyUsd: 3,
}
const groupOf: Partial<Record<Step, string>> = { errorA: 'Alpha', errorB: 'Beta', errorPay: 'Alpha' }

function wired(step: Step, cents: number): Pick<Sent, 'event' | 'properties'> {
  const url = (path: string) => `https://shop.example${path}`
  switch (step) {
    case 'errorA':
    case 'errorB':
      return { event: 'error', properties: { message: groupOf[step], url: url('/') } }
    case 'errorPay':
      return { event: 'error', properties: { message: 'Alpha', url: url(pages.checkout) } }
    case 'buy':
    case 'buyUsd': {
      const currency = step === 'buy' ? 'EUR' : 'USD'
      return { event: '$purchase', properties: { amount: cents / 100, currency } }
    }
    default:
      return { event: '$pageview', properties: { url: url(pages[step]), title: step } }
  }
}

type Timed = Visit & { startMs: number; index: number }

/** Hours apart, so that every visit is a session of its own. */
function timed(visits: readonly Visit[]): Timed[] {
  return visits.map((one, index) => ({
    ...one,
    index,
    startMs: windowFromMs + (one.isCurrent ? dayMs : -20 * dayMs) + index * 2 * 3_600_000,
  }))
}

const isBuy = (step: Step) => step === 'buy' || step === 'buyUsd'

/** A visit as the tally takes it: steps and errors with the time since it began. */
function struck(one: Timed, visits: readonly Timed[], segment: ValueSegment): StruckVisit {
  const placed = one.steps.map((step, at) => ({ step, ms: at * minuteMs, stage: stageOf[step] }))
  return {
    device: one.device,
    isReturning: visits.some((other) => other.person === one.person && other.startMs < one.startMs),
    segment,
    cohort: segment === 'new_visitor' ? one.device : '',
    steps: placed
      .filter(({ step }) => groupOf[step] === undefined)
      .map(({ step, ms, stage }) => ({ ms, stage, isPurchase: isBuy(step) })),
    errors: placed.flatMap(({ step, ms, stage }) => {
      const groupId = groupOf[step]
      return groupId === undefined ? [] : [{ groupId, ms, stage }]
    }),
  }
}

/** Revenue impact in the plainest way there is: visit by visit, up to the sums that estimates are made of. */
function model(visits: readonly Timed[], dollarRate: number | null, isChosen: (one: Timed) => boolean) {
  const current = visits.filter((one) => one.isCurrent && isChosen(one))
  const segmentOf = segmentsOf(visits, dollarRate)
  const euros = current.flatMap((one) => paidIn(one, dollarRate).map((paid) => ({ paid, one })))
  const cap = quantile(euros.map(({ paid }) => paid))
  const orders = euros.map(({ paid, one }) => ({
    segment: segmentOf(one),
    cohort: segmentOf(one) === 'new_visitor' ? one.device : '',
    orders: 1,
    sum: Math.min(paid, cap),
    squares: Math.min(paid, cap) ** 2,
  }))
  const tally = tallyVisits(current.map((one) => struck(one, visits, segmentOf(one))))
  return { current, segmentOf, estimates: estimatesOf(tally, true, orderValues(orders)) }
}

/** Those that a group met before they bought anything, and those that it did not meet, with the step that it met. */
function sidesOf(current: readonly Timed[], group: string) {
  const hitAt = (one: Visit) => one.steps.findIndex((step) => groupOf[step] === group)
  const met = current.filter((one) => hitAt(one) !== -1)
  const open = met.filter((one) => !one.steps.slice(0, hitAt(one)).some(isBuy))
  return { met, open, hitAt }
}

/** Revenue of a visit from a step on, in euros, as far as it can be converted. */
function paidIn({ steps, cents }: Visit, dollarRate: number | null, from = 0): number[] {
  const rates = { buy: 1, buyUsd: dollarRate }
  return steps.slice(from).flatMap((step) => {
    const rate = step === 'buy' || step === 'buyUsd' ? rates[step] : null
    return rate === null ? [] : [(cents / 100) * rate]
  })
}

/** By a visitor's purchases before the visit, compared with all customers. */
function segmentsOf(visits: readonly Timed[], dollarRate: number | null): (one: Timed) => ValueSegment {
  const netOf = (own: readonly Timed[]) =>
    own.flatMap((one) => paidIn(one, dollarRate)).reduce((t, paid) => t + Math.round(paid * 10_000), 0)
  const nets = [...Map.groupBy(visits, (one) => one.person).values()]
    .map(netOf)
    .filter((net) => net > 0)
    .sort((a, b) => b - a)
  const limit = (share: number) => nets[Math.ceil(nets.length * share)] ?? 0
  return (one) => {
    const net = netOf(visits.filter((other) => other.person === one.person && other.startMs < one.startMs))
    if (net <= 0) return 'new_visitor'
    if (net > limit(0.1)) return 'high_ltv'
    return net > limit(0.5) ? 'medium_ltv' : 'low_ltv'
  }
}

/** As ClickHouse takes an exact quantile: the element at that share of the way, rounded down. */
function quantile(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.99))] ?? 0
}

/** A filter as it is sent, and which visits it chooses: those of which one event fits. */
const narrowings: readonly { query: object; isChosen: (one: Visit) => boolean }[] = [
  { query: {}, isChosen: () => true },
  { query: { device: 'mobile' }, isChosen: ({ device }) => device === 'mobile' },
  { query: { path: pages.cart }, isChosen: ({ steps }) => steps.includes('cart') },
  { query: { event: '$purchase' }, isChosen: ({ steps }) => steps.some(isBuy) },
  {
    query: {
      filters: JSON.stringify([
        [
          'or',
          [
            ['is', 'page', ['/urun/:id']],
            ['is', 'device', ['desktop']],
          ],
        ],
      ]),
    },
    isChosen: ({ device, steps }) => device === 'desktop' || steps.includes('product'),
  },
]

/** A half can be turned round without a rest; the other way round the base is not the currency of the site. */
const dollarRates = fc.constantFrom(null, 0.5)

describe('revenue impact', () => {
  test('equals a simple calculation visit by visit, and so does the correlation with order value', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(visit, { minLength: 12, maxLength: 50 }),
        dollarRates,
        fc.shuffledSubarray([...narrowings], { minLength: 2, maxLength: 2 }),
        async (visits, rate, asked) => {
          const shop = await world.newWorkspace()
          if (rate !== null) {
            const body = { base: 'USD', rates: [{ currency: 'EUR', rate: 1 / rate }] }
            expect((await shop.call(setExchangeRates, { body })).status).toBe(200)
          }
          const all = timed(visits)
          const sent = all.flatMap(({ person, device, steps, cents, startMs }) =>
            steps.map((step, at) => ({
              ...wired(step, cents),
              who: `visitor-${person}`,
              device,
              ms: startMs + at * minuteMs,
            })),
          )
          await send(shop, sent)
          for (const { query, isChosen } of asked)
            await expectImpact(shop, query, model(all, rate, isChosen), rate)
        },
      ),
      { numRuns: 2, endOnFailure: true },
    )
  }, 240_000)

  test('takes its fields in the body of a GET, in the query or in the body of a POST', async () => {
    const shop = await world.newWorkspace()
    const { siteId } = shop
    await send(shop, [
      {
        event: 'error',
        who: 'v',
        ms: clock.ms - dayMs,
        properties: { message: 'Boom', url: 'https://shop.example/' },
      },
    ])
    const fields = { siteId, window: '7d', minImpact: 0 }
    const byBody = await getWithBody(shop, JSON.stringify(fields))
    expect(byBody.status).toBe(200)
    expect(byBody.body).toMatchObject({ errorGroup: 'Boom', period: '7d', impact: { affectedSessions: 1 } })
    expect(undated((await shop.call(getRevenueImpact, { query: fields })).body)).toEqual(undated(byBody.body))
    expect(undated((await shop.call(postRevenueImpact, { body: fields })).body)).toEqual(undated(byBody.body))
    const dayText = (days: number) => new Date(clock.ms - days * dayMs).toISOString().slice(0, 10)
    const dated = async (from: string, to: string) =>
      (await shop.call(getRevenueImpact, { query: { siteId, from, to } })).body
    const whole = `${dayText(6)}/${dayText(0)}`
    expect(await dated(dayText(6), dayText(0))).toMatchObject({ errorGroup: 'Boom', period: whole })
    expect((await dated(dayText(6), dayText(3))).results).toEqual([])
    const long = await shop.call(getRevenueImpact, { query: { siteId, from: dayText(100), to: dayText(0) } })
    expect([long.status, long.problem.errors?.[0]?.field]).toEqual([422, 'from'])
    const few = await shop.call(getRevenueImpact, { query: { siteId, evidence: 'insufficient' } })
    expect(few.body).toMatchObject({ errorGroup: 'Boom', results: [{ evidence: 'insufficient' }] })
    const strong = await shop.call(postRevenueImpact, { body: { siteId, evidence: 'strong' } })
    expect(strong.body).toMatchObject({ errorGroup: null, results: [] })
    const none = await shop.call(postRevenueImpact, { body: { siteId, minImpact: 1 } })
    expect(none.body).toMatchObject({ errorGroup: null, results: [], impact: { totalRevenueLoss: 0 } })
    const listed = { siteId, filters: [['is', 'device', ['mobile']]] as const }
    expect((await shop.call(postRevenueImpact, { body: listed })).body.results).toEqual([])
    const broken = { siteId, filters: '[["is","nothing",["mobile"]]]' }
    expect((await shop.call(getRevenueImpact, { query: broken })).status).toBe(422)
    expect((await getWithBody(shop, '{"siteId": 1}')).status).toBe(422)
    expect((await getWithBody(shop, '{')).status).toBe(400)
    expect((await getWithBody(shop, JSON.stringify({ ...fields, surprise: 1 }))).status).toBe(422)
    expect((await shop.call(getRevenueImpact, { query: {} })).status).toBe(422)
    expect((await shop.call(getRevenueImpact, { query: { siteId, window: '91d' } })).status).toBe(422)
  }, 120_000)
})

async function expectImpact(
  shop: TestWorkspace,
  filter: object,
  { current, segmentOf, estimates }: ReturnType<typeof model>,
  rate: number | null,
): Promise<void> {
  const { body } = await shop.call(postRevenueImpact, { body: { siteId: shop.siteId, ...filter } })
  const { data } = (await shop.call(listErrors, { query: { siteId: shop.siteId, ...filter } })).body
  for (const group of ['Alpha', 'Beta']) {
    const { met, open, hitAt } = sidesOf(current, group)
    const found = body.results.find(({ errorGroup }) => errorGroup === group)
    expect(found?.impact.affectedSessions ?? 0).toBe(met.length)
    expect(data.find(({ errorGroup }) => errorGroup === group)?.sessions ?? 0).toBe(met.length)
    if (found === undefined) continue
    expect(found.comparedSessions).toBe(open.length)
    expect(found.impact.affectedUsers).toBe(
      found.impact.bySegment.reduce((total, { users }) => total + users, 0),
    )
    for (const { segment, users } of found.impact.bySegment) {
      const own = met.filter((one) => segmentOf(one) === segment)
      expect(users).toBe(new Set(own.map((one) => one.person)).size)
    }
    const expected = estimates.get(group)
    if (expected === undefined) {
      expect(found).toMatchObject({ evidence: 'insufficient', unweightedRevenueLoss: 0 })
      continue
    }
    expect(found.convertedSessions).toBe(expected.converted)
    expect(found.baselineConversionRate).toBeCloseTo(expected.baselineRate, 9)
    expect(found.affectedConversionRate).toBeCloseTo(expected.affectedRate, 9)
    expect(found.dropOffProbability).toBeCloseTo(expected.dropOff, 9)
    expect(found.interval90.high).toBeCloseTo(expected.interval.high, 1)
    for (const [at, { loss, weight }] of expected.bySegment.entries()) {
      expect(found.impact.bySegment[at]?.revenueLoss).toBeCloseTo(loss * weight, 1)
    }
    const paid = open.flatMap((one) => paidIn(one, rate, hitAt(one)))
    await expectCorrelation(shop, { errorGroup: group, ...filter }, expected, paid)
  }
}

/** It speaks of the same sessions as the impact. */
async function expectCorrelation(
  shop: TestWorkspace,
  asked: { errorGroup: string },
  expected: Estimate,
  paid: readonly number[],
): Promise<void> {
  const { body } = await shop.call(getOrderValueCorrelation, { query: { siteId: shop.siteId, ...asked } })
  const { sessionsWithError, sessionsWithoutError, aovDelta, conversionDelta } = body.correlation.aovImpact
  const value = paid.length === 0 ? 0 : paid.reduce((total, one) => total + one, 0) / paid.length
  expect(sessionsWithError).toMatchObject({
    sessions: expected.affectedSessions,
    convertedSessions: expected.converted,
    orders: paid.length,
  })
  expect(sessionsWithError.avgOrderValue).toBeCloseTo(value, 6)
  expect(sessionsWithError.conversionRate).toBeCloseTo(expected.affectedRate, 9)
  expect(sessionsWithoutError.conversionRate).toBeCloseTo(expected.baselineRate, 9)
  expect(aovDelta).toBeCloseTo(value - sessionsWithoutError.avgOrderValue, 6)
  expect(conversionDelta).toBeCloseTo(expected.affectedRate - expected.baselineRate, 9)
}

/** What fetch refuses to send. */
function getWithBody(shop: TestWorkspace, text: string): Promise<{ status: number; body: object }> {
  return new Promise((resolve, reject) => {
    const call = httpRequest(
      `${world.product.url}/api/v1/errors/revenue-impact`,
      {
        method: 'GET',
        headers: {
          authorization: `Bearer ${shop.keys.live}`,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(text),
        },
      },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, body: JSON.parse(Buffer.concat(chunks).toString()) }),
        )
      },
    )
    call.on('error', reject)
    call.end(text)
  })
}
