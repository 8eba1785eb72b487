import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  addPersonNote,
  batch,
  createDefinition,
  createMapping,
  createWebhookConnection,
  type ForgetMode,
  getBackfill,
  getOverview,
  getPerson,
  getSubjectRequest,
  identify,
  listPrivacyKeys,
  type Overview,
  recordConsent,
  releaseQuarantined,
  requestExport,
  requestForget,
  type SubjectRequest,
  startBackfill,
  track,
  verifyLedger,
} from '@assay/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { signers } from '../../../../sdk/server/src/webhooks/testing/signers.ts'
import { silentLogger } from '../../platform/logging/logger.ts'
import { verifyCertificate } from '../../testing/certificate-check.ts'
import { raise, startWorld, type TestWorkspace, untilTrue, type World } from '../../testing/harness.ts'
import { createWorker, type Handle } from '../requests/worker.ts'

let world: World
let shop: TestWorkspace
let dataDir: string
/** How far the product's clock is ahead of ours. */
let aheadMs = 0

beforeAll(async () => {
  // Stores of its own, whose files can be searched.
  world = await startWorld({
    control: 'embedded',
    now: () => Date.now() + aheadMs,
    config: { clickhouseUrl: undefined, ingestEventsPerSecond: 1e9 },
  })
  dataDir = world.product.deps.config.dataDir
  shop = await world.newWorkspace({ preset: 'strict' })
  expect((await shop.call(createDefinition, { body: { name: 'note_written' } })).status).toBe(201)
}, 240_000)
afterAll(() => world?.close())

/** Long and random, so that it is found nowhere by chance. */
type Somebody = { user: string; device: string; mail: string; note: string }

function somebody(): Somebody {
  const mark = randomBytes(10).toString('hex')
  return {
    user: `user-${mark}`,
    device: `device-${mark}`,
    mail: `mail-${mark}@example.com`,
    note: `note-${mark}`,
  }
}

const needlesOf = ({ user, device, mail, note }: Somebody) => [user, device, mail, note]

async function done(id: string): Promise<SubjectRequest> {
  const read = async () => (await shop.call(getSubjectRequest, { params: { id } })).body
  await untilTrue('the request', async () => /completed|failed/.test((await read()).status), 240_000)
  return read()
}

let stripeUrl: string | undefined

async function deliver(type: string, object: object): Promise<void> {
  const id = `evt_${randomBytes(8).toString('hex')}`
  const payload = {
    id,
    object: 'event',
    type,
    created: Math.floor(Date.now() / 1_000),
    livemode: true,
    data: { object },
  }
  const { secret, sign } = signers.stripe
  const body = { provider: 'stripe' as const, site_id: shop.siteId, secrets: [secret] }
  stripeUrl ??= (await shop.call(createWebhookConnection, { body })).body.url
  const signed = sign(JSON.stringify(payload), secret, Date.now() + aheadMs)
  const answer = await fetch(stripeUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...signed.headers },
    body: signed.body,
  })
  expect(answer.status).toBe(200)
}

/**
 * Through every endpoint: events, a quarantined and a released one, traits, consent, an unmapped webhook, a
 * back-fill.
 */
async function plant(
  person: Somebody,
  heldName = 'never_heard_of',
): Promise<{ person_id: string; eventIds: string[] }> {
  const { user: user_id, device: anonymous_id, mail, note } = person
  const key = { key: shop.keys.secret }
  const event = (more: object) => ({ event: '$login', user_id, properties: { method: note }, ...more })
  const order = {
    event: '$purchase',
    properties: { amount: 30, currency: 'EUR', order_id: `o-${randomBytes(6).toString('hex')}`, note },
    context: {
      page: { url: `https://shop.example/thanks?ref=${note}`, title: 'Thanks' },
      location: { country: 'DE', region: 'BY', city: note },
    },
  }
  await shop.call(track, { body: event(order) }, key)
  const sent = [event({}), event({ user_id: undefined, anonymous_id }), event({ event: 'note_written' })]
  const held = event({ event: heldName, properties: { note, n: 1 } })
  const ofAnother = {
    ...held,
    event: 'never_heard_of_either',
    user_id: 'a-bystander',
    properties: { friend: user_id },
  }
  const { body } = await shop.call(batch, { body: { batch: [...sent, held, ofAnother] } }, key)
  const traits = { email: mail, plan: 'gold' }
  const { person_id } = (await shop.call(identify, { body: { user_id, anonymous_id, traits } }, key)).body
  await shop.call(addPersonNote, { params: { id: person_id }, body: { text: `Wrote ${note}` } })
  const proof = { asked: note }
  await shop.call(recordConsent, { body: { user_id, categories: { ad_storage: 'granted' }, proof } }, key)
  const object = { id: 'cus_1', object: 'customer', email: mail, name: note }
  await deliver('radar.value_list_item.created', object)
  return { person_id, eventIds: body.results.map(({ event_id }) => event_id) }
}

/** Back-fills an event that everyone sent under another name. */
async function layBackfill(): Promise<void> {
  const mapping = { siteId: shop.siteId, source: 'note_written', target: '$login', propertyMap: {} }
  const { body: rule } = await shop.call(createMapping, { body: mapping })
  const from = new Date(Date.now() - 86_400_000).toISOString()
  const { body } = await shop.call(startBackfill, { params: { id: rule.id }, body: { from } })
  if ('dryRun' in body) throw new Error('a job was asked for')
  const params = { id: body.id }
  await untilTrue(
    'the back-fill',
    async () => (await shop.call(getBackfill, { params })).body.status === 'done',
    60_000,
  )
}

/** Everything that the stores and the files hold, as one text each. */
async function everything(): Promise<Map<string, string>> {
  const { control, events } = world.product.deps
  const texts = new Map<string, string>()
  const tables = await events.query<{ name: string }>(
    'SELECT name FROM system.tables WHERE database = currentDatabase()',
  )
  for (const { name } of tables) {
    texts.set(`events ${name}`, JSON.stringify(await events.query(`SELECT * FROM ${name}`)))
  }
  const rows = await control.query<{ table_name: string }>(
    `SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`,
  )
  for (const { table_name } of rows) {
    const found = await control.query(`SELECT row_to_json(t)::text AS text FROM ${table_name} AS t`)
    texts.set(`control ${table_name}`, JSON.stringify(found))
  }
  for (const path of filesOf(dataDir)) texts.set(path, contentOf(path))
  return texts
}

/** A file that a merge or a load has removed since it was listed holds nothing any more. */
function contentOf(path: string): string {
  return existsSync(path) ? readFileSync(path).toString('latin1') : ''
}

function filesOf(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

/** Where one of these is found. */
async function placesOf(needles: readonly string[]): Promise<string[]> {
  const texts = await everything()
  return [...texts]
    .filter(([, text]) => needles.some((needle) => text.includes(needle)))
    .map(([place]) => place)
}

async function totals(): Promise<Overview['metrics']> {
  const query = { siteId: shop.siteId, window: '2d', includeBots: true }
  return (await shop.call(getOverview, { query })).body.metrics
}

async function forget(person: Somebody, mode: ForgetMode): Promise<SubjectRequest> {
  const identifiers = [{ type: 'user_id', value: person.user }]
  const body = { identifiers, regime: 'gdpr' as const, mode, subject_request_id: `ours-${person.user}` }
  const asked = await shop.call(requestForget, { body })
  expect(asked.status).toBe(202)
  expect(asked.body).toMatchObject({ type: 'forget', forget: { mode, certificate: null } })
  return done(asked.body.id)
}

async function countOf(table: 'events' | 'quarantine', { user, device }: Somebody): Promise<number> {
  const { people, events } = world.product.deps
  const originalId = (type: string, value: string) => people.originalId(shop.workspaceId, { type, value })
  const ids = [originalId('user_id', user), originalId('anonymous_id', device)]
  const [row] = await events.query<{ rows: string | number }>(
    `SELECT count() AS rows FROM ${table} WHERE person_id IN {ids:Array(String)}`,
    { ids },
  )
  return Number(row?.rows ?? 0)
}

describe('a person who is forgotten', () => {
  const [erased, counted, other] = [somebody(), somebody(), somebody()]
  let erasedId: string
  let erasedEvents: number
  let request: SubjectRequest
  let otherBefore: unknown

  const storedOf = (userId: string) =>
    world.product.deps.events.query(
      'SELECT * EXCEPT (session_id, session_key) FROM events WHERE user_id = {userId:String} ORDER BY ts, event_id',
      { userId },
    )

  test('was in every store before, as the search that follows must be able to find', async () => {
    erasedId = (await plant(erased)).person_id
    await plant(counted)
    await plant(other)
    await shop.settle()
    await layBackfill()
    await shop.call(createDefinition, { body: { name: 'never_heard_of' } })
    const released = await shop.call(releaseQuarantined, { body: { filter: { event: 'never_heard_of' } } })
    expect(released.body).toMatchObject({ released: 3 })
    const identifiers = [{ type: 'user_id', value: erased.user }]
    const asked = await shop.call(requestExport, { body: { identifiers, regime: 'gdpr' } })
    expect((await done(asked.body.id)).status).toBe('completed')
    await shop.settle()
    otherBefore = await storedOf(other.user)
    const places = await placesOf(needlesOf(erased))
    for (const table of ['events', 'quarantine', 'event_overlays', 'overlaid_events']) {
      expect(places, table).toContain(`events ${table}`)
    }
    for (const table of [
      'identifiers',
      'person_traits',
      'person_notes',
      'consents',
      'webhook_deliveries',
      'subject_requests',
    ]) {
      expect(places, table).toContain(`control ${table}`)
    }
    expect(places.some((place) => place.startsWith(`${dataDir}/events/`))).toBe(true)
    expect(places.some((place) => place.startsWith(`${dataDir}/control/`))).toBe(true)
  }, 300_000)

  test('is in no table and in no file any more, and everyone else is as before', async () => {
    erasedEvents = await countOf('events', erased)
    const { kept } = world.product.deps
    const keptKey = `${shop.workspaceId} of before`
    await kept.of(keptKey, async () => needlesOf(erased))
    request = await forget(erased, 'erase')
    expect(kept.ageMs(keptKey)).toBeNull()
    expect(request).toMatchObject({ status: 'completed', error: null, attempts: 1 })
    expect(await placesOf(needlesOf(erased))).toEqual([])
    expect(await storedOf(other.user)).toEqual(otherBefore)
    expect((await shop.call(getPerson, { params: { id: erasedId } })).status).toBe(404)
    expect((await shop.call(verifyLedger, {})).body.valid).toBe(true)
  }, 300_000)

  test('does not come back by any endpoint, and gets a refusal', async () => {
    const key = { key: shop.keys.secret }
    const event = { event: '$login', user_id: erased.user, properties: { method: 'x' } }
    const answer = await shop.call(track, { body: event }, key)
    expect(answer.status).toBe(422)
    expect(answer.problem.errors?.map(({ code }) => code)).toContain('suppressed')
    const byDevice = { ...event, user_id: undefined, anonymous_id: erased.device }
    const { body } = await shop.call(batch, { body: { batch: [byDevice] } }, key)
    expect(body.results[0]?.outcome).toBe('reject')
    expect((await shop.call(identify, { body: { user_id: erased.user } }, key)).status).toBe(422)
    await shop.settle()
    await world.product.deps.privacy.sweepForgotten(raise)
    expect(await storedOf(erased.user)).toEqual([])
  })

  test('has a certificate that anyone can verify without asking us, and no one can change', async () => {
    const { keys } = (await shop.call(listPrivacyKeys, {}, { key: null })).body
    const jws = request.forget?.certificate ?? ''
    const certificate = await verifyCertificate(jws, keys)
    expect(certificate).toMatchObject({ request_id: request.id, mode: 'erase', sla_met: expect.any(Boolean) })
    expect(certificate.stores.every(({ rows_left }) => rows_left === 0)).toBe(true)
    expect(certificate.stores.find(({ store }) => store === 'events')?.rows).toBe(erasedEvents)
    const [header, payload = '', signature] = jws.split('.')
    const forged = Buffer.from(Buffer.from(payload, 'base64url').toString().replace('"erase"', '"ersae"'))
    await expect(
      verifyCertificate([header, forged.toString('base64url'), signature].join('.'), keys),
    ).rejects.toThrow()
    await expect(verifyCertificate(jws, [])).rejects.toThrow()
  })

  test('may leave behind what was counted, which counts as before and identifies no one', async () => {
    const before = await totals()
    expect(before.revenue).toBeGreaterThan(0)
    const stored = await countOf('events', counted)
    const anonymised = await forget(counted, 'anonymise')
    expect(anonymised).toMatchObject({ status: 'completed', forget: { mode: 'anonymise' } })
    expect(anonymised.forget?.counts.events).toBe(stored)
    const after = await totals()
    expect(after).toEqual({ ...before, visitors: before.visitors - 1 })
    expect(await placesOf(needlesOf(counted))).toEqual([])
    expect(await storedOf(other.user)).toEqual(otherBefore)
  }, 300_000)
})

/** Takes requests in place of the product's own worker, which is stopped. */
function workerOf(holder: string, handle: Handle) {
  const { requests, key } = world.product.deps.privacy
  return createWorker({
    requests,
    holder,
    handle,
    key,
    deliver: async () => 204,
    logger: silentLogger,
    failures: { report: () => {} },
  })
}

describe('a worker that dies over it', () => {
  test('is followed by another, which finishes what is left, once', async () => {
    const person = somebody()
    await plant(person, 'unheard_of_again')
    await shop.settle()
    const planted = {
      events: await countOf('events', person),
      quarantine: await countOf('quarantine', person),
    }
    expect(Math.min(planted.events, planted.quarantine)).toBeGreaterThan(0)
    const { handle, stop } = world.product.deps.privacy
    stop()
    const identifiers = [{ type: 'user_id', value: person.user }]
    const { id } = (await shop.call(requestForget, { body: { identifiers, regime: 'kvkk' } })).body
    const stuck = Promise.withResolvers<void>()
    const reached = Promise.withResolvers<void>()
    // Dead from the moment on which the quarantine would be next: nothing of it ever runs again.
    const dead = workerOf('dead', (row, report, keep) =>
      handle(
        row,
        async (step, rows) => {
          if (step === 'quarantine') {
            reached.resolve()
            await stuck.promise
          }
          await report(step, rows)
        },
        keep,
      ),
    )
    const dying = dead.work()
    await reached.promise
    const read = async () => (await shop.call(getSubjectRequest, { params: { id } })).body
    expect(Object.keys((await read()).forget?.counts ?? {})).toContain('event_ids')
    const next = workerOf('next', handle)
    await untilTrue(
      'the end of its lease',
      async () => {
        aheadMs += 16_000
        await next.work()
        return (await read()).status === 'completed'
      },
      240_000,
    )
    const ended = await read()
    expect(ended).toMatchObject({ status: 'completed', attempts: 2 })
    expect(ended.forget?.counts).toMatchObject({ events: planted.events, consents: 1 })
    // In addition to their own, what a vendor sent about them.
    expect(ended.forget?.counts.quarantine).toBeGreaterThanOrEqual(planted.quarantine)
    dead.stop()
    stuck.resolve()
    await dying
    expect(await read()).toEqual(ended)
    expect(await placesOf(needlesOf(person))).toEqual([])
  }, 400_000)
})

describe('an engine that restarts during it', () => {
  test('leaves no one half erased: it is done again', async () => {
    const person = somebody()
    await plant(person, 'unheard_of_at_all')
    await shop.settle()
    const planted = await countOf('events', person)
    expect(planted).toBeGreaterThan(0)
    const { deps } = world.product
    deps.privacy.stop()
    const identifiers = [{ type: 'user_id', value: person.user }]
    const { id } = (await shop.call(requestForget, { body: { identifiers, regime: 'gdpr' } })).body
    // Before the first place, in the middle, and before it is looked whether anything is left.
    const lostAt = ['event_ids', 'events', 'verifying']
    const worker = workerOf('renewed', (rows, report, keep) =>
      deps.privacy.handle(
        rows,
        async (step, done) => {
          await report(step, done)
          if (step !== lostAt[0]) return
          lostAt.shift()
          await deps.events.command(`TRUNCATE TABLE person_list_${id}`)
        },
        keep,
      ),
    )
    const read = async () => (await shop.call(getSubjectRequest, { params: { id } })).body
    await untilTrue(
      'the request',
      async () => {
        aheadMs += 60_000
        await worker.work()
        return /completed|failed/.test((await read()).status)
      },
      240_000,
    )
    expect(lostAt).toEqual([])
    const ended = await read()
    expect(ended).toMatchObject({ status: 'completed', attempts: 4 })
    expect(ended.forget?.counts).toMatchObject({ events: planted })
    expect(await placesOf(needlesOf(person))).toEqual([])
  }, 400_000)
})
