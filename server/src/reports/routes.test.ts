import {
  createReport,
  deleteReport,
  getFlowGraph,
  getOverview,
  getReport,
  getReportResult,
  getRetention,
  listErrors,
  listJourneys,
  listReports,
  queryFunnel,
  type Report,
  reportLimits,
  runQuery,
  updateReport,
} from '@assay/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hourMs } from '../platform/units.ts'
import { startWorld, type TestWorkspace, undated, type World } from '../testing/harness.ts'

const clock = { ms: Date.UTC(2026, 10, 10, 12) }
let world: World
let shop: TestWorkspace

beforeAll(async () => {
  world = await startWorld({ now: () => clock.ms })
  shop = await world.newWorkspace()
  const visits = Array.from({ length: 12 }, (_, nth) => nth).flatMap((nth) => {
    const shared = { anonymous_id: `visitor-${nth % 7}`, session_id: `s-${nth}`, historical: true }
    const at = (minutes: number) => new Date(clock.ms - nth * 7 * hourMs + minutes * 60_000).toISOString()
    const page = { url: `https://shop.example${nth % 2 === 0 ? '/cart' : '/blog'}`, title: 'Page' }
    return [
      { ...shared, event: '$pageview', ts: at(-5), properties: page },
      {
        ...shared,
        event: 'error',
        ts: at(-4),
        properties: { message: `Broken ${nth % 2}`, name: 'TypeError' },
      },
      ...(nth % 3 === 0
        ? [
            {
              ...shared,
              event: '$purchase',
              ts: at(-3),
              properties: { amount: 5, currency: 'EUR', order_id: `o-${nth}` },
            },
          ]
        : []),
    ]
  })
  await shop.send(
    visits.map((event, nth) => ({ ...event, event_id: `report-${nth}` })),
    { outcomes: ['accept', 'warn'] },
  )
})
afterAll(() => world?.close())

const save = (body: Pick<Report, 'kind' | 'question'> & Partial<Pick<Report, 'view'>>, name = 'Saved') =>
  shop.call(createReport, { body: { siteId: shop.siteId, name, ...body } })

test('a report keeps how its answer is shown, which only a query can say', async () => {
  const query = { kind: 'query', question: { metrics: ['visitors'], dimensions: ['time:day'] } } as const
  const { body: plain } = await save(query)
  expect(plain.view).toBeNull()
  const { body: report } = await save({ ...query, view: 'stacked' })
  const params = { id: report.id }
  expect((await shop.call(getReport, { params })).body.view).toBe('stacked')
  expect((await shop.call(getReportResult, { params, query: {} })).body.view).toBe('stacked')
  await shop.call(updateReport, { params, body: { name: 'Renamed' } })
  expect((await shop.call(getReport, { params })).body.view).toBe('stacked')
  const { body: without } = await shop.call(updateReport, { params, body: { view: null } })
  expect(without.view).toBeNull()
  const overview = { siteId: shop.siteId, kind: 'overview', name: 'x', question: {} } as const
  const refused = await shop.call(createReport, { body: { ...overview, view: 'bars' } })
  expect(refused.problem).toMatchObject({ status: 422, errors: [{ field: 'view' }] })
})

const steps = [{ path: '/cart' }, { event: '$purchase' }]

describe('the result of a report is what its route answers', () => {
  const asked = () => ({ siteId: shop.siteId })
  const query = { window: '7d', metrics: ['visitors' as const], dimensions: ['page'] }
  const cases: [Pick<Report, 'kind' | 'question'>, () => Promise<{ body: object }>][] = [
    [{ kind: 'query', question: query }, () => shop.call(runQuery, { body: { ...asked(), ...query } })],
    [
      { kind: 'overview', question: { window: '7d', interval: 'day' } },
      () => shop.call(getOverview, { query: { ...asked(), window: '7d', interval: 'day' } }),
    ],
    [
      { kind: 'funnel', question: { window: '7d', steps, by: 'person' } },
      () => shop.call(queryFunnel, { body: { ...asked(), window: '7d', steps, by: 'person' } }),
    ],
    [
      { kind: 'retention', question: { window: '7d', interval: 'day' } },
      () => shop.call(getRetention, { query: { ...asked(), window: '7d', interval: 'day' } }),
    ],
    [
      { kind: 'flow', question: { window: '7d', nodes: 10 } },
      () => shop.call(getFlowGraph, { query: { ...asked(), window: '7d', nodes: 10 } }),
    ],
    [
      { kind: 'journeys', question: { window: '7d', steps: 3 } },
      () => shop.call(listJourneys, { query: { ...asked(), window: '7d', steps: 3 } }),
    ],
    [
      { kind: 'errors', question: { window: '7d', limit: 1 } },
      () => shop.call(listErrors, { query: { ...asked(), window: '7d', limit: 1 } }),
    ],
  ]
  test.each(cases.map(([body, ask]) => [body.kind, body, ask] as const))('%s', async (_, body, ask) => {
    const { status, body: made } = await save(body)
    expect(status).toBe(201)
    const { dataUntil: _until, pendingEvents: _pending, ...expected } = Object(undated((await ask()).body))
    const { body: answer } = await shop.call(getReportResult, { params: { id: made.id }, query: {} })
    expect(answer).toMatchObject({ siteId: shop.siteId, ...body, dataUntil: expect.any(String) })
    expect(undated(answer.result)).toEqual(expected)
  })
})

test('another period replaces that of the question, and a filter is added to it', async () => {
  const { body: made } = await save({ kind: 'funnel', question: { window: '30d', steps, device: 'desktop' } })
  const params = { id: made.id }
  const query = { from: '2026-11-09', to: '2026-11-09', path: '/cart' }
  const { body } = await shop.call(getReportResult, { params, query })
  const { path, ...period } = query
  expect(body.question).toEqual({ steps, device: 'desktop', ...period, filters: [['is', 'page', [path]]] })
  const { body: direct } = await shop.call(queryFunnel, {
    body: { siteId: shop.siteId, steps, device: 'desktop', ...query },
  })
  const { dataUntil: _until, pendingEvents: _pending, ...expected } = direct
  expect(body.result).toEqual(expected)
  const { body: errors } = await save({ kind: 'errors', question: {} })
  const german = await shop.call(getReportResult, { params: { id: errors.id }, query: { country: 'DE' } })
  expect(german.body.question).toEqual({ filters: [['is', 'country', ['DE']]] })
})

test('reports are listed by site and kind, page by page, changed and deleted', async () => {
  const other = await world.newWorkspace()
  const body = { siteId: other.siteId, kind: 'overview' as const, name: ' One ', question: {} }
  const made: Report[] = []
  for (const kind of ['overview', 'retention', 'overview'] as const) {
    made.push((await other.call(createReport, { body: { ...body, kind } })).body)
  }
  expect(made[0]).toMatchObject({ name: 'One', description: '' })
  const found: Report[] = []
  let cursor: string | undefined
  do {
    const query = { siteId: other.siteId, limit: 2, ...(cursor !== undefined && { cursor }) }
    const { body: page } = await other.call(listReports, { query })
    found.push(...page.data)
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined)
  expect(found).toEqual(made.toSorted((one, two) => (one.id < two.id ? -1 : 1)))
  const { body: some } = await other.call(listReports, { query: { kind: 'retention' } })
  expect(some.data).toEqual([made[1]])
  const params = { id: made[0]?.id ?? '' }
  const changed = await other.call(updateReport, {
    params,
    body: { name: 'Two', question: { window: '7d' } },
  })
  expect(changed.body).toMatchObject({ name: 'Two', question: { window: '7d' } })
  expect((await other.call(getReport, { params })).body).toEqual(changed.body)
  expect((await other.call(updateReport, { params, body: { question: { steps: [] } } })).status).toBe(422)
  expect((await shop.call(getReport, { params })).status).toBe(404)
  expect((await other.call(deleteReport, { params })).status).toBe(204)
  for (const gone of [getReport, deleteReport]) expect((await other.call(gone, { params })).status).toBe(404)
  expect((await other.call(getReportResult, { params, query: {} })).status).toBe(404)
})

describe('a question that its route would refuse is not saved', () => {
  test.each([
    ['a member that the kind does not have', { kind: 'overview', question: { steps: [] } }, 'question.steps'],
    ['a site', { kind: 'overview', question: { siteId: 'x' } }, 'question.siteId'],
    ['no steps', { kind: 'funnel', question: {} }, 'question.steps'],
    ['a step of nothing', { kind: 'funnel', question: { steps: [{ label: 'x' }] } }, 'steps[0]'],
    ['too long a time', { kind: 'funnel', question: { steps, within: '500d' } }, 'within'],
    ['a period that is too long', { kind: 'retention', question: { window: '500d' } }, 'window'],
    ['a zone that is none', { kind: 'flow', question: { timezone: 'Mars' } }, 'timezone'],
    ['hours of a year', { kind: 'overview', question: { window: '365d', interval: 'hour' } }, 'interval'],
    [
      'hours of a year in a query',
      { kind: 'query', question: { window: '365d', metrics: ['visitors'], dimensions: ['time:hour'] } },
      'dimensions',
    ],
    ['a metric that is none', { kind: 'query', question: { metrics: ['x'] } }, 'question.metrics[0]'],
    ['a cursor', { kind: 'errors', question: { cursor: 'x' } }, 'question.cursor'],
  ] as const)('%s', async (_, body, field) => {
    const refused = await save(body)
    expect(refused.status).toBe(422)
    expect(refused.problem).toMatchObject({ errors: [{ field }] })
  })

  test('nor one without a name, of a kind that is none, or beyond as many as a site may have', async () => {
    expect((await save({ kind: 'overview', question: {} }, ' ')).status).toBe(422)
    const other = await world.newWorkspace()
    await world.product.deps.control.query(
      `INSERT INTO reports (workspace_id, id, site_id, kind, name, description, question, owner, created_at, updated_at)
       SELECT $1, 'rep_' || lpad(nth::text, 26, '0'), $2, 'overview', 'x', '', '{}', 'x', now(), now()
       FROM generate_series(1, $3) AS nth`,
      [other.workspaceId, other.siteId, reportLimits.reportsMax],
    )
    const body = { siteId: other.siteId, kind: 'overview' as const, name: 'x', question: {} }
    expect((await other.call(createReport, { body })).status).toBe(409)
    expect((await other.call(createReport, { body: { ...body, siteId: shop.siteId } })).status).toBe(404)
  })
})
