import { createHash } from 'node:crypto'
import {
  addPersonNote,
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
  createWebhookConnection,
  getBackfill,
  identify,
  listBackfills,
  mergePeople,
  recordConsent,
  recordReplay,
  requestExport,
  resolveIdentity,
  setAttributionPolicy,
  setExchangeRates,
  setHealthSettings,
  setSeverities,
  startBackfill,
  type TransferManifest,
  type WorkspaceImport,
} from '@assay/contract'
import { dayMs } from '../platform/units.ts'
import { type TestWorkspace, untilTrue, type World } from './harness.ts'

/** An export in memory: what every part holds, line by line. */
export type Moved = { manifest: TransferManifest; parts: ReadonlyMap<string, readonly string[]> }

const jobMsMax = 120_000

/** One of nearly everything that a workspace can hold. */
export async function fillWorkspace(
  { call, siteId, settle, keys }: TestWorkspace,
  nowMs: number,
): Promise<void> {
  const key = { key: keys.secret }
  await call(createContract, { body: { key: 'plan_chosen', status: 'published', properties: {} } })
  await call(createDefinition, { body: { name: 'shop_order' } })
  await call(setSeverities, { body: { value_not_allowed: 'reject' } })
  await call(setExchangeRates, { body: { base: 'EUR', rates: [{ currency: 'USD', rate: 0.9 }] } })
  const at = (days: number) => new Date(nowMs - days * dayMs).toISOString()
  const events = [1, 2, 3].flatMap((nth) => [
    {
      event: '$pageview',
      event_id: `view-${nth}`,
      ts: at(nth),
      properties: { url: 'https://shop.example/a', title: 'A' },
    },
    {
      event: 'shop_order',
      event_id: `order-${nth}`,
      ts: at(nth),
      properties: { total: 20, currency: 'EUR', order_id: `o-${nth}` },
    },
    {
      event: 'error',
      event_id: `error-${nth}`,
      ts: at(nth),
      properties: { message: 'No such thing', name: 'TypeError' },
    },
  ])
  const odd = {
    event: 'plan_chosen',
    event_id: 'odd "id" \\ ü',
    ts: at(1),
    properties: { 'näme "x"': 'a\nb\u0001' },
  }
  const held = { event: 'never heard of', event_id: 'held-1', ts: at(1), properties: { a: 1 } }
  const sent = [...events, odd, held].map((event) => ({
    ...event,
    user_id: 'u_ada',
    anonymous_id: 'dev-1',
    historical: true,
  }))
  await call(batch, { body: { batch: sent } }, key)
  await call(identify, { body: { anonymous_id: 'dev-1', user_id: 'u_ada', traits: { plan: 'team' } } }, key)
  await call(identify, { body: { anonymous_id: 'dev-2', user_id: 'u_grace', traits: { plan: 'free' } } }, key)
  await settle()
  const who = async (value: string) =>
    (await call(resolveIdentity, { body: { identifiers: [{ type: 'user_id', value }], read_only: true } }))
      .body.person_id ?? ''
  const [ada, grace] = [await who('u_ada'), await who('u_grace')]
  await call(mergePeople, { body: { survivor_id: ada, absorbed_id: grace, reason: 'One' } })
  await call(addPersonNote, {
    params: { id: ada },
    body: { text: 'Called on 3 May, wants an invoice "x"\n😀' },
  })
  await call(recordConsent, { body: { user_id: 'u_ada', categories: { ad_storage: 'granted' } } }, key)
  await layRule({ call, siteId }, nowMs)
  await configure({ call, siteId, keys }, nowMs)
  await settle()
}

type Given = Pick<TestWorkspace, 'call' | 'siteId' | 'keys'>

async function layRule({ call, siteId }: Pick<Given, 'call' | 'siteId'>, nowMs: number): Promise<void> {
  const rule = { siteId, source: 'shop_order', target: '$purchase', propertyMap: { total: 'amount' } }
  const { body: mapping } = await call(createMapping, { body: rule })
  const from = new Date(nowMs - 9 * dayMs).toISOString()
  await call(startBackfill, { params: { id: mapping.id }, body: { from } })
  const id = (await call(listBackfills, { query: { siteId } })).body.data[0]?.id ?? ''
  const state = async () => (await call(getBackfill, { params: { id } })).body.status
  await untilTrue('the back-fill', async () => (await state()) === 'done', jobMsMax)
}

async function configure({ call, siteId, keys }: Given, nowMs: number): Promise<void> {
  await call(setAttributionPolicy, { body: { model: 'linear', lookback_days: 20 } })
  const day = (days: number) => new Date(nowMs - days * dayMs).toISOString().slice(0, 10)
  await call(computeAttribution, { body: { from: day(5), to: day(1) } })
  await call(setHealthSettings, { body: { alerts_per_week: 3 } })
  const rules = { all: [{ field: 'events', op: 'gt' as const, value: 0 }] }
  const filters = [['not', ['is', 'property:never', ['sent']]] as const]
  await call(createAudience, { body: { siteId, name: 'All', rules, filters } })
  await call(createAnnotation, {
    body: { siteId, text: 'Prices "up" 😀', link: 'https://news.example/1?a=b' },
  })
  const steps = [{ path: '/product/:id' }, { event: '$purchase' }]
  const large = [['gte', 'property:amount', 50] as const]
  const goal = { name: 'Large "orders" 😀', event: '$purchase', page: '/thanks', filters: large }
  await call(createGoal, { body: { siteId, ...goal } })
  const { body: report } = await call(createReport, {
    body: { siteId, kind: 'funnel', name: 'To "cart" 😀', question: { window: '30d', steps } },
  })
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
    },
  })
  await call(createAlert, {
    body: {
      siteId,
      name: 'Few "visitors" 😀',
      question: { metric: 'visitors', filters: [['is', 'country', ['DE']]] },
      interval: 'day',
      condition: { type: 'changedBy', share: 0.5, direction: 'down' },
      recipients: ['ada@example.com', "o'brien@example.com"],
      slackUrl: 'https://hooks.example/services/T0/B0/secret',
      isPaused: true,
    },
  })
  await call(createDestination, { body: { name: 'Out', url: 'https://out.example/hook' } })
  const secrets = ['whsec_of_the_connection']
  await call(createWebhookConnection, { body: { provider: 'stripe', site_id: siteId, secrets } })
  await call(createErrorRule, { body: { siteId, match: { title: 'x*' }, errorGroup: 'X' } })
  const chunk = { chunk_id: 'chunk-of-one', session_id: 's-1', anonymous_id: 'dev-1', sent_at: nowMs }
  const events = [{ type: 4, timestamp: nowMs, data: {} }]
  await call(recordReplay, { body: { replay_id: 'a-replay-1', ...chunk, events } }, { key: keys.public })
  const identifiers = [{ type: 'user_id', value: 'u_ada' }]
  await call(requestExport, { body: { identifiers, regime: 'gdpr' } })
}

export async function exportWorkspace({ product }: World, { workspaceId }: TestWorkspace): Promise<Moved> {
  const { exports } = product.deps
  const { id } = await exports.start(workspaceId)
  const state = () => exports.get(workspaceId, id)
  await untilTrue('the export', async () => (await state()).status !== 'running', jobMsMax)
  const { manifest, error } = await state()
  if (manifest === null) throw new Error(error ?? 'the export failed')
  const parts = new Map<string, string[]>()
  for (const { name } of manifest.parts) {
    let text = ''
    for (let offset: number | null = 0; offset !== null; ) {
      const piece = await exports.read(workspaceId, id, name, offset)
      text += piece.text
      offset = piece.nextOffset
    }
    parts.set(name, text.split('\n').slice(0, -1))
  }
  return { manifest, parts }
}

/** Hands over an export, whatever it holds, with a manifest that fits it, and waits for the end of it. */
export async function importWorkspace(
  { product }: World,
  { workspaceId }: Pick<TestWorkspace, 'workspaceId'>,
  { manifest, parts }: Moved,
): Promise<WorkspaceImport> {
  const { imports, control } = product.deps
  const texts = [...parts].map(([name, lines]) => [name, lines.map((line) => `${line}\n`).join('')] as const)
  const promised = texts.map(([name, text]) => ({
    name,
    rows: text.split('\n').length - 1,
    bytes: Buffer.byteLength(text),
    sha256: createHash('sha256').update(text).digest('hex'),
  }))
  const { id } = await imports.start(workspaceId, { ...manifest, parts: promised })
  for (const [name, text] of texts) if (text !== '') await imports.receive(workspaceId, id, name, 0, text)
  await imports.apply(workspaceId, id)
  // Its whole state is read from every part of it, and so only once little is left to wait for.
  const isApplying = async () =>
    (await control.query(`SELECT 1 FROM workspace_imports WHERE id = $1 AND status = 'applying'`, [id]))
      .length === 1
  await untilTrue('the import', async () => !(await isApplying()), jobMsMax)
  const status = async () => (await imports.get(workspaceId, id)).status
  await untilTrue('the import to be open', async () => (await status()) !== 'applying', jobMsMax)
  return imports.get(workspaceId, id)
}

/** The same export with one cell changed. */
export function changeCell(moved: Moved, table: string, line: number, column: string, value: unknown): Moved {
  const lines = [...(moved.parts.get(table) ?? [])]
  const row: Record<string, unknown> = JSON.parse(lines[line] ?? '{}')
  lines[line] = JSON.stringify({ ...row, [column]: value })
  return { ...moved, parts: new Map(moved.parts).set(table, lines) }
}

/** The same export with every occurrence of a text changed, in every part. */
export function changeText(moved: Moved, from: string, to: string): Moved {
  const parts = [...moved.parts].map(
    ([name, lines]) => [name, lines.map((line) => line.replaceAll(from, to))] as const,
  )
  return { ...moved, parts: new Map(parts) }
}
