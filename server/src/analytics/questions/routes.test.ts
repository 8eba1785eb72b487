import {
  batch,
  createSite,
  type Filter,
  getQuery,
  listDimensions,
  listValues,
  mintApiKey,
  type Question,
  runQuery,
} from '@assay/contract'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Events } from '../../store/events.ts'
import { startWorld, type TestWorkspace, type World } from '../../testing/harness.ts'
import { boundedRun } from './bounds.ts'

const nowMs = Date.parse('2026-11-15T12:00:00Z')
let world: World
let shop: TestWorkspace
beforeAll(async () => {
  world = await startWorld({ now: () => nowMs })
  shop = await world.newWorkspace({ timezone: 'Europe/Berlin' })
  const plans = ['pro', 'pro', 'free', null]
  const events = plans.flatMap((plan, index) => [
    {
      event: '$pageview',
      session_id: `s${index}`,
      anonymous_id: `a${index}`,
      ts: `2026-11-1${index}T10:00:00Z`,
      historical: true,
      properties: { url: `https://shop.example/p${index}`, title: 'Page' },
      context: { page: { url: `https://shop.example/p${index}?utm_source=news&utm_campaign=autumn` } },
    },
    {
      event: '$purchase',
      session_id: `s${index}`,
      anonymous_id: `a${index}`,
      ts: `2026-11-1${index}T10:05:00Z`,
      historical: true,
      properties: {
        amount: 10 * (index + 1),
        currency: index === 3 ? 'USD' : 'EUR',
        order_id: `o${index}`,
        ...(plan !== null && { plan }),
        cart: { items: index },
      },
      context: { page: { url: 'https://shop.example/checkout' } },
    },
  ])
  const answer = await shop.call(batch, { body: { batch: events } })
  expect(answer.body.summary).toMatchObject({ accept: events.length })
  await shop.settle()
}, 120_000)
afterAll(() => world?.close())

const ask = (members: Partial<Question>) =>
  shop.call(runQuery, { body: { siteId: shop.siteId, window: '30d', metrics: ['visitors'], ...members } })

test('revenue belongs to the campaign that the visit came from, though the purchase itself has none', async () => {
  const { body } = await ask({ metrics: ['revenue', 'conversionRate'], dimensions: ['utm.campaign'] })
  expect(body.rows).toMatchObject([
    { dimensions: ['autumn'], isOther: false, isComplete: null, metrics: { revenue: 60, conversionRate: 1 } },
  ])
  expect(body).toMatchObject({ currency: 'EUR', sampledShare: 1, hasMore: false, pendingEvents: 0 })
})

test('an answer warns of what is missing', async () => {
  const { body } = await ask({
    metrics: [{ as: 'spent', event: '$purchase', math: 'sum', property: 'amount' }],
    dimensions: ['property:plan'],
  })
  expect(body.warnings).toContain('Amounts in USD are left out: there is no exchange rate into EUR.')
  expect(body.warnings).toContain('25% of $purchase events have no plan.')
  expect(body.rows.map(({ dimensions, metrics }) => [dimensions[0], metrics.spent])).toEqual([
    ['free', 30],
    ['pro', 30],
    [null, 0],
  ])
})

test('groups beyond the limit are one row, and everything adds up', async () => {
  const { body } = await ask({
    metrics: ['events', 'visitors'],
    dimensions: ['page'],
    limit: 1,
    other: true,
  })
  expect(body.hasMore).toBe(true)
  expect(body.rows).toMatchObject([
    { dimensions: ['/checkout'], isOther: false, metrics: { events: 4, visitors: 4 } },
    { dimensions: [null], isOther: true, metrics: { events: 4, visitors: 4 } },
  ])
  expect(body.totals.metrics).toEqual({ events: 8, visitors: 4 })
})

test('the same question by its address, and as CSV', async () => {
  const question = {
    siteId: shop.siteId,
    window: '30d',
    metrics: ['visitors'],
    dimensions: ['time:week', 'event'],
  }
  const posted = (await shop.call(runQuery, { body: { ...question, metrics: ['visitors'] } })).body
  const { body } = await shop.call(getQuery, { query: { q: JSON.stringify(question) } })
  expect(body).toEqual({ ...posted, dataUntil: body.dataUntil })
  const csv = await fetch(
    `${world.product.url}/api/analytics/query?format=csv&q=${encodeURIComponent(JSON.stringify(question))}`,
    { headers: { authorization: `Bearer ${shop.keys.live}` } },
  )
  expect(csv.headers.get('x-data-until')).toBeTruthy()
  const [head, ...rows] = (await csv.text()).trimEnd().split('\r\n')
  expect(head).toBe('time:week,event,is_other,visitors,is_complete')
  expect(rows).toHaveLength(posted.rows.length)
})

test('what can be asked is listed, with the properties of recent events and their values', async () => {
  const { status, body } = await shop.call(listDimensions, { query: { siteId: shop.siteId } })
  expect(status, JSON.stringify(body)).toBe(200)
  expect(body.events).toEqual(['$pageview', '$purchase'])
  expect(body.metrics.map(({ name }) => name)).toContain('averageOrderValue')
  expect(body.properties).toContainEqual(
    expect.objectContaining({ name: 'property:plan', types: ['string'] }),
  )
  expect(body.properties).toContainEqual(
    expect.objectContaining({ name: 'property:cart.items', types: ['number'] }),
  )
  const values = await shop.call(listValues, {
    query: { siteId: shop.siteId, dimension: 'property:plan', search: 'R' },
  })
  expect(values.body.values).toEqual([
    { value: 'pro', events: 2 },
    { value: 'free', events: 1 },
  ])
  const unknown = await shop.call(listValues, { query: { siteId: shop.siteId, dimension: 'plan' } })
  expect(unknown.status).toBe(422)
})

test('a site of another workspace is not found', async () => {
  const other = await world.newWorkspace()
  expect((await ask({ siteId: other.siteId })).status).toBe(404)
  const q = JSON.stringify({ siteId: other.siteId, metrics: ['visitors'] })
  expect((await shop.call(getQuery, { query: { q } })).status).toBe(404)
  expect((await ask({ filters: [['inAudience', ['aud_none']]] })).status).toBe(404)
})

test('a key that is bound to a site asks about that one only', async () => {
  const { body: site } = await shop.call(createSite, { body: { name: 'Docs', domain: 'docs.example' } })
  const body = {
    kind: 'secret' as const,
    name: 'Bound',
    site_id: site.id,
    scopes: ['analytics:read' as const],
  }
  const { key } = (await shop.call(mintApiKey, { body })).body
  const asked = (siteId: string | undefined) =>
    shop.call(getQuery, { query: { q: JSON.stringify({ siteId, metrics: ['events'] }) } }, { key })
  expect((await asked(undefined)).body).toMatchObject({ siteId: site.id, totals: { metrics: { events: 0 } } })
  expect((await asked(shop.siteId)).status).toBe(404)
})

test.each([
  [{ dimensions: ['time:hour'], window: '300d' }, 'dimensions'],
  [{ dimensions: ['time:day', 'page'], window: '400d', limit: 1000 }, 'limit'],
  [{ compare: { from: '2026-02-01', to: '2026-01-01' } }, 'compare.from'],
  [{ timezone: 'Mars/Olympus' }, 'timezone'],
  [{ to: 'tomorrow' }, 'to'],
])('%j is refused with its place', async (members, field) => {
  const { status, body } = await ask(members)
  expect(status).toBe(422)
  expect(body).toMatchObject({ errors: [{ field }] })
})

const nasty = [
  "'; DROP TABLE events; --",
  '{workspaceId:String}',
  '\\',
  "\\'",
  '`) OR 1=1 --',
  '\u2028',
  '%00',
  '$1',
  '__proto__',
  'constructor',
  'a.b.c.d.e.f.g.h',
  '...',
  '*',
  '/:id/*',
  '(?i)x',
  '😀',
]

test('no name or value is anything but a name or a value', async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...nasty), fc.constantFrom(...nasty), async (name, value) => {
      const where = [['is', `property:${name}`, [value]] as const]
      const named = ['not', ['is', `trait:${name}`, [value]]] as const
      const { status, body } = await ask({
        metrics: [
          { as: 'A', event: name, math: 'count', where },
          { as: 'B', math: 'distinct', property: name, where: [['contains', 'page', [value]]] },
          { as: 'C', math: 'p90', property: name },
        ],
        dimensions: [`property:${name}`, `trait:${value}`, 'audience'],
        filters: [
          named,
          ['isNot', 'audience', [value]],
          ['not', ['is', 'event', [value]]],
          ['didNot', { event: name, where }],
        ],
      })
      expect(status, JSON.stringify(body)).toBe(200)
      expect(body.totals.metrics.A).toBe(0)
      const values = await shop.call(listValues, {
        query: { siteId: shop.siteId, dimension: `property:${name}`, search: value },
      })
      expect(values.body.values).toEqual([])
    }),
    { numRuns: 8 },
  )
}, 120_000)

test('a pattern that could be slow, or that the store does not know, is refused or means the same there', async () => {
  for (const pattern of ['(a+)+$', '(?=x)', '[', 'x{1,9999}', '(a|a)*b']) {
    const { status } = await ask({ filters: [['matches', 'page', [pattern]]] })
    expect(status, pattern).toBe(422)
  }
  for (const pattern of ['^/p[0-2]$', '\\/p[0-2]', '^\\W\\w\\d?$', '\\u0070[0-2]$']) {
    const { status, body } = await ask({ filters: [['matches', 'page', [pattern]]], metrics: ['pageviews'] })
    if (status === 200) expect(body.totals.metrics.pageviews, pattern).toBeGreaterThan(2)
    else expect(status, pattern).toBe(422)
  }
})

test('the greatest question is answered or refused, and never fails', async () => {
  const values = Array.from({ length: 200 }, (_, index) => `/page/${index}`)
  const patterns = values.slice(0, 50).map((value) => `${value}/:id`)
  const filters: Filter[] = [
    ['is', 'page', patterns],
    ...Array.from({ length: 20 }, () => ['isNot', 'page', values] as const),
  ]
  const many = await ask({ filters: [['is', 'page', [...patterns, '/blog/*']]] })
  expect(many.body).toMatchObject({ errors: [{ field: 'filters[0][2]' }] })
  const metrics = Array.from({ length: 20 }, (_, index) => ({
    as: `m${index}`,
    event: '$purchase',
    math: 'p99' as const,
    property: 'cart.items',
  }))
  const { status } = await ask({
    filters,
    metrics,
    dimensions: ['time:day', 'page', 'entryPage', 'property:plan'],
  })
  expect([200, 422]).toContain(status)
}, 60_000)

test('the more values are looked for, the more often the store looks at the time', async () => {
  const heard: string[] = []
  const query = async (sql: string) => {
    heard.push(sql)
    return []
  }
  // boundary: the rows are of any type, as there are none.
  const run = boundedRun({ query: query as Events['query'] }, () => nowMs)
  const values = (count: number) => Array.from({ length: count }, (_, index) => `v${index}`)
  await run('SELECT 1', { few: values(99), name: 'x', starts: [1, 2, 3] })
  await run('SELECT 1', { many: values(200), others: values(200) })
  await run('SELECT 1', { most: values(9_800) })
  expect(heard.map((sql) => /max_block_size = (\d+)/.exec(sql)?.[1] ?? null)).toEqual([null, '16352', '1024'])
})

test('a question that takes too long, or too much memory, is refused with what to narrow', async () => {
  const { events } = world.product.deps
  const slow = boundedRun(events, () => nowMs, 1)
  await expect(
    slow('SELECT count() AS found FROM numbers(1000000000000) WHERE sipHash64(number) = 3', {}),
  ).rejects.toMatchObject({ slug: 'invalid-parameter', message: expect.stringContaining('shorter period') })
  const large = boundedRun(events, () => nowMs)
  // Ten gigabytes, of which the first are soon too much.
  const texts =
    "SELECT length(groupArray(concat(toString(number), repeat('x', 100000)))) AS found FROM numbers(100000)"
  await expect(large(texts, {})).rejects.toMatchObject({
    slug: 'invalid-parameter',
    message: expect.stringContaining('memory'),
  })
}, 60_000)
