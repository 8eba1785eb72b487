import {
  createAudience,
  type FunnelStep,
  getFlowGraph,
  getOverview,
  getRetention,
  listErrors,
  listJourneys,
  type Overview,
  queryFunnel,
} from '@assay/contract'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWorld, type TestWorkspace, type World } from '../testing/harness.ts'
import {
  cents,
  distinct,
  type Filter,
  filters,
  matches,
  range,
  type Seen,
  send,
  shopNowMs,
  shopStartMs,
  tell,
  visit,
  visitsOf,
} from '../testing/shop-model.ts'

let world: World
beforeAll(async () => {
  world = await startWorld({ now: () => shopNowMs })
})
afterAll(() => world?.close())

type Asked = { shop: TestWorkspace; events: readonly Seen[]; filter: Filter & { audience?: string } }

async function overviewOf({ shop, filter }: Asked): Promise<Overview> {
  return (await shop.call(getOverview, { query: { siteId: shop.siteId, ...range, ...filter } })).body
}

async function entered({ shop, filter }: Asked, by: 'session' | 'person', step: FunnelStep) {
  const body = { siteId: shop.siteId, ...range, ...filter, steps: [step], by }
  return (await shop.call(queryFunnel, { body })).body.steps[0]?.entered
}

const rowOf = (rows: Overview['breakdowns']['pages'], wanted: string) =>
  rows.find(({ key }) => key === wanted) ?? { key: wanted, visitors: 0, sessions: 0, events: 0 }

/** The same things, asked of different reads under one filter. */
async function checkSameThings(asked: Asked) {
  const { shop, filter, events } = asked
  const visits = visitsOf(events, filter)
  const { metrics, breakdowns, series } = await overviewOf(asked)
  const sessionsWith = (isIt: (event: Seen) => boolean) =>
    distinct(visits.filter(isIt).map(({ session }) => session))
  const peopleWith = (isIt: (event: Seen) => boolean) =>
    distinct(visits.filter(isIt).map(({ person }) => person))

  // Visits with a page.
  const isCart = ({ name, path }: Seen) => name === '$pageview' && path === '/cart'
  const cart = rowOf(breakdowns.pages, '/cart')
  expect(cart.sessions).toBe(sessionsWith(isCart))
  expect(await entered(asked, 'session', { path: '/cart' })).toBe(cart.sessions)
  expect(await entered(asked, 'person', { path: '/cart' })).toBe(cart.visitors)
  const query = { siteId: shop.siteId, ...range, ...filter }
  const flow = (await shop.call(getFlowGraph, { query: { ...query, nodes: 200 } })).body
  expect(flow.nodes.find(({ id }) => id === 'page:/cart')?.sessions ?? 0).toBe(cart.sessions)
  const journeys = (await shop.call(listJourneys, { query })).body
  expect(journeys.sessions).toBe(flow.sessions)
  expect(flow.sessions).toBe(sessionsWith(({ name }) => name !== 'error'))

  // Buyers, and what they paid.
  const isOrder = ({ name }: Seen) => name === '$purchase'
  const orders = rowOf(breakdowns.events, '$purchase')
  expect(orders).toMatchObject({ visitors: peopleWith(isOrder), sessions: sessionsWith(isOrder) })
  expect(await entered(asked, 'person', { event: '$purchase' })).toBe(orders.visitors)
  expect(await entered(asked, 'session', { event: '$purchase' })).toBe(orders.sessions)
  expect(metrics.revenue).toBeCloseTo(cents(visits, 'EUR'), 6)
  expect(series.reduce((sum, { revenue }) => sum + revenue, 0)).toBeCloseTo(metrics.revenue, 6)

  // Everybody.
  const { cohorts } = (await shop.call(getRetention, { query })).body
  expect(cohorts.reduce((sum, { people }) => sum + people, 0)).toBe(metrics.visitors)
  expect(metrics.visitors).toBe(distinct(visits.map(({ person }) => person)))
}

/** Who bought, by the rule of an audience, is who bought by any other read; and the audience is a filter like others. */
async function checkBuyers(asked: Asked) {
  const { shop, events } = asked
  const buyers = new Set(events.filter(({ name }) => name === '$purchase').map(({ person }) => person))
  const rules = { all: [{ field: 'orders', op: 'gte' as const, value: 1, window: '60d' }] }
  const body = { siteId: shop.siteId, name: 'Buyers', rules }
  const preview = (await shop.call(createAudience, { body: { ...body, dryRun: true } })).body
  expect(preview.size).toBe(buyers.size)
  const bought = await overviewOf({ ...asked, filter: { event: '$purchase' } })
  expect(bought.metrics.visitors).toBe(buyers.size)
  const made = (await shop.call(createAudience, { body })).body
  if (!('id' in made)) throw new Error('no dry run was asked for')
  const ofBuyers = events.filter(({ person }) => buyers.has(person))
  const { metrics } = await overviewOf({ ...asked, filter: { ...asked.filter, audience: made.id } })
  const visits = visitsOf(ofBuyers, asked.filter)
  expect(metrics).toMatchObject({
    visitors: distinct(visits.map(({ person }) => person)),
    sessions: distinct(visits.map(({ session }) => session)),
    events: ofBuyers.filter((event) => matches(event, asked.filter)).length,
  })
  expect(metrics.revenue).toBeCloseTo(cents(visits, 'EUR'), 6)
  await checkSameThings({ shop, events: ofBuyers, filter: { ...asked.filter, audience: made.id } })
}

/** Visits and people with an error, by its group, by a filter, and by a funnel. */
async function checkErrors(asked: Asked) {
  const { shop, events } = asked
  const errors = events.filter(({ name }) => name === 'error')
  const { data } = (await shop.call(listErrors, { query: { siteId: shop.siteId, window: '60d' } })).body
  const byTarget = Map.groupBy(errors, ({ target }) => target)
  const counted = data.map(({ title, occurrences, sessions, users }) => [title, occurrences, sessions, users])
  expect(counted.toSorted()).toEqual(
    [...byTarget]
      .map(([target, all]) => [
        `It broke at the ${target}`,
        all.length,
        distinct(all.map(({ session }) => session)),
        distinct(all.map(({ person }) => person)),
      ])
      .toSorted(),
  )
  const broken = await overviewOf({ ...asked, filter: { event: 'error' } })
  expect(broken.metrics.sessions).toBe(distinct(errors.map(({ session }) => session)))
  expect(await entered({ ...asked, filter: {} }, 'session', { event: 'error' })).toBe(broken.metrics.sessions)
  expect(await entered({ ...asked, filter: {} }, 'person', { event: 'error' })).toBe(broken.metrics.visitors)
}

test('reads that speak of the same thing under the same filters give the same number', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(visit, { minLength: 4, maxLength: 14 }),
      fc.record({ isMerged: fc.boolean(), isBackfilled: fc.boolean() }),
      fc.array(filters, { minLength: 2, maxLength: 2 }),
      async (visits, laid, asked) => {
        const shop = await world.newWorkspace()
        const sent = tell(visits, shopStartMs, laid)
        await send(shop, sent, laid)
        const events = sent.map(({ seen }) => seen).filter(({ isBot }) => !isBot)
        for (const filter of asked) await checkSameThings({ shop, events, filter })
        await checkBuyers({ shop, events, filter: asked[0] ?? {} })
        await checkErrors({ shop, events, filter: {} })
      },
    ),
    { numRuns: 4, endOnFailure: true },
  )
}, 480_000)
