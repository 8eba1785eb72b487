import {
  createAudience,
  type FunnelStep,
  funnelOrders,
  getFlowGraph,
  getOverview,
  getRetention,
  type Filter as LanguageFilter,
  listErrors,
  listJourneys,
  type Overview,
  queryDropOff,
  queryFunnel,
  setExchangeRates,
} from '@assay/contract'
import fc from 'fast-check'
import { Temporal } from 'temporal-polyfill'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { byTime } from '../testing/filter-model.ts'
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
  sequences,
  shopNowMs,
  shopStartMs,
  tell,
  visit,
  visitsOf,
} from '../testing/shop-model.ts'
import { windowFunnel } from './funnels/rows/window-funnel.ts'

let world: World
beforeAll(async () => {
  world = await startWorld({ now: () => shopNowMs })
})
afterAll(() => world?.close())

type Asked = {
  shop: TestWorkspace
  events: readonly Seen[]
  filter: Filter & { audience?: string }
  timezone: string
  /** What a dollar is worth in euros, where the workspace says so. */
  dollarRate: number | null
}

async function checkOverview({ shop, events, filter, timezone, dollarRate }: Asked) {
  const { body } = await shop.call(getOverview, {
    query: { siteId: shop.siteId, ...range, ...filter, timezone },
  })
  const visits = visitsOf(events, filter)
  expect(body.metrics).toMatchObject(figuresOf(visits, filter))
  const [euros, dollars] = [cents(visits, 'EUR'), cents(visits, 'USD')]
  const converted = dollars * (dollarRate ?? 0)
  expect(body.metrics.revenue).toBeCloseTo(euros + converted, 6)
  const beside = dollarRate === null ? body.otherCurrencies : body.convertedCurrencies
  const found = beside.find(({ currency }) => currency === 'USD')
  expect(found?.revenue ?? 0).toBeCloseTo(dollarRate === null ? dollars : converted, 6)
  expect(body.otherCurrencies.length + body.convertedCurrencies.length).toBe(dollars === 0 ? 0 : 1)
  const overTime = body.series.reduce((sum, { revenue }) => sum + revenue, 0)
  expect(overTime).toBeCloseTo(body.metrics.revenue, 6)
  const dayOf = (ms: number) =>
    Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timezone).toPlainDate().toString()
  const byDay = Map.groupBy(visits, ({ ms }) => dayOf(ms))
  for (const point of body.series) {
    const { bounceRate, avgSessionMs, conversionRate, reasons, ...counts } = figuresOf(
      byDay.get(dayOf(Date.parse(point.start))) ?? [],
      filter,
    )
    expect(point, point.start).toMatchObject(counts)
  }
  checkBreakdowns(body, visits, filter)
}

/** What the overview says of some visits, save money. */
function figuresOf(visits: readonly Seen[], filter: Filter) {
  const own = visits.filter((event) => matches(event, filter))
  const sessions = [...Map.groupBy(visits, ({ session }) => session).values()]
  const isConversion = ({ name }: Seen) => name === '$purchase' || name === '$signup'
  const share = (part: number) => (sessions.length === 0 ? null : expect.closeTo(part / sessions.length, 6))
  const lengths = sessions.map(
    (session) => Math.max(...session.map(({ ms }) => ms)) - Math.min(...session.map(({ ms }) => ms)),
  )
  const hasViews = filter.event === undefined || filter.event === '$pageview'
  const rates = sessions.length === 0 ? ['avgSessionMs', 'bounceRate', 'conversionRate'] : []
  const without = [...rates, ...(hasViews ? [] : ['pageviews'])]
  return {
    visitors: distinct(visits.map(({ person }) => person)),
    sessions: sessions.length,
    events: own.length,
    pageviews: hasViews ? own.filter(({ name }) => name === '$pageview').length : null,
    bounceRate: share(sessions.filter(({ length }) => length === 1).length),
    avgSessionMs: share(lengths.reduce((sum, ms) => sum + ms, 0)),
    conversions: visits.filter(isConversion).length,
    conversionRate: share(sessions.filter((session) => session.some(isConversion)).length),
    reasons: Object.fromEntries(without.map((name) => [name, expect.stringMatching(/\.$/)])),
  }
}

/**
 * Each row is about the visits with such an event; its events are those that match themselves. A visit has one source,
 * country and device.
 */
function checkBreakdowns({ breakdowns }: Overview, visits: readonly Seen[], filter: Filter) {
  const views = visits.filter(({ name }) => name === '$pageview')
  const sessions = Map.groupBy(visits.toSorted(byTime), ({ session }) => session)
  const firstOf = (name: 'country' | 'device') => (event: Seen) =>
    sessions.get(event.session)?.find((one) => one[name] !== '')?.[name] ?? ''
  const tables = {
    pages: Map.groupBy(views, ({ path }) => path),
    sources: Map.groupBy(visits, ({ session }) => sessions.get(session)?.[0]?.source ?? ''),
    countries: Map.groupBy(visits, firstOf('country')),
    devices: Map.groupBy(visits, firstOf('device')),
    events: Map.groupBy(visits, ({ name }) => name),
  }
  for (const name of ['pages', 'sources', 'countries', 'devices', 'events'] as const) {
    const expected = [...tables[name]].map(([key, own]) => ({
      key,
      visitors: distinct(own.map(({ person }) => person)),
      sessions: distinct(own.map(({ session }) => session)),
      events: own.filter((event) => matches(event, filter)).length,
    }))
    expected.sort((a, b) => b.visitors - a.visitors || b.events - a.events || (a.key < b.key ? -1 : 1))
    expect(breakdowns[name], name).toEqual(expected)
  }
}

type Funnel = {
  steps: FunnelStep[]
  order: (typeof funnelOrders)[number]
  by: 'session' | 'person'
  within: string
}
const step: fc.Arbitrary<FunnelStep> = fc.constantFrom<FunnelStep>(
  { path: '/' },
  { path: '/product/:id' },
  { path: '/cart' },
  { event: '$click', target: 'buy' },
  { event: '$form_submit' },
  { event: '$purchase' },
  { event: '$purchase', where: [{ property: 'amount', op: 'at-least', value: 50 }] },
  { event: '$purchase', where: [{ property: 'currency', op: 'is', value: 'USD' }] },
)
const funnels: fc.Arbitrary<Funnel> = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 4 }),
  order: fc.constantFrom(...funnelOrders),
  by: fc.constantFrom('session', 'person'),
  within: fc.constantFrom('1m', '30m', '3d'),
})
const withinMs = { '1m': 60_000, '30m': 1_800_000, '3d': 259_200_000 }

function isStep(event: Seen, { event: name, path, target, where = [] }: FunnelStep): boolean {
  if (name === undefined && event.name !== '$pageview') return false
  return (
    (name === undefined || event.name === name) &&
    (path === undefined || event.node === `page:${path}`) &&
    (target === undefined || event.target === target) &&
    where.every(({ op, value }) => (op === 'is' ? event.currency === value : event.amount >= Number(value)))
  )
}

async function checkFunnel({ shop, events, filter, timezone }: Asked, { steps, order, by, within }: Funnel) {
  const { filters: more, ...plain } = filter
  const body = {
    siteId: shop.siteId,
    ...range,
    ...plain,
    // boundary: written by the model of the shop.
    ...(more !== undefined && { filters: JSON.parse(more) as LanguageFilter[] }),
    timezone,
    steps,
    order,
    by,
    within,
    breakdown: 'country' as const,
  }
  const answer = (await shop.call(queryFunnel, { body })).body
  const limitMs = withinMs[within === '1m' || within === '30m' ? within : '3d']
  const modes = {
    strictOrder: order === 'strict-order',
    strictIncrease: order === 'strict-increase',
    strictOnce: distinct(steps.map(({ event }) => event ?? '$pageview')) < steps.length,
  }
  const walks = sequences(events, filter, by).map((group) => {
    const marked = group.map((event) => ({
      ms: event.ms,
      steps: [...steps.keys()].filter((place) => isStep(event, steps[place] ?? {})),
    }))
    const first = group
      .filter((_, place) =>
        order === 'any-order' ? marked[place]?.steps.length !== 0 : marked[place]?.steps.includes(0),
      )
      .toSorted((a, b) => a.ms - b.ms || (a.id < b.id ? -1 : 1))[0]
    const level =
      order === 'any-order'
        ? nearest(marked, limitMs)
        : windowFunnel(marked, steps.length, limitMs, modes).level
    return { level, country: first?.country ?? '', marked, group }
  })
  const entered = steps.map((_, place) => walks.filter(({ level }) => level > place).length)
  expect(answer.steps.map((one) => one.entered)).toEqual(entered)
  const byCountry = Map.groupBy(
    walks.filter(({ level }) => level > 0),
    ({ country }) => country,
  )
  expect(new Map(answer.breakdown.map((row) => [row.key, row.entered[0]]))).toEqual(
    new Map([...byCountry].map(([country, all]) => [country, all.length])),
  )
  if (steps.length === 1 || order === 'any-order') return
  const last = 1 + ((entered[0] ?? 0) % (steps.length - 1))
  const { breakdown, ...question } = body
  const found = (await shop.call(queryDropOff, { body: { ...question, step: last } })).body
  expect(found.dropOff).toBe(answer.steps[last - 1]?.dropOff)
  const nodes = walks.filter(({ level }) => level === last).map((walk) => nodeAfter(walk, last - 1))
  const countOf = (node: string | undefined) => nodes.filter((one) => one === node).length
  expect(found.left.count).toBe(countOf(undefined))
  expect(found.other).toEqual({ count: 0, share: 0 })
  expect(new Map(found.next.map(({ key, count }) => [key, count]))).toEqual(
    new Map(nodes.flatMap((node) => (node === undefined ? [] : [[node, countOf(node)]]))),
  )
}

/** Where someone went after they last took a step; an error is no place. */
function nodeAfter(
  { group, marked }: { group: readonly Seen[]; marked: readonly { steps: readonly number[] }[] },
  place: number,
): string | undefined {
  const last = marked.findLastIndex(({ steps }) => steps.includes(place))
  return group.slice(last + 1).find(({ name }) => name !== 'error')?.node
}

/** For each event the steps that lie behind it and near enough; the most of these. */
function nearest(marked: readonly { ms: number; steps: number[] }[], limitMs: number): number {
  const counts = marked.map(
    ({ ms }) =>
      new Set(marked.filter((one) => one.ms <= ms && one.ms >= ms - limitMs).flatMap(({ steps }) => steps))
        .size,
  )
  return Math.max(0, ...counts)
}

async function checkFlow({ shop, events, filter, timezone }: Asked) {
  const query = { siteId: shop.siteId, ...range, ...filter, timezone }
  const { body } = await shop.call(getFlowGraph, { query: { ...query, nodes: 200 } })
  const ways = sequences(events, filter, 'session')
    .map((group) => group.filter(({ name }) => name !== 'error'))
    .filter((group) => group.length > 0)
    .map((group) => group.filter((event, place) => place === 0 || event.node !== group[place - 1]?.node))
  const nodes = new Map<string, string[]>()
  const edges = new Map<string, number>()
  for (const way of ways) {
    for (const [place, { node, session }] of way.entries()) {
      nodes.set(node, [...(nodes.get(node) ?? []), session])
      const next = way[place + 1]
      if (next !== undefined) edges.set(`${node} ${next.node}`, (edges.get(`${node} ${next.node}`) ?? 0) + 1)
    }
  }
  expect(new Map(body.nodes.map(({ id, sessions, visits }) => [id, [sessions, visits]]))).toEqual(
    new Map([...nodes].map(([id, sessions]) => [id, [distinct(sessions), sessions.length]])),
  )
  const ends = Map.groupBy(ways, (way) => way.at(-1)?.node)
  for (const { id, exits } of body.nodes) expect(exits, id).toBe(ends.get(id)?.length ?? 0)
  for (const { from, to, count } of body.edges) expect(count).toBe(edges.get(`${from} ${to}`))
  const journeys = (await shop.call(listJourneys, { query: { ...query, steps: 3, limit: 200 } })).body
  const firsts = Map.groupBy(ways, (way) =>
    way
      .slice(0, 3)
      .map(({ node }) => node)
      .join(' '),
  )
  expect(
    new Map(
      journeys.journeys.map(({ steps, sessions }) => [steps.map(({ key }) => key).join(' '), sessions]),
    ),
  ).toEqual(new Map([...firsts].map(([way, all]) => [way, all.length])))
}

type Interval = 'day' | 'week' | 'month'

async function checkRetention({ shop, events, filter, timezone }: Asked, interval: Interval) {
  const query = { siteId: shop.siteId, ...range, ...filter, timezone, interval, returnEvent: '$pageview' }
  const { body } = await shop.call(getRetention, { query })
  const startOf = (ms: number) => {
    const day = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timezone).toPlainDate()
    const first = { day, week: day.subtract({ days: day.dayOfWeek - 1 }), month: day.with({ day: 1 }) }[
      interval
    ]
    return first.toZonedDateTime(timezone).epochMilliseconds
  }
  const people = sequences(events, filter, 'person').map((group) => ({
    cohort: startOf(Math.min(...group.map(({ ms }) => ms))),
    returns: new Set(group.filter(({ name }) => name === '$pageview').map(({ ms }) => startOf(ms))),
  }))
  const starts = body.cohorts.map(({ start }) => Date.parse(start))
  for (const [index, cohort] of body.cohorts.entries()) {
    const members = people.filter(({ cohort: start }) => start === starts[index])
    expect(cohort.people, cohort.start).toBe(members.length)
    for (const { after, people: count } of cohort.returned) {
      const then = starts[index + after] ?? 0
      expect(count, `${cohort.start} + ${after}`).toBe(
        members.filter(({ returns }) => returns.has(then)).length,
      )
    }
  }
  expect(body.cohorts.reduce((sum, cohort) => sum + cohort.people, 0)).toBe(people.length)
}

async function checkAll(about: Asked, funnel: Funnel, interval: Interval) {
  await checkOverview(about)
  await checkFunnel(about, funnel)
  await checkFlow(about)
  await checkRetention(about, interval)
}

/** Who bought, by the rule of an audience, is who bought by any other read; and the audience is a filter like others. */
async function audienceOfBuyers({ shop, events, timezone }: Asked): Promise<string> {
  const buyers = distinct(events.filter(({ name }) => name === '$purchase').map(({ person }) => person))
  const rules = { all: [{ field: 'orders', op: 'gte' as const, value: 1, window: '60d' }] }
  const body = { siteId: shop.siteId, name: 'Buyers', rules }
  const preview = (await shop.call(createAudience, { body: { ...body, dryRun: true } })).body
  expect(preview.size).toBe(buyers)
  const bought = { siteId: shop.siteId, window: '60d', timezone, event: '$purchase' }
  expect((await shop.call(getOverview, { query: bought })).body.metrics.visitors).toBe(buyers)
  const made = (await shop.call(createAudience, { body })).body
  if (!('id' in made)) throw new Error('no dry run was asked for')
  return made.id
}

/** Visits and people with an error, by its group, by a filter, and by a funnel. */
async function checkErrors({ shop, events, filter, timezone }: Asked) {
  const errors = events.filter(({ name }) => name === 'error')
  const told = { siteId: shop.siteId, window: '60d' }
  for (const asked of [{}, filter]) {
    const { data } = (await shop.call(listErrors, { query: { ...told, ...asked } })).body
    const counted = data.map(({ title, occurrences, sessions, users }) => [
      title,
      occurrences,
      sessions,
      users,
    ])
    const met = visitsOf(events, asked).filter(({ name }) => name === 'error')
    expect(counted.toSorted()).toEqual(
      [...Map.groupBy(met, ({ target }) => target)]
        .map(([target, all]) => [
          `It broke at the ${target}`,
          all.length,
          distinct(all.map(({ session }) => session)),
          distinct(all.map(({ person }) => person)),
        ])
        .toSorted(),
    )
  }
  const query = { ...told, timezone, event: 'error' }
  const { metrics } = (await shop.call(getOverview, { query })).body
  expect(metrics.sessions).toBe(distinct(errors.map(({ session }) => session)))
  for (const [by, count] of [['session', metrics.sessions] as const, ['person', metrics.visitors] as const]) {
    const body = { ...told, timezone, steps: [{ event: 'error' }], by }
    expect((await shop.call(queryFunnel, { body })).body.steps[0]?.entered).toBe(count)
  }
}

test('every read equals a plain calculation in memory, with merges, back-fills, bots, filters, audiences, zones and clock changes', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(visit, { minLength: 4, maxLength: 14 }),
      fc.record({ isMerged: fc.boolean(), isBackfilled: fc.boolean() }),
      // Cents times these are whole ten-thousandths, so that nothing is rounded.
      fc.constantFrom(null, 0.92, 1.37),
      fc.tuple(fc.tuple(filters, funnels), fc.tuple(filters, funnels)),
      fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Pacific/Apia'),
      fc.constantFrom<Interval>('day', 'week', 'month'),
      async (visits, laid, dollarRate, asked, timezone, interval) => {
        const shop = await world.newWorkspace({ timezone })
        const sent = tell(visits, shopStartMs, laid)
        await send(shop, sent, laid)
        if (dollarRate !== null) {
          const body = { base: 'EUR', rates: [{ currency: 'USD', rate: dollarRate }] }
          expect((await shop.call(setExchangeRates, { body })).status).toBe(200)
        }
        const last = Temporal.PlainDate.from(range.to)
          .add({ days: 1 })
          .toZonedDateTime(timezone).epochMilliseconds
        const all = sent.map(({ seen }) => seen).filter(({ isBot }) => !isBot)
        const events = all.filter(({ ms }) => ms < last)
        const about = { shop, events, filter: {}, timezone, dollarRate }
        for (const [filter, funnel] of asked) await checkAll({ ...about, filter }, funnel, interval)
        const audience = await audienceOfBuyers({ ...about, events: all })
        const buyers = new Set(all.filter(({ name }) => name === '$purchase').map(({ person }) => person))
        const ofBuyers = events.filter(({ person }) => buyers.has(person))
        const [filter, funnel] = asked[0]
        await checkAll({ ...about, events: ofBuyers, filter: { ...filter, audience } }, funnel, interval)
        await checkErrors({ ...about, events: all, filter })
      },
    ),
    { numRuns: 4, endOnFailure: true },
  )
}, 480_000)
