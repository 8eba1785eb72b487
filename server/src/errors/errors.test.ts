import { request as httpRequest } from 'node:http'
import {
  batch,
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
} from '@assay/contract'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWorld, type TestWorkspace, undated, type World } from '../testing/harness.ts'
import { globFits, groupsOf } from './grouping.ts'

const minuteMs = 60_000
const dayMs = 86_400_000
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
  for (let at = 0; at < wired.length; at += 500) {
    const { status, body } = await shop.call(batch, { body: { batch: wired.slice(at, at + 500) } })
    expect(status).toBe(200)
    expect(body.summary.quarantine + body.summary.reject).toBe(0)
  }
  await shop.settle()
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

  test('that an earlier release told apart are one group, with the id, state and rules of the first of them', async () => {
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
    // Letters for digits, since a number would make them one kind; each kind once, the first one once more.
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

/** Revenue impact of one group in the plainest way there is: visit by visit. */
function model(visits: readonly Timed[], group: string, dollarRate: number | null) {
  const current = visits.filter((one) => one.isCurrent)
  const hitAt = (one: Visit) => one.steps.findIndex((step) => groupOf[step] === group)
  const isBuy = (step: Step) => step === 'buy' || step === 'buyUsd'
  const affected = current.filter((one) => hitAt(one) !== -1)
  const plain = current.filter((one) => hitAt(one) === -1)
  const furthest = (steps: readonly Step[]) => Math.max(0, ...steps.map((step) => stageOf[step]))
  const atHit = (one: Visit) => {
    const before = one.steps.slice(0, hitAt(one) + 1)
    return before.some(isBuy) ? 4 : furthest(before)
  }
  // No stratum has the 50 sessions that it would take to stand for itself.
  const rateAt = (stage: number) => {
    const reached = plain.filter((one) => furthest(one.steps) >= stage)
    return reached.length === 0 ? 0 : reached.filter((one) => one.steps.some(isBuy)).length / reached.length
  }
  const n = affected.length
  const baseline =
    n === 0 ? 0 : affected.reduce((t, one) => t + (atHit(one) === 4 ? 0 : rateAt(atHit(one))), 0) / n
  const bought = affected.filter((one) => atHit(one) !== 4 && one.steps.slice(hitAt(one)).some(isBuy)).length
  const shrunk = (bought + 20 * baseline) / (n + 20)
  const dropOff = baseline === 0 ? 0 : Math.max(0, 1 - shrunk / baseline)
  const segmentOf = segmentsOf(visits, dollarRate)
  const euros = current.flatMap((one) => paidIn(one, dollarRate).map((paid) => ({ paid, one })))
  const cap = quantile(euros.map(({ paid }) => paid))
  const values = euros.map(({ paid, one }) => ({ paid: Math.min(paid, cap), one }))
  const mean = values.length === 0 ? 0 : values.reduce((t, { paid }) => t + paid, 0) / values.length
  const worthOf = (one: Visit) => {
    if (segmentOf(one.person) !== 'new_visitor') return mean
    const alike = values.filter(
      ({ one: other }) => segmentOf(other.person) === 'new_visitor' && other.device === one.device,
    )
    return (alike.reduce((t, { paid }) => t + paid, 0) + 20 * mean) / (alike.length + 20)
  }
  const weights = { high_ltv: 3.2, medium_ltv: 1.5, low_ltv: 1, new_visitor: 0.8 }
  const bySegment = (['high_ltv', 'medium_ltv', 'low_ltv', 'new_visitor'] as const).map((segment) => {
    const own = affected.filter((one) => segmentOf(one.person) === segment)
    const loss = own.reduce((t, one) => t + worthOf(one), 0) * baseline * dropOff
    return { users: new Set(own.map((one) => one.person)).size, loss: loss * weights[segment] }
  })
  return { n, baseline, bought, dropOff, bySegment, affected, plain, isBuy, dollarRate }
}

/** What was paid in a visit, in euros, as far as it can be told in them. */
function paidIn({ steps, cents }: Visit, dollarRate: number | null): number[] {
  const rates = { buy: 1, buyUsd: dollarRate }
  return steps.flatMap((step) => {
    const rate = step === 'buy' || step === 'buyUsd' ? rates[step] : null
    return rate === null ? [] : [(cents / 100) * rate]
  })
}

function segmentsOf(visits: readonly Timed[], dollarRate: number | null): (person: number) => string {
  const isPaid = (step: Step) => step === 'buy' || (step === 'buyUsd' && dollarRate !== null)
  const past = visits.filter((one) => !one.isCurrent && one.steps.some(isPaid))
  const spent = Map.groupBy(past, (one) => one.person)
  const ranked = [...spent]
    .map(([person, own]) => ({
      person,
      net: own.flatMap((one) => paidIn(one, dollarRate)).reduce((t, paid) => t + Math.round(paid * 100), 0),
      first: Math.min(...own.map((one) => one.startMs + one.steps.findIndex(isPaid) * minuteMs)),
    }))
    .sort((a, b) => b.net - a.net || a.first - b.first)
    .map(({ person }) => person)
  return (person) => {
    const place = ranked.indexOf(person) + 1
    if (place === 0) return 'new_visitor'
    if (place <= Math.ceil(ranked.length * 0.1)) return 'high_ltv'
    return place <= Math.ceil(ranked.length * 0.5) ? 'medium_ltv' : 'low_ltv'
  }
}

/** As ClickHouse takes an exact quantile: the element at that share of the way, rounded down. */
function quantile(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.99))] ?? 0
}

/** A half can be turned round without a rest; the other way round the base is not the currency of the site. */
const dollarRates = fc.constantFrom(null, 0.5)

describe('revenue impact', () => {
  test('equals a plain reckoning visit by visit, and so does the correlation with order value', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(visit, { minLength: 12, maxLength: 50 }),
        dollarRates,
        async (visits, rate) => {
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
          const { body } = await shop.call(postRevenueImpact, { body: { siteId: shop.siteId } })
          for (const group of ['Alpha', 'Beta']) {
            const expected = model(all, group, rate)
            const found = body.results.find(({ errorGroup }) => errorGroup === group)
            expect(found?.impact.affectedSessions ?? 0).toBe(expected.n)
            if (found === undefined) continue
            expect(found.baselineConversionRate).toBeCloseTo(expected.baseline, 9)
            expect(found.affectedConversionRate).toBeCloseTo(expected.bought / expected.n, 9)
            expect(found.dropOffProbability).toBeCloseTo(expected.dropOff, 9)
            expect(found.impact.bySegment.map(({ users }) => users)).toEqual(
              expected.bySegment.map(({ users }) => users),
            )
            for (const [at, { loss }] of expected.bySegment.entries()) {
              expect(found.impact.bySegment[at]?.revenueLoss).toBeCloseTo(loss, 1)
            }
            expect(found.impact.affectedUsers).toBe(new Set(expected.affected.map((one) => one.person)).size)
            await expectCorrelation(shop, group, expected)
          }
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
    const none = await shop.call(postRevenueImpact, { body: { siteId, minImpact: 1 } })
    expect(none.body).toMatchObject({ errorGroup: null, results: [], impact: { totalRevenueLoss: 0 } })
    expect((await getWithBody(shop, '{"siteId": 1}')).status).toBe(422)
    expect((await getWithBody(shop, '{')).status).toBe(400)
    expect((await getWithBody(shop, JSON.stringify({ ...fields, surprise: 1 }))).status).toBe(422)
    expect((await shop.call(getRevenueImpact, { query: {} })).status).toBe(422)
    expect((await shop.call(getRevenueImpact, { query: { siteId, window: '91d' } })).status).toBe(422)
  }, 120_000)
})

async function expectCorrelation(
  shop: TestWorkspace,
  errorGroup: string,
  { affected, plain, isBuy, dollarRate }: ReturnType<typeof model>,
): Promise<void> {
  const { body } = await shop.call(getOrderValueCorrelation, { query: { siteId: shop.siteId, errorGroup } })
  const side = (visits: readonly Visit[]) => {
    const paid = visits.flatMap((one) => paidIn(one, dollarRate))
    const bought = visits.filter((one) => one.steps.some(isBuy)).length
    return {
      value: paid.length === 0 ? 0 : paid.reduce((t, one) => t + one, 0) / paid.length,
      rate: visits.length === 0 ? 0 : bought / visits.length,
    }
  }
  const { sessionsWithError, sessionsWithoutError, aovDelta, conversionDelta } = body.correlation.aovImpact
  const [withError, without] = [side(affected), side(plain)]
  expect(sessionsWithError.avgOrderValue).toBeCloseTo(withError.value, 6)
  expect(sessionsWithoutError.avgOrderValue).toBeCloseTo(without.value, 6)
  expect(sessionsWithError.conversionRate).toBeCloseTo(withError.rate, 9)
  expect(aovDelta).toBeCloseTo(withError.value - without.value, 6)
  expect(conversionDelta).toBeCloseTo(withError.rate - without.rate, 9)
}

/** What fetch refuses to send. */
function getWithBody(shop: TestWorkspace, text: string): Promise<{ status: number; body: unknown }> {
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
