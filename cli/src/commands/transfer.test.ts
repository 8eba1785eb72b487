import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  addPersonNote,
  alias,
  batch,
  computeAttribution,
  createAlert,
  createAnnotation,
  createAudience,
  createBoard,
  createContract,
  createDefinition,
  createDestination,
  createDigest,
  createErrorRule,
  createGoal,
  createMapping,
  createReport,
  createSite,
  createWebhookConnection,
  discardQuarantined,
  getAttributionJob,
  getBackfill,
  getReceipt,
  identify,
  installPack,
  listBackfills,
  listDestinations,
  listErrors,
  listFunnels,
  listLedger,
  listMappings,
  listQuarantined,
  listWebhookConnections,
  mergePeople,
  recordConsent,
  recordReplay,
  resolveIdentity,
  reverseMerge,
  routes,
  setAttributionPolicy,
  setHealthSettings,
  setSeverities,
  startBackfill,
  track,
  updateError,
  updateFunnel,
} from '@assay/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { FirstRun } from '../../../server/src/app/first-run.ts'
import { makeTraffic } from '../../../server/src/demo/traffic.ts'
import { type ChildProduct, startChild } from '../../../server/src/testing/child-product.ts'
import {
  sharedStores,
  startWorld,
  type TestWorkspace,
  untilTrue,
  type World,
  withCalls,
} from '../../../server/src/testing/harness.ts'
import {
  controlTables,
  eventsTables,
  passingEventsTables,
  stayingTables,
} from '../../../server/src/transfers/tables.ts'
import { openQuarantineStore, type QuarantineStore } from '../testing/held-store.ts'
import { openShell, type Said, type Shell, type ShellOptions } from '../testing/shell.ts'

const noonMs = Date.parse('2026-11-10T12:00:00Z')
const dayMs = 86_400_000
const config = { ingestEventsPerSecond: 1e6, publicUrl: 'https://assay.example' }

const now = () => noonMs

let from: World
/** The target: first a separate process, which is killed, then a test server on its data. */
let to: World
let store: QuarantineStore
let source: TestWorkspace
let target: TestWorkspace
const dataDir = mkdtempSync(join(tmpdir(), 'assay-transfer-'))
const shell: Shell = openShell()

beforeAll(async () => {
  const { clickhouseUrl, controlTemplate } = await sharedStores()
  cpSync(controlTemplate, join(dataDir, 'control'), { recursive: true })
  store = await openQuarantineStore(clickhouseUrl)
  from = await startWorld({ now, config })
  source = await from.newWorkspace({ timezone: 'Europe/Berlin', preset: 'strict' })
})
afterAll(async () => {
  shell.remove()
  store?.release()
  await from?.close()
  await to?.close()
  await store?.close()
  rmSync(dataDir, { recursive: true, force: true })
})

const wait = () => sleep(20)
const assay = (world: World, workspace: TestWorkspace, ...args: string[]): Promise<Said> =>
  shell.assay([...args, '--server', world.product.url, '--key', workspace.keys.live], { wait })

/** The same, over a connection that breaks at the given piece. */
async function assayCut(
  nth: number,
  world: World,
  workspace: TestWorkspace,
  ...args: string[]
): Promise<Said> {
  let pieces = 0
  const cut: typeof fetch = (input, init) => {
    const isPiece = String(input).includes('/parts/')
    return isPiece && ++pieces === nth ? Promise.reject(new TypeError('cut')) : fetch(input, init)
  }
  const named = [...args, '--server', world.product.url, '--key', workspace.keys.live]
  const said = await shell.assay(named, { wait, fetch: cut })
  expect(said).toMatchObject({ exitCode: 3, err: expect.stringContaining('cannot be reached') })
  return said
}

/** Synthetic traffic from the demo, plus one of everything that people create in a workspace. */
async function fill({ call, siteId, settle, keys }: TestWorkspace): Promise<Record<string, string[]>> {
  const { body: second } = await call(createSite, { body: { name: 'Docs für alle', domain: 'docs.example' } })
  await call(createContract, { body: { key: 'plan_chosen', status: 'published', properties: {} } })
  await call(createContract, { body: { key: 'plan_chosen', description: 'Again', status: 'published' } })
  await call(installPack, { params: { key: 'saas' }, body: {} })
  await call(setSeverities, { body: { value_not_allowed: 'reject' } })
  await call(createDefinition, { body: { name: 'shop_order' } })
  const demo = makeTraffic({
    seed: 7,
    events: 400,
    fromMs: noonMs - 9 * dayMs,
    toMs: noonMs,
    sites: ['shop'],
  })
  const wire = [...demo.events].map((event) => ({ ...event.wire, historical: true }))
  const own = [1, 2].map((nth) => ({
    event: 'shop_order',
    event_id: `own-order-${nth}`,
    user_id: 'u_buyer',
    historical: true,
    ts: new Date(noonMs - nth * dayMs).toISOString(),
    properties: { total: 20 + nth, currency: 'EUR', order_id: `o-${nth}` },
  }))
  const held = { event: 'never_heard_of', event_id: 'held-one', user_id: 'u_buyer' }
  await call(batch, { body: { batch: [...wire, ...own, held] } }, { key: keys.secret })
  await settle()
  await meetPeople({ call, siteId, settle, keys })
  const backfillId = await layRule({ call, siteId })
  const jobId = await configure({ call, siteId, keys })
  await settle()
  const { body: ledger } = await call(listLedger, { query: { limit: 200 } })
  const people = ledger.data.flatMap(({ survivor_id, absorbed_id }) => [survivor_id, absorbed_id])
  return {
    sites: [siteId, second.id],
    backfills: [backfillId],
    jobs: [jobId],
    events: ['own-order-1', 'held-one', ...wire.slice(0, 1).map(({ event_id }) => String(event_id))],
    people: [...new Set(people.flatMap((id) => (id === null ? [] : [id])))].slice(0, 2),
  }
}

type Given = Pick<TestWorkspace, 'call' | 'siteId' | 'keys'>

async function meetPeople({ call, settle, keys }: Given & Pick<TestWorkspace, 'settle'>): Promise<void> {
  const key = { key: keys.secret }
  await call(identify, { body: { anonymous_id: 'dev-1', user_id: 'u_ada', traits: { plan: 'team' } } }, key)
  await call(identify, { body: { anonymous_id: 'dev-2', user_id: 'u_grace', traits: { plan: 'free' } } }, key)
  await call(alias, { body: { from: 'dev-3', to: 'u_ada' } }, key)
  const who = async (value: string) =>
    (await call(resolveIdentity, { body: { identifiers: [{ type: 'user_id', value }], read_only: true } }))
      .body.person_id ?? ''
  const [ada, grace, buyer] = [await who('u_ada'), await who('u_grace'), await who('u_buyer')]
  const merged = await call(mergePeople, { body: { survivor_id: ada, absorbed_id: grace, reason: 'One' } })
  await call(mergePeople, { body: { survivor_id: ada, absorbed_id: buyer, reason: 'Also' } })
  for (const id of [ada, grace])
    await call(addPersonNote, { params: { id }, body: { text: `On ${id}: 😀\n"x"` } })
  const { id } = merged.body
  await call(reverseMerge, { params: { id: id ?? '' }, body: { reason: 'Two after all', cascade: true } })
  await call(mergePeople, { body: { survivor_id: ada, absorbed_id: buyer, reason: 'Yes' } })
  for (const state of ['granted', 'denied'] as const) {
    const body = { user_id: 'u_ada', regime: 'gdpr' as const, categories: { ad_storage: state } }
    await call(recordConsent, { body }, key)
  }
  await settle()
}

async function layRule({ call, siteId }: Pick<Given, 'call' | 'siteId'>): Promise<string> {
  const rule = { siteId, source: 'shop_order', target: '$purchase', propertyMap: { total: 'amount' } }
  const { body: mapping } = await call(createMapping, { body: rule })
  const range = { from: new Date(noonMs - 9 * dayMs).toISOString() }
  await call(startBackfill, { params: { id: mapping.id }, body: range })
  const { body: jobs } = await call(listBackfills, { query: { siteId } })
  const id = jobs.data[0]?.id ?? ''
  const state = async () => (await call(getBackfill, { params: { id } })).body.status
  await untilTrue('the back-fill', async () => (await state()) === 'done', 120_000)
  return id
}

/** What members save to look at again, or to be informed. */
async function save({ call, siteId }: Given): Promise<void> {
  await call(createAnnotation, {
    body: { siteId, text: 'Prices "up"\n😀', link: 'https://news.example/1?a=b' },
  })
  await call(createAnnotation, { body: { text: 'For every site', at: '2026-11-03T10:00:00Z' } })
  const steps = [{ path: '/product/:id' }, { event: '$purchase' }]
  const large = [['gte', 'property:amount', 50] as const]
  const goal = { name: 'Large "orders" 😀', event: '$purchase', page: '/thanks', filters: large }
  await call(createGoal, { body: { siteId, ...goal } })
  const { body: report } = await call(createReport, {
    body: { siteId, kind: 'funnel', name: 'To "cart" 😀', question: { window: '30d', steps } },
  })
  const query = { metrics: ['visitors'], dimensions: ['time:day'] }
  await call(createReport, { body: { siteId, kind: 'query', name: 'Bars', question: query, view: 'bars' } })
  const place = { x: 0, y: 0, width: 6, height: 4 }
  await call(createBoard, {
    body: {
      siteId,
      name: 'Our "board" 😀',
      narrowing: { window: '7d' as const, country: 'DE' },
      tiles: [
        { ...place, id: 'a', type: 'report' as const, reportId: report.id },
        { ...place, id: 'b', type: 'question' as const, kind: 'overview' as const, question: {} },
        { ...place, id: 'c', type: 'text' as const, text: 'Hello' },
      ],
    },
  })
  await call(createDigest, {
    body: {
      siteId,
      type: 'board',
      targetId: `traffic.${siteId}`,
      recipients: ['ada@example.com', 'grace@example.com'],
      narrowing: { country: 'DE' },
      // As it arrives: the other installation may still send it.
      isPaused: true,
    },
  })
  await call(createAlert, {
    body: {
      siteId,
      name: 'Few "visitors" 😀',
      question: { metric: 'visitors', filters: [['is', 'country', ['DE']]] },
      interval: 'day',
      condition: { type: 'changedBy', share: 0.5, direction: 'down' },
      recipients: ['ada@example.com'],
      isPaused: true,
    },
  })
}

async function configure({ call, siteId, keys }: Given): Promise<string> {
  await call(setAttributionPolicy, { body: { model: 'linear', lookback_days: 20 } })
  const days = { from: '2026-11-01', to: '2026-11-09' }
  const { body: job } = await call(computeAttribution, { body: days })
  const state = async () => (await call(getAttributionJob, { params: { id: job.job_id } })).body.status
  await untilTrue('the computation', async () => (await state()) === 'done', 120_000)
  await call(setHealthSettings, { body: { alerts_per_week: 3 } })
  const everybody = { all: [{ field: 'events', op: 'gt' as const, value: 0 }] }
  await call(createAudience, { body: { siteId, name: 'All', rules: everybody } })
  await save({ call, siteId, keys })
  await call(createDestination, { body: { name: 'Out', url: 'https://out.example/hook' } })
  const connection = { provider: 'stripe' as const, site_id: siteId, secrets: ['whsec_of_the_connection'] }
  await call(createWebhookConnection, { body: connection })
  await call(createErrorRule, { body: { siteId, match: { title: 'x*' }, errorGroup: 'X' } })
  const { body: errors } = await call(listErrors, { query: { siteId, window: '30d' } })
  for (const { id } of errors.data.slice(0, 1)) {
    await call(updateError, { params: { id }, body: { siteId, state: 'muted' } })
  }
  const { body: found } = await call(listFunnels, { query: { siteId, window: '10d' } })
  for (const { id } of found.funnels.slice(0, 1)) {
    await call(updateFunnel, { params: { id }, body: { name: 'Ours', status: 'pinned' } })
  }
  const chunk = { chunk_id: 'chunk-of-one', session_id: 's-1', anonymous_id: 'dev-1', sent_at: noonMs }
  const events = [{ type: 4, timestamp: noonMs, data: {} }]
  const key = { key: keys.public }
  await call(recordReplay, { body: { replay_id: 'a-replay-1', ...chunk, events } }, key)
  const { body: held } = await call(listQuarantined, { query: {} })
  for (const { id } of held.data.filter(({ event_id }) => event_id !== 'held-one').slice(0, 1)) {
    await call(discardQuarantined, { body: { ids: [id] } })
  }
  return job.job_id
}

/** Reads that need a range of days. */
const ofDays = new Set(['getAttributionReport', 'listOutcomes'])

/**
 * Belongs to the installation or to the memory of a node, not to the workspace; or is about the export
 * itself.
 */
const ofInstallation = new Set([
  'listMembers',
  'listInvitations',
  'listApiKeys',
  'listAuditLog',
  'listRecentEvents',
  'getWorkspaceExport',
  'readWorkspaceExport',
  'getWorkspaceImport',
])

type Read = { id: string; path: string }

const ofEach = (routeIds: readonly string[], ids: readonly string[]) =>
  Object.fromEntries(routeIds.map((id) => [id, ids]))

/** Every read route, for every object that exists. */
async function readsOf(known: Record<string, string[]>): Promise<Read[]> {
  const ids = async (name: string): Promise<string[]> => (await listed(name)).map(String)
  const listed = async (name: string) => {
    const route = routes.find(({ id }) => id === name)
    const takes = Object(route?.query).properties
    const query = { ...(takes?.limit && { limit: '50' }), ...(takes?.siteId && { siteId: source.siteId }) }
    const path = `${from.product.url}${route?.path}?${new URLSearchParams(query)}`
    const answer = await fetch(path, { headers: { authorization: `Bearer ${source.keys.live}` } })
    expect(answer.status, name).toBe(200)
    const { data, errors }: Record<'data' | 'errors', Record<string, unknown>[] | undefined> = Object(
      await answer.json(),
    )
    return (data ?? errors ?? []).map((row) => row.id ?? row.key ?? row.event_key)
  }
  const { sites = [], people = [], events = [], backfills = [], jobs = [] } = known
  const errors = (await ids('listErrors')).slice(0, 1)
  const named: Record<string, readonly string[]> = {
    getSite: sites,
    getContract: ['plan_chosen', 'purchase'],
    getMapping: (await ids('listMappings')).slice(0, 1),
    getBackfill: backfills,
    getReceipt: events,
    getQuarantined: (await ids('listQuarantined')).slice(0, 1),
    getPerson: people,
    getTimeline: people,
    getConsent: people,
    listConsents: people,
    listPersonNotes: people,
    getSubjectRequest: [],
    ...ofEach(['getReport', 'getReportResult'], await ids('listReports')),
    getBoard: await ids('listBoards'),
    getDigest: await ids('listDigests'),
    ...ofEach(['getAlert', 'getAlertPreview', 'listFirings'], await ids('listAlerts')),
    getAudience: await ids('listAudiences'),
    listAudienceMembers: await ids('listAudiences'),
    getError: errors,
    getWebhookDelivery: [],
    getReplay: ['a-replay-1'],
    listReplayEvents: ['a-replay-1'],
    getAttributionJob: jobs,
    getTouchpoints: people,
    explainOutcome: ['own-order-1'],
    getDestination: await ids('listDestinations'),
    listDispatches: await ids('listDestinations'),
    getEventHealth: ['purchase'],
  }
  const reads = routes.filter(
    ({ method, access, id }) => method === 'GET' && access === 'read' && !ofInstallation.has(id),
  )
  return reads.flatMap((route) => {
    const places = route.path.includes(':') ? (named[route.id] ?? []) : ['']
    const has = (name: string) => Object(route.query).properties?.[name] !== undefined
    const query = new URLSearchParams({
      ...(has('limit') && route.id !== 'listJourneys' && { limit: '50' }),
      ...(has('siteId') && { siteId: sites[0] ?? '' }),
      ...(ofDays.has(route.id) && { from: '2026-11-01', to: '2026-11-10' }),
      ...(route.id === 'listOutcomes' && { site_id: sites[0] ?? '' }),
      ...(has('language') && { language: 'typescript' }),
      ...(has('q') && {
        q: JSON.stringify({ siteId: sites[0], metrics: ['visitors', 'revenue'], window: '400d' }),
      }),
      ...(has('dimension') && { dimension: 'event' }),
      ...(has('errorGroup') && { errorGroup: errors[0] ?? '' }),
    })
    return places.map((place) => ({
      id: route.id,
      path: `${route.path.replace(/:[A-Za-z_]+/, encodeURIComponent(place))}?${query}`,
    }))
  })
}

async function readAll(world: World, workspace: TestWorkspace, reads: readonly Read[]) {
  const answers = new Map<string, { status: number; body: unknown }>()
  for (const { path } of reads) {
    const headers = { authorization: `Bearer ${workspace.keys.live}` }
    const response = await fetch(`${world.product.url}${path}`, { headers })
    const text = await response.text()
    // Secrets are left out on purpose, each request has its own id, and the disk usage of events is an
    // average.
    const body = JSON.parse(text === '' ? 'null' : text, (name, value) => {
      const isOther = ['secrets_in_force', 'instance', 'dataUntil', 'data_until'].includes(name)
      return isOther || (name === 'bytes' && path.startsWith('/v1/usage')) ? undefined : value
    })
    answers.set(path, { status: response.status, body })
  }
  return answers
}

test('an export that is imported into a fresh server, which is killed twice meanwhile, answers every read as before, and continues from there', async () => {
  const known = await fill(source)
  const reads = await readsOf(known)
  const before = await readAll(from, source, reads)
  // A read that needs more parameters than are sent here is refused by both servers alike.
  const answered = [...before.values()].filter(({ status }) => status === 200)
  expect(answered.length).toBeGreaterThan(60)

  await assayCut(6, from, source, 'export', 'shop')
  const unfinished = shell.read('shop/unfinished.json')
  await assayCut(4, from, source, 'export', 'shop')
  expect(shell.read('shop/unfinished.json')).toBe(unfinished)
  const taken = await assay(from, source, 'export', 'shop', '--json')
  expect(taken.err).toBe('')
  expect(taken.exitCode).toBe(0)
  const directory = join(shell.directory, 'shop')
  const everything = readdirSync(directory)
    .map((name) => readFileSync(join(directory, name), 'utf8'))
    .join('\n')
  for (const secret of [...Object.values(source.keys), 'whsec_of_the_connection']) {
    expect(everything).not.toContain(secret)
  }
  expect(everything).toContain('own-order-1')
  const again = await assay(from, source, 'export', 'shop')
  expect(again).toMatchObject({ exitCode: 2, err: expect.stringContaining('not empty') })

  await killWhileReceiving()
  await killWhileApplying()
  await finishAfterRestart()
  const after = await readAll(to, target, reads)
  expect(Object.fromEntries(after)).toEqual(Object.fromEntries(before))

  await goesOn()
}, 420_000)

const startTarget = () =>
  startChild({
    ASSAY_DATA_DIR: dataDir,
    ASSAY_CLICKHOUSE_URL: store.url,
    ASSAY_CONTROL_WRITES_PER_MINUTE: '1000000',
  })

const importInto = ({ url, keys }: ChildProduct, options: ShellOptions = {}) =>
  shell.assay(['import', 'shop', '--server', url, '--key', keys.liveKey], { wait, ...options })

const cutOff = { exitCode: 3, err: expect.stringContaining('cannot be reached') }

/** Power is lost during an upload; a torn write may end anywhere, also inside a character. */
async function killWhileReceiving(): Promise<void> {
  const child = await startTarget()
  let pieces = 0
  const killing: typeof fetch = async (input, init) => {
    const answer = fetch(input, init)
    const isLast = String(input).includes('/parts/') && ++pieces === 8
    if (isLast) await Promise.all([child.kill(), answer.catch(() => {})])
    return answer
  }
  expect(await importInto(child, { fetch: killing })).toMatchObject(cutOff)
  const imports = join(dataDir, 'transfers/imports')
  const begun = join(imports, readdirSync(imports)[0] ?? '')
  const sites = join(begun, 'sites.ndjson')
  const within = readFileSync(sites).indexOf('ü') + 1
  expect(within).toBeGreaterThan(1)
  truncateSync(sites, within)
}

/** Power is lost when part of the events is applied. */
async function killWhileApplying(): Promise<void> {
  const child = await startTarget()
  store.hold('quarantine')
  const said = importInto(child)
  await untilTrue('events to be put into place', store.isHolding, 120_000)
  await child.kill()
  store.drop()
  expect(await said).toMatchObject(cutOff)
  const ofTarget = { id: child.keys.workspaceId }
  const there = await from.product.deps.events.query(
    'SELECT 1 AS one FROM events WHERE workspace_id = {id:String} LIMIT 1',
    ofTarget,
  )
  expect(there).toHaveLength(1)
}

/**
 * The import resumes on start; the workspace cannot be read meanwhile; and the same command waits for the
 * end.
 */
async function finishAfterRestart(): Promise<void> {
  store.hold('quarantine')
  to = await startWorld({
    control: 'embedded',
    now,
    config: { ...config, dataDir, clickhouseUrl: store.url },
  })
  target = firstWorkspace(to)
  expect((await target.call(listMappings, { query: { siteId: target.siteId } })).status).toBe(503)
  const goOn = () => {
    store.release()
    return wait()
  }
  const args = ['import', 'shop', '--json', '--server', to.product.url, '--key', target.keys.live]
  const put = await shell.assay(args, { wait: goOn })
  expect(put.err + put.out).toContain('"status": "done"')
  expect(put.exitCode).toBe(0)
}

function firstWorkspace({ product }: World): TestWorkspace {
  const first: FirstRun = JSON.parse(readFileSync(join(dataDir, 'first-run.json'), 'utf8'))
  const { workspaceId, siteId, siteToken, liveKey, testKey, publicKey, secretKey } = first
  const keys = { live: liveKey, test: testKey, public: publicKey, secret: secretKey }
  return withCalls(product, { workspaceId, siteId, siteToken, keys })
}

/**
 * Same people and ids, known events stay known, secrets are missing, and the workspace refuses a second
 * import.
 */
async function goesOn(): Promise<void> {
  const { call, settle } = target
  const identifiers = [{ type: 'user_id' as const, value: 'u_ada' }]
  const asked = { body: { identifiers, read_only: true } }
  const there = await call(resolveIdentity, asked)
  expect(there.body).toEqual((await source.call(resolveIdentity, asked)).body)
  const repeated = { event: 'shop_order', event_id: 'own-order-1', user_id: 'u_buyer', properties: {} }
  const { body } = await call(track, { body: repeated }, { key: target.keys.secret })
  expect(body).toMatchObject({ duplicate: true })
  // Pages and apps hold the public key of the old server, and need no change; secret keys stay there.
  const seen = { event: '$pageview', anonymous_id: 'a_moved', properties: { url: '/', title: 'T' } }
  const sent = await call(track, { body: seen }, { key: source.keys.public })
  expect(sent.status).toBe(202)
  for (const key of [source.keys.secret, source.keys.live, source.keys.test])
    expect((await call(track, { body: seen }, { key })).status).toBe(401)
  await settle()
  const receipt = await call(getReceipt, { params: { event_id: sent.body.event_id } })
  expect(receipt.body).toMatchObject({ site_id: source.siteId, state: 'stored' })
  const secrets = [
    ...(await call(listWebhookConnections, { query: {} })).body.data,
    ...(await call(listDestinations, {})).body.data,
  ]
  expect(secrets.map(({ secrets_in_force }) => secrets_in_force)).toEqual([0, 0])
  const twice = await assay(to, target, 'import', 'shop', '--json')
  expect(twice.exitCode).toBe(3)
  expect(twice.out).toContain('This export is in place here already')
}

test('every table that holds rows of a workspace travels, or stays for a reason that is written down', async () => {
  const { control, events } = from.product.deps
  const held = await control.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
     WHERE a.attname = 'workspace_id' AND NOT a.attisdropped AND c.relkind = 'r'
       AND c.relnamespace = 'public'::regnamespace`,
  )
  const travelling = controlTables.filter(({ through }) => through === undefined).map(({ name }) => name)
  const listed = [...travelling, ...Object.keys(stayingTables)]
  expect(held.map(({ name }) => name).toSorted()).toEqual(listed.toSorted())
  const stored = await events.query<{ name: string }>(
    `SELECT DISTINCT t.name AS name FROM system.tables AS t
     INNER JOIN system.columns AS c ON c.database = t.database AND c.table = t.name
     WHERE t.database = currentDatabase() AND c.name IN ('workspace_id', 'generation') AND t.engine LIKE '%MergeTree'`,
  )
  const known = [...eventsTables.map(({ name }) => name), ...passingEventsTables]
  expect(stored.map(({ name }) => name).toSorted()).toEqual(known.toSorted())
})

test('an import of a workspace whose ids are taken, or whose files were changed, leaves nothing behind', async () => {
  const empty = await to.newWorkspace()
  const taken = await assay(to, empty, 'import', 'shop', '--json')
  expect(taken.exitCode).toBe(3)
  expect(taken.out).toContain('are taken on this server')
  const stored = await to.product.deps.events.query(
    'SELECT 1 AS one FROM events WHERE workspace_id = {id:String} LIMIT 1',
    { id: empty.workspaceId },
  )
  expect(stored).toEqual([])
  const { body } = await empty.call(listMappings, { query: { siteId: empty.siteId, limit: 1 } })
  expect(body.data).toHaveLength(1)
  const sealed = await empty.call(track, {
    body: { event: '$login', user_id: 'u', properties: { method: 'x' } },
  })
  expect(sealed.status).toBe(202)

  const file = join(shell.directory, 'shop', 'contracts.ndjson')
  writeFileSync(file, readFileSync(file, 'utf8').replace('plan_chosen', 'plan_closed'))
  const changed = await assay(to, await to.newWorkspace(), 'import', 'shop')
  expect(changed).toMatchObject({ exitCode: 1, err: expect.stringContaining('does not match the manifest') })
})
