import { request as httpRequest } from 'node:http'
import {
  createAlert,
  createAnnotation,
  createAudience,
  createBoard,
  createDigest,
  createErrorRule,
  createGoal,
  createMapping,
  createReport,
  createShare,
  createSite,
  duplicateBoard,
  getBoard,
  getSite,
  getTileResult,
  listQuarantined,
  listSiteFigures,
  listSites,
  mintApiKey,
  type RouteShape,
  recordReplay,
  routes,
  siteBindingOf,
  startBackfill,
  track,
  updateSite,
} from '@assay/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWorld, type TestWorkspace, undated, type World } from './testing/harness.ts'

let world: World
let workspace: TestWorkspace
/** A key of every scope, bound to the first site of a workspace with two. */
let bound: string
let otherSite: string
/** What the other site has, by its kind. */
const others = new Map<string, string>()
const own = new Map<string, string>()

beforeAll(async () => {
  world = await startWorld({ control: 'embedded' })
  workspace = await world.newWorkspace({ preset: 'strict' })
  const second = { name: 'Other', domain: 'other.example' }
  otherSite = (await workspace.call(createSite, { body: second })).body.id
  bound = await mint('secret', workspace.siteId)
  for (const [siteId, made] of [
    [workspace.siteId, own],
    [otherSite, others],
  ] as const) {
    await makeThings(siteId, made)
  }
})
afterAll(() => world?.close())

async function mint(kind: 'secret' | 'public', siteId: string): Promise<string> {
  const scopes = kind === 'public' ? {} : { scopes: ['*' as const] }
  const body = { kind, name: 'Bound', site_id: siteId, ...scopes }
  const { status, body: minted } = await workspace.call(mintApiKey, { body })
  expect(status).toBe(201)
  return minted.key
}

const watched = {
  name: 'Few visitors',
  question: { metric: 'visitors' as const },
  interval: 'day' as const,
  condition: { type: 'below' as const, value: 1 },
  isPaused: true,
}

/** One of each kind of thing that a site has. */
async function makeThings(siteId: string, made: Map<string, string>): Promise<void> {
  const eventId = `event-of-${siteId}`
  await workspace.call(track, {
    body: { event: 'never_registered', event_id: eventId, user_id: 'u', site_id: siteId },
  })
  const rules = { all: [{ field: 'events', op: 'gt' as const, value: 0 }] }
  const audience = await workspace.call(createAudience, { body: { siteId, name: 'Everybody', rules } })
  const annotation = await workspace.call(createAnnotation, { body: { siteId, text: 'Prices raised' } })
  const goal = await workspace.call(createGoal, { body: { siteId, name: 'Goal', event: '$signup' } })
  const report = await workspace.call(createReport, {
    body: { siteId, kind: 'overview', name: 'Overview', question: {} },
  })
  const board = await workspace.call(createBoard, { body: { siteId, name: 'Board' } })
  const share = await workspace.call(createShare, { body: { siteId, type: 'overview' } })
  const digest = await workspace.call(createDigest, {
    body: { siteId, type: 'overview', recipients: ['bound@example.com'] },
  })
  const alert = await workspace.call(createAlert, { body: { ...watched, siteId } })
  const rule = { siteId, source: 'bought_it', target: '$purchase' }
  const mapping = await workspace.call(createMapping, { body: rule })
  const errorRule = await workspace.call(createErrorRule, {
    body: { siteId, match: { title: 'Wrong' }, errorGroup: 'wrong' },
  })
  const backfill = await workspace.call(startBackfill, {
    params: { id: mapping.body.id },
    body: { siteId, from: '2026-01-01', to: '2026-01-02' },
  })
  const replay = `replay-of-${siteId}`
  const chunk = { chunk_id: 'chunk-of-one', session_id: 's', anonymous_id: 'a', sent_at: 1 }
  const recorded = { replay_id: replay, ...chunk, events: [{ type: 4, timestamp: 1, data: {} }] }
  await workspace.call(recordReplay, { body: recorded }, { key: await mint('public', siteId) })
  await workspace.settle()
  const held = await workspace.call(listQuarantined, { query: { site_id: siteId } })
  const names = { event: eventId, mapping: mapping.body.id, replay, ...(await insertFound(siteId)) }
  for (const [kind, id] of Object.entries(names)) made.set(kind, id)
  for (const [kind, { body }] of Object.entries({
    alert,
    annotation,
    digest,
    share,
    audience,
    board,
    goal,
    report,
    errorRule,
    backfill,
  })) {
    made.set(kind, 'id' in body ? String(body.id) : '')
  }
  made.set('held', held.body.data[0]?.id ?? '')
  expect([...made].filter(([, id]) => id === '')).toEqual([])
}

/** What the product finds automatically after days of traffic. */
async function insertFound(siteId: string): Promise<Record<string, string>> {
  const ids = { funnel: `fun_${siteId}`, driftAlert: `drf_${siteId}`, anomaly: `ano_${siteId}` }
  const { control } = world.product.deps
  const whose = [workspace.workspaceId, siteId]
  await control.query(
    `INSERT INTO funnels (id, workspace_id, site_id, steps, found_name, first_seen, last_seen)
     VALUES ($3, $1, $2, '[]', 'x', now(), now())`,
    [...whose, ids.funnel],
  )
  await control.query(
    `INSERT INTO drift_alerts (workspace_id, site_id, id, page, selector, text, kind, severity, opened_at,
       last_seen_at, expected_per_day, observed, affected_events, status)
     VALUES ($1, $2, $3, '/', 'a', 'x', 'gone', 'high', now(), now(), 1, 0, '[]', 'open')`,
    [...whose, ids.driftAlert],
  )
  await control.query(
    `INSERT INTO health_anomalies (workspace_id, site_id, id, type, event_name, issue, started_at, observed,
       expected, score, severity, cause, cause_group, is_alert, status, created_at, updated_at)
     VALUES ($1, $2, $3, 'volume', 'x', '', now(), 0, 1, 1, 'high', '{}', '', true, 'open', now(), now())`,
    [...whose, ids.anomaly],
  )
  return ids
}

type Asked = { path: string; body?: object }

async function ask(route: RouteShape, { path, body = {} }: Asked, key = bound) {
  const response = await fetch(`${world.product.url}${path}`, {
    method: route.method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(route.method !== 'GET' && { 'content-type': 'application/json' }),
    },
    ...(route.method !== 'GET' && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  const { instance: _, ...said } = text === '' ? { instance: '' } : JSON.parse(text)
  return { status: response.status, said: undated(said) }
}

/** The least that is valid, where a route needs more than a site. */
const bodies: Readonly<Record<string, object>> = {
  createMapping: { source: 'paid_it', target: '$purchase' },
  updateMapping: { target: '$purchase' },
  startBackfill: { from: '2026-01-01', to: '2026-01-02' },
  queryFunnel: { steps: [{ event: '$pageview' }, { event: '$purchase' }] },
  queryDropOff: { steps: [{ event: '$pageview' }, { event: '$purchase' }], step: 1 },
  createAnnotation: { text: 'New' },
  updateAnnotation: { text: 'Changed' },
  createGoal: { name: 'New', event: '$signup' },
  updateGoal: { name: 'Renamed' },
  createReport: { kind: 'overview', name: 'New', question: {} },
  updateReport: { name: 'Renamed' },
  createBoard: { name: 'New' },
  updateBoard: { name: 'Renamed' },
  createShare: { type: 'overview' },
  updateShare: { theme: 'dark' },
  createDigest: { type: 'overview', recipients: ['bound@example.com'] },
  updateDigest: { hour: 9 },
  testDigest: { email: 'bound@example.com' },
  runQuery: { metrics: ['visitors'] },
  runSql: { query: 'SELECT count() FROM events' },
  createAlert: watched,
  updateAlert: { name: 'Renamed' },
  previewAlert: { question: watched.question, interval: 'day', condition: watched.condition },
  createAudience: { name: 'New', rules: { all: [{ field: 'events', op: 'gt', value: 0 }] } },
  updateAudience: { name: 'Renamed' },
  updateFunnel: { status: 'pinned' },
  updateDrift: { status: 'muted' },
  updateError: { state: 'muted' },
  createErrorRule: { match: { title: 'New' }, errorGroup: 'new' },
  updateErrorRule: { errorGroup: 'changed' },
  previewErrorRule: { rule: null },
  muteAnomaly: { days: 1 },
  updateSite: { name: 'Renamed' },
}
const days = '&from=2026-01-01&to=2026-01-02'
const queries: Readonly<Record<string, string>> = {
  getOrderValueCorrelation: '&errorGroup=x',
  listValues: '&dimension=country',
  listOutcomes: days,
  getAttributionReport: days,
}
/** There a site is one filter among others, and what nothing matches is an empty list. */
const filtered = ['listQuarantined', 'countQuarantined']

function naming(route: RouteShape, id: string): Asked {
  const binding = siteBindingOf(route)
  const given = bodies[route.id] ?? {}
  const path = (value: string) => route.path.replace(/:[A-Za-z_]+/g, value)
  if (binding?.by !== 'member') return { path: path(id), body: given }
  if (binding.part === 'params') return { path: path(id), body: given }
  const mapping = path(own.get('mapping') ?? '')
  if (binding.part === 'body') return { path: mapping, body: { ...given, [binding.name]: id } }
  return { path: `${mapping}?${binding.name}=${id}${queries[route.id] ?? ''}`, body: given }
}

const guarded = routes.filter(({ access }) => ['read', 'write', 'person'].includes(access))

describe('with a key that is bound to a site', () => {
  const closed = guarded.filter((route) => siteBindingOf(route) === null)
  test.each(closed.map((route) => ({ id: route.id, route })))(
    '$id, which is about the whole workspace, is refused',
    async ({ route }) => {
      const { status, said } = await ask(route, { path: route.path.replace(/:[A-Za-z_]+/g, 'x') })
      expect(status).toBe(403)
      expect(said.type).toMatch(/insufficient-scope$/)
    },
  )

  const named = guarded.filter((route) => siteBindingOf(route)?.by === 'member')
  test.each(named.map((route) => ({ id: route.id, route })))(
    'another site is to $id what no site is',
    async ({ route }) => {
      const none = await ask(route, naming(route, 'site_none'))
      if (filtered.includes(route.id)) expect(none.status).toBe(200)
      else expect(none).toMatchObject({ status: 404, said: { detail: 'There is no such site.' } })
      expect(await ask(route, naming(route, otherSite))).toEqual(none)
    },
  )

  const byId = guarded.filter((route) => ['resource', 'answer'].includes(siteBindingOf(route)?.by ?? ''))
  test.each(byId.map((route) => ({ id: route.id, route })))(
    'what belongs to another site is to $id what does not exist, and what belongs to its own is there',
    async ({ route }) => {
      const binding = siteBindingOf(route)
      const kind =
        binding?.by === 'resource' ? binding.resource : route.id === 'getReceipt' ? 'event' : 'held'
      const none = await ask(route, naming(route, 'none_such'))
      expect(none.status).toBe(404)
      expect(await ask(route, naming(route, others.get(kind) ?? ''))).toEqual(none)
      // The other way round it is there for a key of the whole workspace, so it was not just missing.
      if (route.method !== 'GET') return
      expect((await ask(route, naming(route, others.get(kind) ?? ''), workspace.keys.secret)).status).toBe(
        200,
      )
      expect((await ask(route, naming(route, own.get(kind) ?? ''))).status).toBe(200)
    },
  )

  test('every other open route says nothing of a site, or asks for the site of the key itself', () => {
    const rest = guarded.filter((route) => ['shared', 'rule'].includes(siteBindingOf(route)?.by ?? ''))
    expect(rest.map(({ id }) => id).toSorted()).toEqual(
      [
        'duplicateBoard',
        'generateCode',
        'getBoard',
        'getContract',
        'getQuery',
        'getRevenueImpact',
        'getTileResult',
        'listContracts',
        'listPacks',
        'listSiteFigures',
        'listSites',
        'validateEvents',
      ].toSorted(),
    )
  })

  test('its own site is listed alone, read and changed', async () => {
    const { body: list } = await workspace.call(listSites, { query: {} }, { key: bound })
    expect(list.data.map(({ id }) => id)).toEqual([workspace.siteId])
    expect(list.nextCursor).toBeNull()
    const figures = await workspace.call(listSiteFigures, { query: {} }, { key: bound })
    expect(figures.body.sites.map(({ siteId }) => siteId)).toEqual([workspace.siteId])
    expect(figures.body.total).toBe(1)
    const mine = { params: { id: workspace.siteId } }
    expect((await workspace.call(getSite, mine, { key: bound })).status).toBe(200)
    const renamed = await workspace.call(updateSite, { ...mine, body: { name: 'New name' } }, { key: bound })
    expect(renamed.body.name).toBe('New name')
    const held = await workspace.call(listQuarantined, { query: {} }, { key: bound })
    expect(new Set(held.body.data.map(({ site_id }) => site_id))).toEqual(new Set([workspace.siteId]))
  })

  test('boards of its own site are read and duplicated, ready ones too, and no others', async () => {
    const key = { key: bound }
    const ids = (siteId: string, made: Map<string, string>) => [made.get('board') ?? '', `traffic.${siteId}`]
    for (const id of ids(workspace.siteId, own)) {
      expect((await workspace.call(getBoard, { params: { id } }, key)).status).toBe(200)
      expect((await workspace.call(duplicateBoard, { params: { id }, body: {} }, key)).status).toBe(201)
    }
    const overview = { id: `traffic.${workspace.siteId}`, tile: 'overview' }
    expect((await workspace.call(getTileResult, { params: overview, query: {} }, key)).status).toBe(200)
    for (const id of ids(otherSite, others)) {
      expect((await workspace.call(getBoard, { params: { id } }, key)).status).toBe(404)
      expect((await workspace.call(duplicateBoard, { params: { id }, body: {} }, key)).status).toBe(404)
      const params = { id, tile: 'overview' }
      expect((await workspace.call(getTileResult, { params, query: {} }, key)).status).toBe(404)
    }
  })

  test('the body of a GET does not lead to another site either', async () => {
    const impactOf = (siteId: string) => getWithBody('/api/v1/errors/revenue-impact', { siteId })
    expect(await impactOf(otherSite)).toBe(404)
    expect(await impactOf('site_none')).toBe(404)
    expect(await impactOf(workspace.siteId)).not.toBe(404)
  })
})

function getWithBody(path: string, body: object): Promise<number> {
  return new Promise((resolve, reject) => {
    const text = JSON.stringify(body)
    const headers = { authorization: `Bearer ${bound}`, 'content-length': String(text.length) }
    const sent = httpRequest(`${world.product.url}${path}`, { method: 'GET', headers }, (answer) => {
      answer.resume()
      answer.on('end', () => resolve(answer.statusCode ?? 0))
    })
    sent.on('error', reject)
    sent.end(text)
  })
}

test('the token of a site is shown to live keys that may change the site, and to no others', async () => {
  const mine = { params: { id: workspace.siteId } }
  const tokenFor = async (key: string) =>
    (await workspace.call(getSite, mine, { key })).body.ingestToken !== undefined
  const withScopes = async (scopes: readonly ('sites:read' | 'sites:write')[]) => {
    const body = { kind: 'secret' as const, name: 'x', scopes: [...scopes] }
    return (await workspace.call(mintApiKey, { body })).body.key
  }
  expect(await tokenFor(workspace.keys.live)).toBe(true)
  expect(await tokenFor(await withScopes(['sites:read', 'sites:write']))).toBe(true)
  expect(await tokenFor(await withScopes(['sites:read']))).toBe(false)
  expect(await tokenFor(workspace.keys.test)).toBe(false)
})
