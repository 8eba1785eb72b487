import {
  type DiscoveredFunnels,
  type FunnelStep,
  getFlowGraph,
  getLive,
  getOverview,
  listAuditLog,
  listFunnels,
  listJourneys,
  queryDropOff,
  queryFunnel,
  updateFunnel,
} from '@assay/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dayMs, minuteMs } from '../platform/units.ts'
import { startWorld, type TestWorkspace, undated, untilTrue, type World } from '../testing/harness.ts'

let world: World
const noon = Date.parse('2026-11-10T12:00:00Z')
const clock = { ms: noon }

beforeAll(async () => {
  world = await startWorld({ now: () => clock.ms })
})
afterAll(() => world?.close())

const userAgent =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36'
let sent = 0

/** What one visitor does, in words: paths are views, `click:x` and `form:x` what they say, others events. */
function visitOf(visitor: string, startMs: number, acts: readonly string[]): object[] {
  return acts.map((act, place) => {
    const [kind, about = ''] = act.split(':')
    const isView = act.startsWith('/')
    const money = { amount: 20, currency: 'EUR', order_id: `order-${visitor}-${startMs}` }
    const properties = isView
      ? { url: `https://shop.example${act}`, title: 'Page' }
      : kind === 'click'
        ? { element: about, selector: `#${about}` }
        : kind === 'form'
          ? { form_id: about, field_count: 2 }
          : act === '$purchase'
            ? money
            : { method: 'mail', query: 'x' }
    const event = isView ? '$pageview' : kind === 'click' ? '$click' : kind === 'form' ? '$form_submit' : act
    return {
      event,
      event_id: `event-${sent++}`,
      anonymous_id: visitor,
      session_id: `session-${visitor}-${startMs}`,
      ts: new Date(startMs + place * 10_000).toISOString(),
      historical: true,
      properties,
      context: { userAgent },
    }
  })
}

async function csv(shop: TestWorkspace, path: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${world.product.url}${path}`, {
    headers: { authorization: `Bearer ${shop.keys.live}`, ...headers },
  })
  return { type: response.headers.get('content-type'), lines: (await response.text()).split('\r\n') }
}

describe('live visitors', () => {
  test('are those with an event in the last five minutes, on the page that they saw last', async () => {
    const shop = await world.newWorkspace()
    await shop.send([
      ...visitOf('ada', clock.ms - 2 * minuteMs, ['/', '/cart']),
      ...visitOf('bob', clock.ms - minuteMs, ['/cart']),
      ...visitOf('eve', clock.ms - 6 * minuteMs, ['/']),
    ])
    const { body } = await shop.call(getLive, { query: { siteId: shop.siteId } })
    expect(body).toMatchObject({ visitors: 2, sessions: 2, pageviews: 3, windowMs: 5 * minuteMs })
    expect(body.pages).toEqual([{ path: '/cart', visitors: 2 }])
    const home = await shop.call(getLive, { query: { siteId: shop.siteId, path: '/' } })
    expect(home.body).toMatchObject({ visitors: 1, sessions: 1, pageviews: 1, events: 1 })
    expect(home.body.pages).toEqual([{ path: '/cart', visitors: 1 }])
    const searches = await shop.call(getLive, { query: { siteId: shop.siteId, event: '$search' } })
    expect(searches.body).toMatchObject({ visitors: 0, pageviews: null })
  })
})

describe('CSV', () => {
  test('is sent by the Accept header or on request, with a header line, and without spreadsheet formulas', async () => {
    const shop = await world.newWorkspace()
    await shop.send(visitOf('ada', clock.ms - dayMs, ['/=1+1,"x"', '/']))
    const path = `/api/analytics/overview?siteId=${shop.siteId}&window=2d`
    const series = await csv(shop, path, { accept: 'text/csv' })
    expect(series.type).toContain('text/csv')
    expect(series.lines[0]).toBe(
      'start,visitors,sessions,pageviews,events,conversions,revenue,currency,is_complete',
    )
    const pages = await csv(shop, `${path}&format=csv&table=pages`)
    expect(pages.lines).toContain('/,1,1,1')
    expect((await csv(shop, path)).type).toContain('application/json')
    const sources = ['flow-graph', 'journeys', 'retention', 'funnels']
    for (const name of sources) {
      const table = await csv(shop, `/api/analytics/${name}?siteId=${shop.siteId}&format=csv`)
      expect(table.type, name).toContain('text/csv')
      expect(table.lines[0]?.split(',').length, name).toBeGreaterThan(4)
    }
  })
})

describe('those who drop off a funnel', () => {
  const steps = [{ path: '/cart' }, { event: '$purchase' }]

  test('are counted by what they did next: ten kinds, and the rest together', async () => {
    const shop = await world.newWorkspace()
    const pages = Array.from({ length: 12 }, (_, index) => `/page-${String.fromCharCode(97 + index)}`)
    const visits = pages.flatMap((page, index) =>
      Array.from({ length: index < 3 ? 2 : 1 }, (_, one) =>
        visitOf(`${page} ${one}`, clock.ms - dayMs, ['/cart', '/', '/cart', page, '/']),
      ),
    )
    await shop.send([
      ...visits.flat(),
      ...visitOf('gone', clock.ms - dayMs, ['/', '/cart']),
      ...visitOf('buyer', clock.ms - dayMs, ['/cart', '$purchase']),
    ])
    const { body } = await shop.call(queryDropOff, { body: { siteId: shop.siteId, steps, step: 1 } })
    expect(body).toMatchObject({ step: 1, label: '$pageview /cart', dropOff: 16, left: { count: 1 } })
    expect(body.next.map(({ key, count }) => [key, count])).toEqual(
      pages.slice(0, 10).map((page, index) => [`page:${page}`, index < 3 ? 2 : 1]),
    )
    expect(body.other).toEqual({ count: 2, share: 2 / 16 })
    const narrow = { siteId: shop.siteId, steps, step: 1, path: '/page-a' }
    expect((await shop.call(queryDropOff, { body: narrow })).body).toMatchObject({
      dropOff: 2,
      next: [{ key: 'page:/page-a', match: { event: '$pageview', path: '/page-a' }, count: 2, share: 1 }],
      left: { count: 0 },
    })
  })

  test.each([
    { step: 2 },
    { step: 0 },
    { step: 1, order: 'any-order' as const },
    { step: 1, within: '401d' },
  ])('are not asked for with %j', async (extra) => {
    const shop = await world.newWorkspace()
    const answer = await shop.call(queryDropOff, { body: { siteId: shop.siteId, steps, ...extra } })
    expect(answer.status).toBe(422)
    expect(answer.problem.errors?.length).toBeGreaterThan(0)
  })
})

describe('a funnel given by its steps', () => {
  test.each<{ steps: FunnelStep[]; within?: string }>([
    { steps: [{ label: 'nothing else' }] },
    { steps: [{ event: '$purchase', where: [{ property: 'amount', op: 'is' }] }] },
    { steps: [{ event: '$purchase', where: [{ property: 'amount', op: 'at-least', value: 'much' }] }] },
    { steps: [{ event: '$purchase' }], within: '401d' },
    { steps: [] },
  ])('refuses %j with the place named', async (extra) => {
    const shop = await world.newWorkspace()
    const answer = await shop.call(queryFunnel, { body: { siteId: shop.siteId, ...extra } })
    expect(answer.status).toBe(422)
    expect(answer.problem.errors?.length).toBeGreaterThan(0)
  })

  test('shows how many took each step, where they stopped and how long it took them', async () => {
    const shop = await world.newWorkspace()
    await shop.send([
      ...visitOf('ada', clock.ms - dayMs, ['/product/1', '/cart', '$purchase']),
      ...visitOf('bob', clock.ms - dayMs, ['/product/2', '/', '/cart']),
      ...visitOf('eve', clock.ms - dayMs, ['/product/2']),
    ])
    const steps = [{ path: '/product/:id' }, { path: '/cart' }, { event: '$purchase', label: 'Paid' }]
    const { body } = await shop.call(queryFunnel, { body: { siteId: shop.siteId, steps } })
    expect(body.steps).toEqual([
      { label: '$pageview /product/:id', entered: 3, dropOff: 1, conversionRate: 1, medianTimeMs: null },
      { label: '$pageview /cart', entered: 2, dropOff: 1, conversionRate: 2 / 3, medianTimeMs: 15_000 },
      { label: 'Paid', entered: 1, dropOff: 0, conversionRate: 1 / 3, medianTimeMs: 10_000 },
    ])
    expect(body.conversionRate).toBeCloseTo(1 / 3)
    const next = await shop.call(queryDropOff, { body: { siteId: shop.siteId, steps, step: 2 } })
    expect(next.body).toMatchObject({ dropOff: 1, next: [], left: { count: 1, share: 1 } })
    const [low = 1, high = 0] = body.ci90
    expect(low).toBeLessThan(1 / 3)
    expect(high).toBeGreaterThan(1 / 3)
  })
})

describe('the flow around a node', () => {
  test('shows what comes before and behind it, and an unknown node is refused', async () => {
    const shop = await world.newWorkspace()
    await shop.send(visitOf('ada', clock.ms - dayMs, ['/', '/product/1', '/product/2', '/cart', '/']))
    const query = { siteId: shop.siteId }
    const { body } = await shop.call(getFlowGraph, { query: { ...query, around: 'page:/cart' } })
    expect(body.edges.map(({ from, to, medianTimeMs }) => [from, to, medianTimeMs])).toEqual(
      [
        ['page:/', 'page:/product/:id', 10_000],
        ['page:/cart', 'page:/', 10_000],
        ['page:/product/:id', 'page:/cart', 10_000],
      ].filter(([from, to]) => from === 'page:/cart' || to === 'page:/cart'),
    )
    expect(body.nodes.find(({ id }) => id === 'page:/product/:id')).toMatchObject({ visits: 1, repeats: 1 })
    const unknown = await shop.call(getFlowGraph, { query: { ...query, around: 'page:/nowhere' } })
    expect(unknown.status).toBe(422)
    const onward = await shop.call(listJourneys, { query: { ...query, startsAt: 'page:/cart' } })
    expect(onward.body.journeys[0]?.steps.map(({ key }) => key)).toEqual(['page:/cart', 'page:/'])
  })
})

/** 40 sessions that buy, as many that stop on the way, and 120 that only look around. */
function shopDay(day: string, startMs: number): object[] {
  const way = ['/product/7', 'click:buy', '/cart', '$purchase']
  return Array.from({ length: 200 }, (_, index) => {
    const lookAround = index % 2 === 0 ? ['/', '/about'] : ['/about']
    const acts = index < 40 ? way : index < 80 ? way.slice(0, 1 + (index % 3)) : []
    return visitOf(`${day}-${index}`, startMs + index * minuteMs, [...lookAround, ...acts])
  }).flat()
}

describe('discovered funnels', () => {
  const steps = ['page:/product/:id', 'action:buy', 'page:/cart', 'event:$purchase']

  test('are found with names in plain words, can be checked by their steps, and keep id and name after another day', async () => {
    clock.ms = noon
    const shop = await world.newWorkspace()
    await shop.send(shopDay('first', noon - dayMs))
    const read = async (extra: object = {}): Promise<DiscoveredFunnels> =>
      (await shop.call(listFunnels, { query: { siteId: shop.siteId, window: '10d', ...extra } })).body
    const first = await read()
    expect(first.funnels.map((funnel) => funnel.steps.map(({ key }) => key))).toEqual([steps])
    const [found] = first.funnels
    if (found === undefined) throw new Error('nothing was found')
    expect(found).toMatchObject({
      name: 'Product page to purchase',
      kind: 'revenue',
      sessions: 80,
      status: 'discovered',
    })
    expect(found.why).toContain('40 of 200 sessions')
    expect(found.previous).toEqual({ sessions: 0, conversionRate: null })
    const given = await shop.call(queryFunnel, {
      body: { siteId: shop.siteId, window: '10d', steps: found.steps.map(({ match }) => match) },
    })
    expect(given.body.steps.map(({ entered }) => entered)).toEqual(found.steps.map(({ entered }) => entered))
    expect(given.body.steps.map(({ medianTimeMs }) => medianTimeMs)).toEqual(
      found.steps.map(({ medianTimeMs }) => medianTimeMs),
    )

    const renamed = await shop.call(updateFunnel, {
      params: { id: found.id },
      body: { name: 'Shop', status: 'pinned' },
    })
    expect(renamed.body).toMatchObject({ id: found.id, name: 'Shop', status: 'pinned' })
    expect((await read()).computedAt).toBe(first.computedAt)
    clock.ms = noon + 12 * 3_600_000
    await shop.send(shopDay('second', noon))
    const second = await read()
    expect(second.sessions).toBe(400)
    expect(second.funnels).toMatchObject([{ id: found.id, name: 'Shop', status: 'pinned', sessions: 160 }])
    expect(second.funnels[0]?.firstSeen).toBe(first.computedAt)

    await shop.call(updateFunnel, { params: { id: found.id }, body: { name: '', status: 'muted' } })
    expect((await read()).funnels).toEqual([])
    expect((await read({ includeMuted: true })).funnels).toMatchObject([
      { name: found.name, status: 'muted' },
    ])
    const { body: log } = await shop.call(listAuditLog, { query: {} })
    expect(log.data.filter(({ action }) => action === 'funnel.updated')).toHaveLength(2)
  })

  test('are served from the cache for a while and refreshed in the background', async () => {
    clock.ms = noon
    const shop = await world.newWorkspace()
    const query = { siteId: shop.siteId }
    const first = (await shop.call(listFunnels, { query })).body
    await shop.send(shopDay('kept', noon - dayMs))
    clock.ms = noon + 2 * minuteMs
    expect(undated((await shop.call(listFunnels, { query })).body)).toEqual(undated(first))
    const sessions = async () => (await shop.call(listFunnels, { query })).body.sessions
    await untilTrue('the new answer', async () => (await sessions()) === 200)
  })

  test('are not claimed for fewer than 30 sessions', async () => {
    clock.ms = noon
    const shop = await world.newWorkspace()
    const day = shopDay('few', noon - dayMs)
    // The first sessions are those that buy, in four events and one or two before them.
    const isOfFirst = (event: object) =>
      'anonymous_id' in event && /^few-(?:1[1-9]|[2-9]\d|1\d\d)$/.test(String(event.anonymous_id))
    await shop.send(day.filter(isOfFirst))
    const { body } = await shop.call(listFunnels, { query: { siteId: shop.siteId } })
    expect(body.supportMin).toBe(30)
    expect(body.funnels).toEqual([])
  })

  test('that do not exist cannot be changed', async () => {
    const shop = await world.newWorkspace()
    const answer = await shop.call(updateFunnel, { params: { id: 'fun_none' }, body: { status: 'muted' } })
    expect(answer.status).toBe(404)
  })
})

test('the overview takes filters one by one and together', async () => {
  clock.ms = noon
  const shop = await world.newWorkspace()
  await shop.send([
    ...visitOf('ada', noon - dayMs, ['/product/1', '/cart']),
    ...visitOf('bob', noon - dayMs, ['/product/2', '/blog/2026/x']),
  ])
  const count = async (filter: object) =>
    (await shop.call(getOverview, { query: { siteId: shop.siteId, window: '7d', ...filter } })).body.metrics
      .events
  expect(await count({ path: '/product/:id' })).toBe(2)
  expect(await count({ path: '/blog/*' })).toBe(1)
  expect(await count({ path: '/product/1' })).toBe(1)
  expect(await count({ path: '/product/:id', event: '$click' })).toBe(0)
  expect(await count({ source: 'nowhere' })).toBe(0)
})
