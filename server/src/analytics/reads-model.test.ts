import {
  batch,
  createDefinition,
  createMapping,
  type FunnelStep,
  funnelOrders,
  getBackfill,
  getFlowGraph,
  getOverview,
  getRetention,
  identify,
  listJourneys,
  queryFunnel,
  setExchangeRates,
  startBackfill,
} from '@assay/contract'
import fc from 'fast-check'
import { Temporal } from 'temporal-polyfill'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWorld, type TestWorkspace, untilTrue, type World } from '../testing/harness.ts'
import { windowFunnel } from './funnels/window-funnel.ts'

let world: World
const clock = { ms: Date.parse('2026-11-10T12:00:00Z') }
beforeAll(async () => {
  world = await startWorld({ now: () => clock.ms })
})
afterAll(() => world?.close())

const browsers = {
  desktop:
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36',
  mobile:
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1',
  bot: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
}
const countries = { DE: 'Europe/Berlin', FR: 'Europe/Paris', US: 'America/New_York' }
type Country = keyof typeof countries
type Agent = keyof typeof browsers

type Act = {
  kind: 'view' | 'click' | 'form' | 'signup' | 'order' | 'old-order'
  path: string
  target: string
  amount: number
  currency: 'EUR' | 'USD'
  secondsLater: number
}
type Visit = {
  visitor: number
  hoursLater: number
  agent: Agent
  country: Country
  source: string
  acts: Act[]
}

const act: fc.Arbitrary<Act> = fc.record({
  kind: fc.constantFrom<Act['kind']>('view', 'view', 'view', 'click', 'form', 'signup', 'order', 'old-order'),
  path: fc.constantFrom('/', '/cart', '/product/7', '/product/8'),
  target: fc.constantFrom('buy', 'menu'),
  amount: fc.integer({ min: 1, max: 9_999 }).map((cents) => cents / 100),
  currency: fc.constantFrom('EUR', 'EUR', 'USD'),
  secondsLater: fc.constantFrom(0, 1, 20, 300, 1200),
})
const visit: fc.Arbitrary<Visit> = fc.record({
  visitor: fc.integer({ min: 1, max: 6 }),
  hoursLater: fc.constantFrom(0, 1, 11, 24, 49),
  agent: fc.constantFrom<Agent>('desktop', 'desktop', 'mobile', 'bot'),
  country: fc.constantFrom<Country>('DE', 'FR', 'US'),
  source: fc.constantFrom('', 'letter'),
  acts: fc.array(act, { minLength: 1, maxLength: 8 }),
})

/** One event as a report sees it. */
type Seen = {
  id: string
  ms: number
  session: string
  person: string
  name: string
  path: string
  target: string
  node: string
  country: string
  source: string
  device: string
  isBot: boolean
  amount: number
  currency: string
}

const names = {
  view: '$pageview',
  click: '$click',
  form: '$form_submit',
  signup: '$signup',
  order: '$purchase',
  'old-order': 'shop_order',
} as const

function propertiesOf({ kind, path, target, amount, currency }: Act, id: string): object {
  const money = { amount, currency, order_id: `order-${id}` }
  return {
    view: { url: `https://shop.example${path}`, title: 'Page' },
    click: { element: target, selector: `#${target}` },
    form: { form_id: target, field_count: 2 },
    signup: { method: 'mail' },
    order: money,
    'old-order': money,
  }[kind]
}

/** Two visitors each are one person once both have signed in. */
const personOf = (visitor: number, isMerged: boolean) =>
  isMerged ? `u${Math.ceil(visitor / 2)}` : `v${visitor}`

function nodeOf(name: string, { path, target }: Act): string {
  if (name === '$pageview') return `page:${path.replace(/\d+/, ':id')}`
  if (name === '$click') return `action:${target}`
  if (name === '$form_submit') return `form:${target}`
  return `event:${name}`
}

type Sent = { wire: object; seen: Seen }

/** What is sent, and what a report has to see of it when everything lies over it that will. */
function tell(
  visits: readonly Visit[],
  startMs: number,
  laid: { isMerged: boolean; isBackfilled: boolean },
): Sent[] {
  let startsMs = startMs
  return visits.flatMap(({ visitor, hoursLater, agent, country, source, acts }, number) => {
    startsMs += hoursLater * 3_600_000 + number * 60_000
    let ms = startsMs
    return acts.map((one, place): Sent => {
      ms += one.secondsLater * 1000
      const id = `event-${String(number).padStart(2, '0')}-${place}`
      const sentName = names[one.kind]
      const name = sentName === 'shop_order' && laid.isBackfilled ? '$purchase' : sentName
      const search = source === '' ? '' : `?utm_source=${source}&utm_medium=email`
      const page = { url: `https://shop.example${one.path}${search}`, path: one.path }
      return {
        wire: {
          event: sentName,
          event_id: id,
          anonymous_id: `visitor-${visitor}`,
          session_id: `visit-${number}`,
          ts: new Date(ms).toISOString(),
          historical: true,
          properties: propertiesOf(one, id),
          context: { userAgent: browsers[agent], timezone: countries[country], page },
        },
        seen: {
          id,
          ms,
          session: `visit-${number}`,
          person: personOf(visitor, laid.isMerged),
          name,
          path: one.path,
          target: one.kind === 'click' || one.kind === 'form' ? one.target : '',
          node: nodeOf(name, one),
          country,
          source,
          device: agent === 'mobile' ? 'mobile' : 'desktop',
          isBot: agent === 'bot',
          amount: name === '$purchase' ? one.amount : 0,
          currency: one.currency,
        },
      }
    })
  })
}

async function send(
  shop: TestWorkspace,
  sent: readonly Sent[],
  laid: { isMerged: boolean; isBackfilled: boolean },
) {
  await shop.call(createDefinition, { body: { name: 'shop_order' } })
  const answer = await shop.call(batch, { body: { batch: sent.map(({ wire }) => wire) } })
  expect(answer.body.summary).toMatchObject({ accept: sent.length })
  if (laid.isMerged) {
    for (let visitor = 1; visitor <= 6; visitor += 1) {
      const body = { anonymous_id: `visitor-${visitor}`, user_id: `user-${Math.ceil(visitor / 2)}` }
      expect((await shop.call(identify, { body })).status).toBe(200)
    }
  }
  await shop.settle()
  if (!laid.isBackfilled) return
  const mapping = await shop.call(createMapping, {
    body: { siteId: shop.siteId, source: 'shop_order', target: '$purchase' },
  })
  const { body: job } = await shop.call(startBackfill, {
    params: { id: mapping.body.id },
    body: { from: '2026-10-01T00:00:00Z', to: '2026-11-10T00:00:00Z' },
  })
  if ('dryRun' in job) throw new Error('not asked for a dry run')
  const status = async () => (await shop.call(getBackfill, { params: { id: job.id } })).body.status
  await untilTrue('the back-fill', async () => (await status()) === 'done')
}

type Filter = { path?: string; country?: string; device?: string; event?: string; source?: string }
const filters: fc.Arbitrary<Filter> = fc.constantFrom<Filter>(
  {},
  {},
  { path: '/product/:id' },
  { path: '/cart', device: 'desktop' },
  { country: 'de' },
  { event: '$purchase' },
  { device: 'mobile' },
  { source: 'letter' },
)

const matches = (event: Seen, { path, country, device, source, event: name }: Filter) =>
  (path === undefined ||
    (path === '/product/:id' ? /^\/product\/\d$/.test(event.path) : event.path === path)) &&
  (country === undefined || event.country === country.toUpperCase()) &&
  (device === undefined || event.device === device) &&
  (source === undefined || event.source === source) &&
  (name === undefined || event.name === name)

/** The sessions (or people) with a matching event, whole, each in the order of time. */
function sequences(events: readonly Seen[], filter: Filter, by: 'session' | 'person'): Seen[][] {
  const groups = [...Map.groupBy(events, (event) => event[by]).values()]
  return groups
    .filter((group) => group.some((event) => matches(event, filter)))
    .map((group) => group.toSorted((a, b) => a.ms - b.ms || (a.node < b.node ? -1 : 1)))
}

const distinct = (values: readonly string[]) => new Set(values).size
const cents = (events: readonly Seen[], currency: string) =>
  events
    .filter((event) => event.currency === currency && event.name === '$purchase')
    .reduce((sum, { amount }) => sum + Math.round(amount * 100), 0) / 100

const range = { from: '2026-10-15', to: '2026-11-09' }
type Asked = {
  shop: TestWorkspace
  events: readonly Seen[]
  filter: Filter
  timezone: string
  /** What a dollar is worth in euros, where the workspace says so. */
  dollarRate: number | null
}

async function checkOverview({ shop, events, filter, timezone, dollarRate }: Asked) {
  const { body } = await shop.call(getOverview, {
    query: { siteId: shop.siteId, ...range, ...filter, timezone },
  })
  const chosen = events.filter((event) => matches(event, filter))
  const dayOf = (ms: number) =>
    Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timezone).toPlainDate().toString()
  expect(body.metrics).toMatchObject({
    visitors: distinct(chosen.map(({ person }) => person)),
    sessions: distinct(chosen.map(({ session }) => session)),
    events: chosen.length,
    pageviews: chosen.filter(({ name }) => name === '$pageview').length,
    conversions: chosen.filter(({ name }) => name === '$purchase' || name === '$signup').length,
  })
  const [euros, dollars] = [cents(chosen, 'EUR'), cents(chosen, 'USD')]
  const converted = dollars * (dollarRate ?? 0)
  expect(body.metrics.revenue).toBeCloseTo(euros + converted, 6)
  const beside = dollarRate === null ? body.otherCurrencies : body.convertedCurrencies
  const found = beside.find(({ currency }) => currency === 'USD')
  expect(found?.revenue ?? 0).toBeCloseTo(dollarRate === null ? dollars : converted, 6)
  expect(body.otherCurrencies.length + body.convertedCurrencies.length).toBe(dollars === 0 ? 0 : 1)
  const overTime = body.series.reduce((sum, { revenue }) => sum + revenue, 0)
  expect(overTime).toBeCloseTo(body.metrics.revenue, 6)
  const byDay = Map.groupBy(chosen, ({ ms }) => dayOf(ms))
  for (const { start, events: count } of body.series) {
    expect(count, start).toBe(byDay.get(dayOf(Date.parse(start)))?.length ?? 0)
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
  const body = {
    siteId: shop.siteId,
    ...range,
    ...filter,
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
    return { level, country: first?.country ?? '' }
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
  const ways = sequences(events, filter, 'session').map((group) =>
    group.filter((event, place) => place === 0 || event.node !== group[place - 1]?.node),
  )
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

async function checkRetention({ shop, events, filter, timezone }: Asked, interval: 'day' | 'week' | 'month') {
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

test('every read equals a plain calculation in memory, with merges, back-fills, bots, filters, zones and clock changes', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(visit, { minLength: 4, maxLength: 14 }),
      fc.record({ isMerged: fc.boolean(), isBackfilled: fc.boolean() }),
      // Cents times these are whole ten-thousandths, so that nothing is rounded.
      fc.constantFrom(null, 0.92, 1.37),
      fc.array(fc.tuple(filters, funnels), { minLength: 2, maxLength: 2 }),
      fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Pacific/Apia'),
      fc.constantFrom<'day' | 'week' | 'month'>('day', 'week', 'month'),
      async (visits, laid, dollarRate, asked, timezone, interval) => {
        const shop = await world.newWorkspace({ timezone })
        const sent = tell(visits, Date.parse('2026-10-23T20:10:00Z'), laid)
        await send(shop, sent, laid)
        if (dollarRate !== null) {
          const body = { base: 'EUR', rates: [{ currency: 'USD', rate: dollarRate }] }
          expect((await shop.call(setExchangeRates, { body })).status).toBe(200)
        }
        const last = Temporal.PlainDate.from(range.to)
          .add({ days: 1 })
          .toZonedDateTime(timezone).epochMilliseconds
        const events = sent.map(({ seen }) => seen).filter(({ isBot, ms }) => !isBot && ms < last)
        for (const [filter, funnel] of asked) {
          const about = { shop, events, filter, timezone, dollarRate }
          await checkOverview(about)
          await checkFunnel(about, funnel)
          await checkFlow(about)
          await checkRetention(about, interval)
        }
      },
    ),
    { numRuns: 4 },
  )
}, 480_000)
