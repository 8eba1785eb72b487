import {
  type Answer,
  createGoal,
  type Filter,
  getOverview,
  type Metric,
  type Question,
  runQuery,
  setExchangeRates,
} from '@assay/contract'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWorld, type TestWorkspace, type World } from '../../testing/harness.ts'
import { type ModelPeriod, type ModelWorld, modelAnswer } from '../../testing/question-model.ts'
import {
  type Seen,
  type Filter as ShopFilter,
  send,
  shopNowMs,
  shopStartMs,
  filters as shorthands,
  tell,
  visit,
} from '../../testing/shop-model.ts'
import { makeAudiences, shopAudiences, shopPeople, tellPeople } from '../../testing/shop-people.ts'
import { previousPeriod, readPeriod, yearBefore } from '../period.ts'

let world: World
beforeAll(async () => {
  world = await startWorld({ now: () => shopNowMs })
})
afterAll(() => world?.close())

const texts: Readonly<Record<string, readonly string[]>> = {
  page: ['/', '/cart', '/product/:id', '/product/8', '/none'],
  title: ['Page', 'age'],
  hostname: ['shop.example'],
  channel: ['Email', 'Direct'],
  source: ['letter', 'Direct'],
  'utm.campaign': ['spring', 'autumn sale', 'SALE'],
  country: ['de', 'FR'],
  region: ['de-by', 'US-IL', 'US'],
  city: ['Springfield (DE-BY)', 'Springfield (US-IL)', 'paris'],
  device: ['mobile', 'desktop'],
  language: ['de', 'en'],
  event: ['$pageview', '$purchase', '$click', 'error', 'shop_order'],
  entryPage: ['/', '/product/:id', '/cart'],
  exitPage: ['/', '/product/7'],
  'property:plan': ['pro', 'free', 'Team Plus', 'team'],
  'property:cart.items': ['2', '3', 'many'],
  'property:element': ['buy'],
}
/** What is known of people, which single events are not asked for. */
const personal: Readonly<Record<string, readonly string[]>> = {
  'trait:plan': ['pro', 'free', 'team'],
  'trait:seats': ['2', '3', 'many'],
  'trait:vip': ['true', 'TRUE'],
  'trait:none': ['x'],
  audience: ['Buyers', 'Cart fillers', 'cart'],
}
const events = ['$pageview', '$purchase', '$click', '$signup', 'error']

const one = <Value>(values: readonly Value[]) => fc.constantFrom(...values)

const comparing = (name: string, known: readonly string[]): fc.Arbitrary<Filter> => {
  const values = fc.uniqueArray(one(known), { minLength: 1, maxLength: 3 })
  return fc.oneof(
    { weight: 3, arbitrary: values.map((list): Filter => ['is', name, list]) },
    fc
      .tuple(one(['isNot', 'contains', 'notContains', 'startsWith'] as const), values)
      .map(([op, list]): Filter => [op, name, list]),
    one(['^/product/\\d$', '^[A-Za-z]+$', 'a[lr]|e$', '.{5}']).map(
      (text): Filter => ['matches', name, [text]],
    ),
    one(['isSet', 'isNotSet'] as const).map((op): Filter => [op, name]),
  )
}
/** Conditions on single events. */
const plain = one(Object.keys(texts)).chain((name) => comparing(name, texts[name] ?? []))
const limited = (names: readonly string[]): fc.Arbitrary<Filter> =>
  fc.oneof(
    fc
      .tuple(one(['gt', 'gte', 'lt', 'lte'] as const), one(names), one([2, 50, '3', 'free']))
      .map(([op, name, value]): Filter => [op, name, value]),
    one(names).map((name): Filter => ['between', name, [2, 40]]),
  )
const numeric: fc.Arbitrary<Filter> = fc.oneof(
  limited(['property:amount', 'property:cart.items', 'property:plan']),
  fc.constant<Filter>(['is', 'property:cart.items', [2, '7']]),
)
const ofEvent = fc.oneof({ weight: 3, arbitrary: plain }, numeric)

type Named = { audience: string; goals: readonly string[] }

const people = ({ audience }: Named, whereMax: number): fc.Arbitrary<Filter> =>
  fc.oneof(
    fc.constant<Filter>(['inAudience', [audience]]),
    one(Object.keys(personal)).chain((name) => comparing(name, personal[name] ?? [])),
    limited(['trait:seats', 'trait:plan']),
    fc.constant<Filter>(['is', 'trait:seats', [2, '7', 2.5]]),
    fc
      .record(
        {
          event: one(events),
          count: fc.record({ op: one(['gte', 'lte', 'eq'] as const), value: one([0, 1, 2]) }),
          within: one(['7d', '30d', '24h', '100h']),
          where: fc.array(ofEvent, { maxLength: whereMax }),
        },
        { requiredKeys: ['event'] },
      )
      .chain((terms) => one(['did', 'didNot'] as const).map((word): Filter => [word, terms])),
  )

const reached = ({ goals }: Named): fc.Arbitrary<Filter> =>
  fc.uniqueArray(one(goals), { minLength: 1, maxLength: 2 }).map((ids): Filter => ['reached', ids])

/** Any filter of up to four levels. */
const filterOf = (named: Named, depth = 4): fc.Arbitrary<Filter> => {
  const leaf = fc.oneof({ weight: 4, arbitrary: ofEvent }, people(named, depth === 1 ? 0 : 2), reached(named))
  if (depth === 1) return leaf
  const below = filterOf(named, depth - 1)
  return fc.oneof(
    { weight: 5, arbitrary: leaf },
    fc
      .tuple(one(['and', 'or'] as const), fc.array(below, { minLength: 1, maxLength: 3 }))
      .map(([word, list]): Filter => [word, list]),
    below.map((part): Filter => ['not', part]),
  )
}

const standard = [
  'visitors',
  'sessions',
  'pageviews',
  'events',
  'viewsPerSession',
  'bounceRate',
  'avgSessionMs',
  'conversions',
  'conversionRate',
  'revenue',
  'averageOrderValue',
  'newVisitors',
] as const

const counted = one(['count', 'people', 'sessions', 'perPerson'] as const)
const computed = one(['sum', 'avg', 'min', 'max', 'p50', 'p90', 'p95', 'p99', 'distinct'] as const)
const metric = (as: string, { goals }: Named): fc.Arbitrary<Metric> =>
  fc.oneof(
    fc.tuple(counted, one(goals)).map(([math, goal]): Metric => ({ as, goal, math })),
    fc
      .record({ event: one(events), where: fc.array(ofEvent, { maxLength: 2 }) }, { requiredKeys: [] })
      .chain((terms) => counted.map((math): Metric => ({ as, math, ...terms }))),
    fc
      .tuple(computed, one(['amount', 'cart.items', 'plan']), fc.array(ofEvent, { maxLength: 1 }))
      .map(([math, property, where]): Metric => ({ as, event: '$purchase', math, property, where })),
  )

const metrics = (named: Named): fc.Arbitrary<Metric[]> =>
  fc
    .tuple(
      fc.uniqueArray(one(standard), { minLength: 1, maxLength: 4 }),
      metric('A', named),
      metric('B', named),
      one(['A + B', 'A / B', '(A - 2) * B / 3', '-A / (B - 1)']),
    )
    .map(([some, first, second, formula]) => [...some, first, second, { as: 'C', formula }])

const periods = [
  { from: '2026-10-15', to: '2026-11-24' },
  { from: '2026-10-27', to: '2026-11-04' },
  { from: '2026-10-24T03:30:00Z', to: '2026-10-27T22:10:00Z' },
  { window: '29d', to: '2026-11-24' },
]

function questionOf(siteId: string, timezone: string, named: Named): fc.Arbitrary<Question> {
  return fc
    .record({
      period: one(periods),
      compare: fc.option(
        one<Question['compare']>(['previous', 'year', { from: '2026-10-24', to: '2026-10-29' }]),
        {
          nil: undefined,
        },
      ),
      metrics: metrics(named),
      unit: fc.option(one(['hour', 'day', 'week', 'month']), { nil: undefined }),
      groups: fc.uniqueArray(one([...Object.keys(texts), ...Object.keys(personal)]), { maxLength: 3 }),
      filters: fc.array(filterOf(named), { maxLength: 2 }),
      includeBots: fc.boolean(),
      limit: one([1, 2, 5, 1000]),
      other: fc.boolean(),
      span: fc.option(one(['cumulative', 3, 7] as const), { nil: undefined }),
      order: fc.array(fc.tuple(fc.nat(), one(['asc', 'desc'] as const)), { maxLength: 2 }),
    })
    .map(({ period, compare, unit, groups, span, order, limit, ...rest }): Question => {
      const isLong = 'window' in period || period.from?.length === 10
      const time = unit === undefined || (unit === 'hour' && isLong) ? [] : [`time:${unit}`]
      const names = [...rest.metrics.map((one) => (typeof one === 'string' ? one : one.as)), ...groups]
      const isNew = rest.metrics.includes('newVisitors')
      const over =
        time.length === 0
          ? {}
          : span === 'cumulative'
            ? { cumulative: true }
            : span === undefined || isNew
              ? {}
              : { rolling: span }
      const orderBy = order.map(([at, direction]) => [names[at % names.length] ?? '', direction] as const)
      return {
        siteId,
        timezone,
        ...period,
        ...rest,
        ...over,
        limit: limit === 1000 && time.length > 0 ? 40 : limit,
        dimensions: [...time, ...groups],
        orderBy,
        ...(compare !== undefined && { compare }),
      }
    })
}

const close = (figures: Readonly<Record<string, number | null>>) =>
  Object.fromEntries(
    Object.entries(figures).map(([name, value]) => [
      name,
      value === null ? null : expect.closeTo(value, Math.abs(value) > 1e6 ? 2 : 6),
    ]),
  )

async function check(shop: TestWorkspace, question: Question, model: ModelWorld) {
  const { status, body } = await shop.call(runQuery, { body: question })
  expect(status, JSON.stringify([body, question])).toBe(200)
  const period = readPeriod({ ...question }, model.timezone, shopNowMs)
  const expected = modelAnswer(question, model, period)
  const compared = question.compare === undefined ? null : comparedPeriod(question, period)
  const before = compared === null ? null : modelAnswer(question, model, compared, period)
  const pointsNow = pointsOf(expected.rows)
  const pointsThen = before === null ? 1 : pointsOf(before.rows)
  const rows = expected.rows.map(({ dimensions, isOther, metrics }, index) => {
    const [group, point] = [Math.floor(index / pointsNow), index % pointsNow]
    const then = point < pointsThen ? before?.rows[group * pointsThen + point] : undefined
    return {
      dimensions,
      isOther,
      metrics: close(metrics),
      ...(before === null ? { comparison: null } : then !== undefined && { comparison: close(then.metrics) }),
    }
  })
  expect(body.rows.length, JSON.stringify(question)).toBe(rows.length)
  for (const [index, row] of rows.entries()) expect(body.rows[index]).toMatchObject(row)
  expect(body.totals.metrics).toEqual(close(expected.totals))
  if (before !== null) expect(body.totals.comparison).toEqual(close(before.totals))
  expect(body.hasMore).toBe(expected.hasMore)
  checkAddition(question, body)
}

/** Rows of one group, which are the intervals. */
function pointsOf(rows: readonly { dimensions: readonly (string | null)[] }[]): number {
  const times = new Set(
    rows.map(({ dimensions }) => dimensions.find((one) => /^\d{4}-\d\d-\d\dT/.test(one ?? '')) ?? ''),
  )
  return Math.max(1, times.size)
}

function comparedPeriod({ compare }: Question, period: ReturnType<typeof readPeriod>): ModelPeriod {
  if (compare === 'previous') return previousPeriod(period)
  if (compare === 'year') return yearBefore(period)
  return readPeriod(
    { ...(typeof compare === 'object' ? compare : {}), timezone: period.timezone },
    'UTC',
    shopNowMs,
  )
}

/** All rows, that of the others among them, have everything once. */
function checkAddition({ cumulative, rolling }: Question, { metrics, rows, totals, hasMore }: Answer) {
  if (cumulative === true || rolling !== undefined) return
  if (hasMore && !rows.some(({ isOther }) => isOther)) return
  for (const { name, isAdditive } of metrics) {
    const sum = rows.reduce((all, row) => all + (row.metrics[name] ?? 0), 0)
    if (isAdditive) expect(sum, name).toBeCloseTo(totals.metrics[name] ?? 0, 6)
  }
}

/** The people of each audience, by its name. */
function membersOf(seen: readonly Seen[]): Record<string, ReadonlySet<string>> {
  return Object.fromEntries(
    Object.entries(shopAudiences).map(([name, { isOf }]) => [
      name,
      new Set(seen.filter(isOf).map(({ person }) => person)),
    ]),
  )
}

const goal = fc.record({
  event: one([...events, 'shop_order']),
  page: fc.option(one(['/', '/cart', '/product/:id'])),
  filters: fc.array(
    ofEvent.filter(([, name]) => name !== 'entryPage' && name !== 'exitPage'),
    { maxLength: 2 },
  ),
})

type Wanted = typeof goal extends fc.Arbitrary<infer Made> ? Made : never

/** Two goals, and what an event has to fit to reach each. */
async function makeGoals(shop: TestWorkspace, wanted: readonly Wanted[]) {
  const made: Record<string, readonly Filter[]> = {}
  for (const { event, page, filters } of wanted) {
    const body = { siteId: shop.siteId, name: 'Goal', event, page, filters }
    const { id } = (await shop.call(createGoal, { body })).body
    const ofPage: Filter[] = page === null ? [] : [['is', 'page', [page]]]
    made[id] = [['is', 'event', [event]], ...ofPage, ...filters]
  }
  return made
}

/** The overview and a question that asks the same. */
async function checkOverview(shop: TestWorkspace, query: ShopFilter, filters: Filter[], timezone: string) {
  const asked = { siteId: shop.siteId, ...periods[1], timezone }
  const overview = (await shop.call(getOverview, { query: { ...asked, ...query, interval: 'day' } })).body
  const names = ['visitors', 'sessions', 'events', 'conversions', 'revenue', 'pageviews'] as const
  const rates = ['bounceRate', 'avgSessionMs', 'conversionRate'] as const
  const body = {
    ...asked,
    filters,
    metrics: [...names, ...rates],
    dimensions: ['time:day'],
    compare: 'previous' as const,
  }
  const answer = (await shop.call(runQuery, { body })).body
  for (const name of [...names, ...rates]) {
    expect(answer.totals.metrics[name] ?? null, name).toEqual(closeOrNull(overview.metrics[name]))
    expect(answer.totals.comparison?.[name] ?? null, name).toEqual(
      closeOrNull(overview.previous.metrics[name]),
    )
  }
  expect(answer.comparedPeriod).toEqual(overview.previous.period)
  for (const [index, point] of overview.series.entries()) {
    const row = answer.rows[index]
    expect(row).toMatchObject({ dimensions: [point.start], isComplete: point.isComplete })
    for (const name of names) expect(row?.metrics[name] ?? null, name).toEqual(closeOrNull(point[name]))
  }
  for (const [dimension, table] of [
    ['event', overview.breakdowns.events],
    ['device', overview.breakdowns.devices],
    ['source', overview.breakdowns.sources],
    ['country', overview.breakdowns.countries],
  ] as const) {
    const by = {
      ...asked,
      filters,
      metrics: ['visitors', 'events', 'sessions'] as const,
      dimensions: [dimension],
    }
    const orderBy = [['visitors', 'desc'] as const, ['events', 'desc'] as const]
    const rows = (await shop.call(runQuery, { body: { ...by, metrics: [...by.metrics], orderBy } })).body.rows
    expect(rows.map((row) => ({ key: row.dimensions[0] ?? '', ...row.metrics }))).toEqual(
      table.map(({ key, visitors, events, sessions }) => ({ key, visitors, events, sessions })),
    )
  }
}

const closeOrNull = (value: number | null) => (value === null ? null : expect.closeTo(value, 6))
const shorthandNames: Readonly<Record<string, string>> = { path: 'page' }

test('any question has the answer of a plain calculation in memory, with traits, audiences, merges, partings, back-fills, rates, zones and filters', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(visit, { minLength: 5, maxLength: 14 }),
      fc.record({ isMerged: fc.boolean(), isBackfilled: fc.boolean() }),
      fc.constantFrom(null, 0.92, 1.37),
      fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Pacific/Apia'),
      fc.array(shorthands, { minLength: 1, maxLength: 1 }),
      fc.array(goal, { minLength: 2, maxLength: 2 }),
      shopPeople,
      fc.gen(),
      async (visits, laid, dollarRate, timezone, plainFilters, wantedGoals, people, gen) => {
        const shop = await world.newWorkspace({ timezone })
        const sent = tell(visits, shopStartMs, laid)
        await send(shop, sent, laid)
        if (dollarRate !== null) {
          const body = { base: 'EUR', rates: [{ currency: 'USD', rate: dollarRate }] }
          expect((await shop.call(setExchangeRates, { body })).status).toBe(200)
        }
        const told = sent.map((one) => one.seen)
        const { events: all, traits, part } = await tellPeople(world, shop, people, told, laid.isMerged)
        const seen = all.filter(({ isBot }) => !isBot)
        const ids = await makeAudiences(shop)
        await part()
        const goals = await makeGoals(shop, wantedGoals)
        const members = membersOf(seen)
        const audiences = Object.fromEntries(
          Object.entries(ids).map(([name, id]) => [id, members[name] ?? new Set<string>()]),
        )
        const facts = { audiences, audienceNames: members, traits }
        const model = { events: seen, ...facts, goals, timezone, dollarRate }
        const named = { audience: ids.Buyers ?? '', goals: Object.keys(goals) }
        for (let count = 0; count < questionsEach; count += 1) {
          const question = gen(questionOf, shop.siteId, timezone, named)
          await check(shop, question, question.includeBots ? { ...model, events: all } : model)
        }
        for (const query of plainFilters) {
          const { filters: more = '[]', ...plainly } = query
          const shorts = Object.entries(plainly).map(
            ([name, value]): Filter => ['is', shorthandNames[name] ?? name, [value]],
          )
          // boundary: written by the model of the shop.
          const filters = [...shorts, ...(JSON.parse(more) as Filter[])]
          await checkOverview(shop, query, filters, timezone)
        }
      },
    ),
    { numRuns: 2, endOnFailure: true },
  )
}, 240_000)

/** Many for each history, which costs more than a question. */
const questionsEach = 9
