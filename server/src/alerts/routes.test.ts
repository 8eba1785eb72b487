import {
  type Alert,
  alertLimits,
  createAlert,
  createReport,
  deleteAlert,
  getAlert,
  type Input,
  listAlerts,
  listAuditLog,
  listFirings,
  previewAlert,
  updateAlert,
} from '@assay/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../platform/clock.ts'
import { startWorld, type TestWorkspace, type World } from '../testing/harness.ts'

const clock = { ms: Date.UTC(2026, 10, 10, 12) }
let world: World
let shop: TestWorkspace

beforeAll(async () => {
  world = await startWorld({ control: 'embedded', now: () => clock.ms })
  shop = await world.newWorkspace()
})
afterAll(() => world?.close())

type Body = Input<typeof createAlert>['body']
const body = (more: object = {}): Body =>
  Object({
    siteId: shop.siteId,
    name: 'Few visitors',
    question: { metric: 'visitors' },
    interval: 'day',
    condition: { type: 'below', value: 10 },
    isPaused: true,
    ...more,
  })
const save = (more: object = {}) => shop.call(createAlert, { body: body(more) })

test('an alert is saved, read, listed, changed and deleted, and each write is in the audit log', async () => {
  const { status, body: made } = await save({ recipients: [' ada@example.com '], notice: true })
  expect(status).toBe(201)
  expect(made).toMatchObject({
    name: 'Few visitors',
    question: { metric: 'visitors' },
    reportId: null,
    recipients: ['ada@example.com'],
    slackUrl: null,
    notice: true,
    state: 'unknown',
    lastValue: null,
    nextCheckAt: null,
  })
  const params = { id: made.id }
  expect((await shop.call(getAlert, { params })).body).toEqual(made)
  const { body: page } = await shop.call(listAlerts, { query: { siteId: shop.siteId } })
  expect(page.data).toContainEqual(made)
  clock.ms += 1_000
  const change = { name: 'Fewer', condition: { type: 'changedBy', share: 0.5, direction: 'down' } as const }
  const { body: changed } = await shop.call(updateAlert, { params, body: change })
  expect(changed).toEqual({ ...made, ...change, updatedAt: new Date(clock.ms).toISOString() })
  expect((await shop.call(listFirings, { params, query: {} })).body).toEqual({ data: [], nextCursor: null })
  expect((await shop.call(deleteAlert, { params })).status).toBe(204)
  expect((await shop.call(getAlert, { params })).status).toBe(404)
  const { body: log } = await shop.call(listAuditLog, { query: {} })
  const actions = log.data.filter(({ object }) => object.id === made.id).map(({ action }) => action)
  expect(actions.sort()).toEqual(['alert.created', 'alert.deleted', 'alert.updated'])
})

test('the address of Slack is stored sealed, shown masked, replaced and removed', async () => {
  const slackUrl = 'https://hooks.slack.com/services/T000/B000/very-secret-part'
  const { body: made } = await save({ slackUrl })
  expect(made.slackUrl).toBe('https://hooks.slack.com/…part')
  const { control } = world.product.deps
  const [row] = await control.query<{ slack_url: string }>('SELECT slack_url FROM alerts WHERE id = $1', [
    made.id,
  ])
  expect(row?.slack_url).toMatch(/^v1\./)
  const params = { id: made.id }
  const { body: log } = await shop.call(listAuditLog, { query: {} })
  expect(JSON.stringify(log)).not.toContain('very-secret')
  const { body: short } = await shop.call(updateAlert, {
    params,
    body: { slackUrl: 'https://chat.example/x' },
  })
  expect(short.slackUrl).toBe('https://chat.example/…')
  const { body: none } = await shop.call(updateAlert, { params, body: { slackUrl: null } })
  expect(none.slackUrl).toBeNull()
})

describe('what cannot be watched is refused, and the answer says where', () => {
  const refused: [string, object, string][] = [
    ['nothing', { question: undefined }, 'question'],
    ['both', { reportId: 'rep_x' }, 'reportId'],
    ['a metric of a question', { reportMetric: 'visitors' }, 'reportMetric'],
    ['an unknown metric', { question: { metric: 'hits' } }, 'question.metric'],
    [
      'a formula without its parts',
      { question: { metric: { as: 'A', formula: 'B / 2' } } },
      'question.metric.formula',
    ],
    [
      'a wrong part',
      { question: { metric: { as: 'A', formula: 'B' }, parts: [{ as: 'B', math: 'sum' }] } },
      'question.parts[0].property',
    ],
    [
      'a wrong filter',
      { question: { metric: 'visitors', filters: [['is', 'nothing', ['x']]] } },
      'question.filters[0][1]',
    ],
    ['spaces as a name', { name: '  ' }, 'name'],
    ['no address', { recipients: ['ada@example.com', 'nobody'] }, 'recipients[1]'],
    ['a login in an address', { slackUrl: 'https://me:secret@hooks.example/x' }, 'slackUrl'],
  ]
  test.each(refused)('%s', async (_, more, field) => {
    const { status, problem } = await save(more)
    expect([status, problem.errors?.[0]?.field]).toEqual([422, field])
  })

  const shapes: [string, object][] = [
    ['an interval', { interval: 'month' }],
    ['a condition', { condition: { type: 'near', value: 1 } }],
    ['a condition with too much', { condition: { type: 'above', value: 1, share: 2 } }],
    ['an infinite limit', { condition: { type: 'above', value: 1e300 } }],
    ['no share', { condition: { type: 'changedBy', share: 0, direction: 'up' } }],
    ['too many recipients', { recipients: Array.from({ length: 21 }, (_, nth) => `a${nth}@example.com`) }],
    ['no web address', { slackUrl: 'ftp://example.com/' }],
  ]
  test.each(shapes)('%s', async (_, more) => {
    expect((await save(more)).status).toBe(422)
  })
})

test('a report that is not there, of another kind, or of another workspace is refused', async () => {
  const other = await world.newWorkspace()
  const overview = { kind: 'overview' as const, name: 'Overview', question: {} }
  const { body: theirs } = await other.call(createReport, { body: { siteId: other.siteId, ...overview } })
  const { body: ours } = await shop.call(createReport, { body: { siteId: shop.siteId, ...overview } })
  const of = async (reportId: string) => (await save({ question: undefined, reportId })).status
  expect([await of(newId('rep')), await of(theirs.id), await of(ours.id)]).toEqual([404, 404, 422])
})

test('another workspace neither sees nor changes an alert', async () => {
  const { body: made } = await save()
  const other = await world.newWorkspace()
  const params = { id: made.id }
  expect((await other.call(getAlert, { params })).status).toBe(404)
  expect((await other.call(updateAlert, { params, body: { name: 'x' } })).status).toBe(404)
  expect((await other.call(deleteAlert, { params })).status).toBe(404)
  expect((await other.call(listFirings, { params, query: {} })).status).toBe(404)
  const { siteId } = shop
  expect((await other.call(listAlerts, { query: { siteId } })).status).toBe(404)
  const { question, interval, condition } = body()
  const asked = { siteId, interval, condition, ...(question !== undefined && { question }) }
  expect((await other.call(previewAlert, { body: asked })).status).toBe(404)
})

test('a site has a hundred alerts, in pages', async () => {
  const busy = await world.newWorkspace()
  const made: Alert[] = []
  for (let nth = 0; nth < alertLimits.alertsMax; nth++) {
    made.push((await busy.call(createAlert, { body: body({ siteId: busy.siteId }) })).body)
  }
  expect((await busy.call(createAlert, { body: body({ siteId: busy.siteId }) })).status).toBe(409)
  const { body: first } = await busy.call(listAlerts, { query: { limit: 60 } })
  const { body: second } = await busy.call(listAlerts, {
    query: { limit: 60, cursor: first.nextCursor ?? '' },
  })
  expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(made.map(({ id }) => id).sort())
  expect(second.nextCursor).toBeNull()
})
