import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import {
  addPersonNote,
  batch,
  computeAttribution,
  createAlert,
  createAnnotation,
  createAudience,
  createBoard,
  createDefinition,
  createDigest,
  createGoal,
  createMapping,
  createReport,
  createShare,
  createWebhookConnection,
  getAttributionJob,
  getBackfill,
  getOverview,
  identify,
  recordConsent,
  startBackfill,
  startWorkspaceExport,
  transferFormat,
} from '@assay/contract'
import { signers } from '../../../../sdk/server/src/webhooks/testing/signers.ts'
import { refreshDue } from '../../audiences/audiences.ts'
import { iso, newId } from '../../platform/clock.ts'
import { dayMs } from '../../platform/units.ts'
import { raise, type TestWorkspace, untilTrue, type World } from '../../testing/harness.ts'
import { logLine, refusedBy } from '../../testing/log-lines.ts'

export type Planted = { user: string; device: string; mail: string }

/**
 * Puts a person into every place that a module declares, with the same event and order ids in any workspace.
 */
export async function plantEverywhere(world: World, at: TestWorkspace, person: Planted): Promise<void> {
  await writeRows(world, at, person)
  await sendEvents(at, person)
  await at.settle()
  await layOrders(at)
  await joinAudience(world, at)
  await compute(at)
  await plantControlRows(world, at, person)
  await plantEventsRows(world, at, person)
  await plantDeadLetters(world, at, person)
  await at.call(startWorkspaceExport, { body: { format: transferFormat } })
}

const browser = {
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36',
}

/** Before anything lies over the events: then reports are counted from rows. */
async function writeRows(world: World, at: TestWorkspace, { user }: Planted): Promise<void> {
  const login = { event: '$login', user_id: user, properties: { method: 'x' } }
  await at.send([login], { key: at.keys.secret })
  await at.call(getOverview, { query: { siteId: at.siteId, window: '2d' } })
  await world.product.deps.keptRows.save()
}

async function sendEvents(at: TestWorkspace, { user, device, mail }: Planted): Promise<void> {
  const key = { key: at.keys.secret }
  await at.call(createDefinition, { body: { name: 'shop_order' } })
  const traits = { email: mail }
  await at.call(identify, { body: { user_id: user, anonymous_id: device, traits } }, key)
  const order = { currency: 'EUR', order_id: 'order-same' }
  // A city of one inhabitant leads to this person as much as a name does.
  const location = { country: 'DE', region: 'BY', city: `Home of ${user}` }
  const campaign = { campaign: { source: 'newsletter', medium: 'email' }, location }
  const login = { event: '$login', properties: { method: 'x' } }
  const events = [
    {
      event: '$purchase',
      event_id: 'same-1',
      user_id: user,
      properties: { ...order, amount: 5 },
      context: campaign,
    },
    {
      event: 'shop_order',
      event_id: 'same-2',
      user_id: user,
      properties: { ...order, total: 5, order_id: 'readOverlays' },
    },
    {
      event: 'error',
      event_id: 'same-3',
      anonymous_id: device,
      properties: { message: `No greeting for ${user}` },
    },
    // So old that it is quarantined.
    { ...login, event_id: 'same-4', user_id: user, ts: iso(Date.now() - 60 * dayMs) },
    { ...login, event_id: 'same-5', user_id: 'a-bystander', anonymous_id: user },
    {
      event: 'shop_order',
      event_id: 'same-6',
      user_id: 'a-bystander',
      anonymous_id: user,
      properties: { ...order, total: 1, order_id: 'readOverlays-2' },
    },
  ]
  // What a browser brought of an order stops counting once the back end brings it.
  const trusted = (event_id: string) => ({
    event: '$purchase',
    event_id,
    user_id: user,
    properties: { currency: 'EUR', amount: 2, order_id: 'order-trusted' },
  })
  await at.call(batch, { body: { batch: [trusted('same-7')] } }, { key: at.keys.public, headers: browser })
  await at.call(batch, { body: { batch: [...events, trusted('same-8')] } }, key)
  const categories = { ad_storage: 'granted' as const }
  await at.call(recordConsent, { body: { user_id: user, categories } }, key)
}

async function layOrders(at: TestWorkspace): Promise<void> {
  const rule = {
    siteId: at.siteId,
    source: 'shop_order',
    target: '$purchase',
    propertyMap: { total: 'amount' },
  }
  const { body: mapping } = await at.call(createMapping, { body: rule })
  const from = iso(Date.now() - dayMs)
  const { body: job } = await at.call(startBackfill, { params: { id: mapping.id }, body: { from } })
  const params = { id: 'id' in job ? job.id : '' }
  await untilTrue(
    'the back-fill',
    async () => (await at.call(getBackfill, { params })).body.status === 'done',
    120_000,
  )
}

/** One that the list takes, and one whose workspace cannot be read: the file has that. */
async function plantDeadLetters(world: World, at: TestWorkspace, { user }: Planted): Promise<void> {
  const { people, deadLetters } = world.product.deps
  const personId = people.originalId(at.workspaceId, { type: 'user_id', value: user })
  const listed = logLine(at, 'same-dead', { ...refusedBy.staging, user_id: user, person_id: personId })
  const lines = [listed, `{"event_id":"same-torn","person_id":"${personId}","workspace":"${at.workspaceId}`]
  await deadLetters.setAside(
    { name: `planted-${at.workspaceId}` },
    lines.map((line, index) => ({
      index,
      bytes: Buffer.from(line.trimEnd()),
      step: 'staging' as const,
      error: new Error('refused'),
    })),
  )
}

async function joinAudience(world: World, at: TestWorkspace): Promise<void> {
  const rules = { all: [{ field: 'events' as const, op: 'gt' as const, value: 0 }] }
  await at.call(createAudience, { body: { siteId: at.siteId, name: 'Everybody', rules } })
  await refreshDue(world.product.deps, raise)
}

async function compute(at: TestWorkspace): Promise<void> {
  const body = { from: iso(Date.now() - dayMs).slice(0, 10), to: iso(Date.now()).slice(0, 10) }
  const { job_id: id } = (await at.call(computeAttribution, { body })).body
  await untilTrue(
    'the computation',
    async () => (await at.call(getAttributionJob, { params: { id } })).body.status === 'done',
    120_000,
  )
}

async function plantControlRows(world: World, at: TestWorkspace, person: Planted): Promise<void> {
  const { control, people } = world.product.deps
  const { workspaceId: ws, siteId } = at
  const { user, device, mail } = person
  const originalId = people.originalId(ws, { type: 'user_id', value: user })
  const says = JSON.stringify({ customer: { email: mail } })
  const hook = { provider: 'stripe' as const, site_id: siteId, secrets: [signers.stripe.secret] }
  const { id: connection } = (await at.call(createWebhookConnection, { body: hook })).body
  await control.query(
    `INSERT INTO webhook_deliveries (id, workspace_id, connection_id, site_id, provider, body_hash, item, type, status,
       event_ids, received_at, payload)
     VALUES ($1, $2, $3, $4, 'stripe', '\\x01', 0, 't', 'unmapped', '{}', now(), $5)`,
    [newId('whd'), ws, connection, siteId, says],
  )
  await control.query(
    `INSERT INTO webhook_memory (connection_id, key, memory, updated_at) VALUES ($1, 'k', $2, now())`,
    [connection, says],
  )
  const act = [newId('act'), ws, originalId, says]
  await control.query(
    `INSERT INTO audit_log (id, workspace_id, at, actor_kind, actor_id, actor_label, action, object_type, object_id,
       details, outcome, request_id, country)
     VALUES ($1, $2, now(), 'key', 'k', 'k', 'person.read', 'person', $3, $4, 'done', 'r', '')`,
    act,
  )
  await control.query(
    `INSERT INTO audit_pending (id, workspace_id, at, actor_kind, actor_id, actor_label, action, object_type,
       object_id, details, request_id, country)
     VALUES ($1, $2, now(), 'key', 'k', 'k', 'person.read', 'person', $3, $4, 'r', '')`,
    act,
  )
  await control.query(
    `INSERT INTO replays (workspace_id, id, site_id, session_id, anonymous_id, original_ids, started_at, ended_at,
       created_at, chunks, events, bytes) VALUES ($1, 'same', $2, 's', $3, $4, now(), now(), now(), 1, 1, 1)`,
    [ws, siteId, device, [originalId]],
  )
  await control.query(
    `INSERT INTO replay_chunks (workspace_id, replay_id, id, first_ms, events) VALUES ($1, 'same', 'c', 0, $2)`,
    [ws, gzipSync('[{"type":4}]')],
  )
  const note = { text: `Called ${mail}, wants an invoice` }
  await at.call(addPersonNote, { params: { id: originalId }, body: note })
  await plantSaved(at, mail)
  await plantAlerts(world, at, mail)
  await plantQueue(world, at, originalId, user)
  await plantRequest(world, at, user)
  const dataDir = world.product.deps.config.dataDir
  const imported = newId('imp')
  mkdirSync(`${dataDir}/transfers/imports/${imported}`, { recursive: true })
  writeFileSync(`${dataDir}/transfers/imports/${imported}/person_traits.ndjson`, says)
  await control.query(
    `INSERT INTO workspace_imports (id, workspace_id, node_id, status, manifest, created_at)
     VALUES ($1, $2, $3, 'failed', '{"parts":[]}', now())`,
    [imported, ws, readFileSync(`${dataDir}/node-id`, 'utf8').trim()],
  )
}

/** What members save to look at again, or to receive. */
async function plantSaved(at: TestWorkspace, mail: string): Promise<void> {
  const { siteId } = at
  await at.call(createAnnotation, { body: { siteId, text: `Campaign of ${mail} started` } })
  await at.call(createGoal, { body: { siteId, name: `Order of ${mail}`, event: '$purchase' } })
  const question = {
    steps: [{ event: '$purchase', where: [{ property: 'email', op: 'is' as const, value: mail }] }],
  }
  const report = { siteId, kind: 'funnel' as const, name: `Orders of ${mail}`, question }
  await at.call(createReport, { body: report })
  await at.call(createReport, { body: { ...report, kind: 'overview', question: {} } })
  const place = { x: 0, y: 0, width: 6, height: 4 }
  const tiles = [{ ...place, id: 'a', type: 'text' as const, text: `Ask ${mail}` }]
  await at.call(createBoard, { body: { siteId, name: 'Ours', tiles } })
  const narrowing = { path: `/customers/${mail}` }
  await at.call(createShare, { body: { siteId, type: 'overview', narrowing } })
  await at.call(createDigest, { body: { siteId, type: 'overview', recipients: [mail] } })
  const others = ['someone.else@example.com']
  await at.call(createDigest, { body: { siteId, type: 'overview', narrowing, recipients: others } })
}

async function plantAlerts(world: World, at: TestWorkspace, mail: string): Promise<void> {
  const alert = {
    siteId: at.siteId,
    name: `Orders of ${mail}`,
    question: { metric: 'visitors' as const },
    interval: 'day' as const,
    condition: { type: 'below' as const, value: 1 },
    recipients: [mail, 'a-bystander@example.com'],
    isPaused: true,
  }
  const filters = [['is', 'property:email', [mail]] as const]
  await at.call(createAlert, { body: { ...alert, question: { metric: 'visitors', filters } } })
  const { id } = (await at.call(createAlert, { body: alert })).body
  const firing = newId('fir')
  const { control } = world.product.deps
  await control.query(
    `INSERT INTO alert_firings (workspace_id, id, alert_id, interval_start, value, opened_at)
     VALUES ($1, $2, $3, now(), 1, now())`,
    [at.workspaceId, firing, id],
  )
  await control.query(
    `INSERT INTO alert_messages (workspace_id, id, alert_id, firing_id, type, channel, recipient, facts, status,
       attempts, created_at, retry_until)
     VALUES ($1, $2, $3, $4, 'opened', 'mail', $5, '{}', 'sent', 1, now(), now())`,
    [at.workspaceId, newId('msg'), id, firing, mail],
  )
}

async function plantQueue(world: World, at: TestWorkspace, originalId: string, user: string): Promise<void> {
  const { control } = world.product.deps
  const destination = newId('dst')
  await control.query(
    `INSERT INTO destinations (id, workspace_id, name, url, events, purposes, notices, status, secrets, created_at)
     VALUES ($1, $2, 'd', 'https://example.com', '{}', '{}', '{}', 'paused', '', now())`,
    [destination, at.workspaceId],
  )
  const queue = (subject: string, personId: string, anonymous_id: string) =>
    control.query(
      `INSERT INTO dispatches (id, workspace_id, destination_id, subject, kind, type, person_id, body, status, attempts,
         created_at, retry_until, queued_at)
       VALUES ($1, $2, $3, $4, 'event', '$login', $5, $6, 'pending', 0, now(), now(), now())`,
      [
        newId('msg'),
        at.workspaceId,
        destination,
        subject,
        personId,
        JSON.stringify({ data: { anonymous_id } }),
      ],
    )
  await queue('event same-1', originalId, user)
  await queue('event same-5', 'per_somebody_else', user)
}

/** A request of before whose own id names them, and what is still to be sent of it. */
async function plantRequest(world: World, at: TestWorkspace, user: string): Promise<void> {
  const id = newId('dsr')
  const subject = { person_id: null, identifiers: [{ type: 'user_id', value: user }] }
  const { control } = world.product.deps
  await control.query(
    `INSERT INTO subject_requests (workspace_id, id, type, status, regime, subject, subject_request_id, request_digest,
       callback_urls, requested_by, received_at, due_at, result)
     VALUES ($1, $2, 'export', 'completed', 'gdpr', $3, $4, '', '[]', 'k', now(), now(), NULL)`,
    [at.workspaceId, id, JSON.stringify(subject), `ticket of ${user}`],
  )
  await control.query(
    `INSERT INTO subject_request_callbacks (id, request_id, url, body, next_at, created_at)
     VALUES ($1, $2, 'https://example.com', $3, now() + interval '1 year', now())`,
    [newId('msg'), id, JSON.stringify({ data: { subject_request_id: `ticket of ${user}` } })],
  )
}

async function plantEventsRows(world: World, at: TestWorkspace, { user }: Planted): Promise<void> {
  const { events, people } = world.product.deps
  const person_id = people.originalId(at.workspaceId, { type: 'user_id', value: user })
  const workspace_id = at.workspaceId
  await events.insertRows('audience_sets', [{ workspace_id, set_id: newId('set'), person_id }])
  const times = { received_at: '2026-01-01 00:00:00', decided_at: '2026-01-01 00:00:00' }
  await events.insertRows('quarantine_states', [
    { workspace_id, ...times, event_id: 'same-4', state: 'held', person_id },
  ])
}
