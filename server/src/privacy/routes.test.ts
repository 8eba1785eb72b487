import { createHash, createPublicKey, verify } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import {
  batch,
  cancelSubjectRequest,
  computeAttribution,
  createDefinition,
  createMapping,
  createSite,
  getAttributionJob,
  getAttributionReport,
  getBackfill,
  getEventRetention,
  getOverview,
  getReceipt,
  getSubjectRequest,
  identify,
  listPrivacyKeys,
  listQuarantined,
  listSubjectRequests,
  recordConsent,
  requestExport,
  type SubjectRequest,
  startBackfill,
  updateSite,
} from '@assay/contract'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fromBufferPromise } from 'yauzl'
import { createDelivery, isInside } from '../http/outbound-address.ts'
import { newId } from '../platform/clock.ts'
import { silentLogger } from '../platform/logging/logger.ts'
import { raise, startWorld, type TestWorkspace, untilTrue, type World } from '../testing/harness.ts'
import { recordLog } from '../testing/recorded-log.ts'
import { createWorker } from './requests/worker.ts'
import { endOfRun, removalNowMs, removeOldEvents, retentionBoundMs } from './retention/event-retention.ts'

let world: World
let shop: TestWorkspace
let listener: Server
let callbackUrl: string
const heard: { headers: Record<string, unknown>; body: string }[] = []
/** How far the product's clock is ahead of ours. */
let aheadMs = 0

beforeAll(async () => {
  listener = createServer(async (request, response) => {
    heard.push({ headers: request.headers, body: await text(request) })
    // Refused once, so that it must be sent again.
    response.writeHead(heard.length === 1 ? 500 : 204).end()
  }).listen(0, '127.0.0.1')
  await untilTrue('the listener', () => listener.listening)
  // boundary: a server that listens on a port has an address of this kind.
  callbackUrl = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/status`
  world = await startWorld({
    now: () => Date.now() + aheadMs,
    config: { allowPrivateCallbacks: true, ingestEventsPerSecond: 1e9 },
  })
  shop = await world.newWorkspace({ preset: 'strict' })
})
afterAll(async () => {
  listener?.close()
  await world?.close()
})

async function send(at: TestWorkspace, events: readonly object[]): Promise<string[]> {
  const body = { batch: events.map((event) => ({ event: '$login', properties: { method: 'x' }, ...event })) }
  const answer = await at.call(batch, { body })
  expect(answer.status).toBe(200)
  return answer.body.results.map(({ event_id }) => event_id)
}

async function done(id: string): Promise<SubjectRequest> {
  const read = async () => (await shop.call(getSubjectRequest, { params: { id } })).body
  await untilTrue('the request', async () => /completed|failed/.test((await read()).status), 60_000)
  return read()
}

async function unzip(url: string): Promise<Map<string, string>> {
  const response = await fetch(url)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('application/zip')
  const zip = await fromBufferPromise(Buffer.from(await response.arrayBuffer()))
  const files = new Map<string, string>()
  for await (const entry of zip.eachEntry()) {
    files.set(entry.fileName, await text(await zip.openReadStreamPromise(entry)))
  }
  return files
}

const rowsIn = (content = ''): Record<string, unknown>[] =>
  content
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

describe('an export', () => {
  test('contains everything about the person and nothing about others, though these keep sending', async () => {
    const user_id = newId('user')
    const anonymous_id = newId('visitor')
    const mine: string[] = []
    const theirs: string[] = []
    for (let round = 0; round < 6; round += 1) {
      mine.push(
        ...(await send(
          shop,
          Array.from({ length: 1_000 }, () => ({ user_id })),
        )),
      )
      theirs.push(
        ...(await send(
          shop,
          Array.from({ length: 100 }, () => ({ user_id: newId('other') })),
        )),
      )
    }
    mine.push(...(await send(shop, [{ anonymous_id, event: '$login' }])))
    const [held = ''] = await send(shop, [{ user_id, event: 'never_heard_of' }])
    const key = { key: shop.keys.secret }
    await shop.call(recordConsent, { body: { user_id, categories: { ad_storage: 'denied' } } }, key)
    const traits = { plan: 'gold' }
    const said = (await shop.call(identify, { body: { user_id, anonymous_id, traits } }, key)).body
    const { person_id } = said
    mine.push(said.event_id)

    const identifiers = [{ type: 'user_id', value: user_id }]
    const regime = 'gdpr' as const
    const body = { identifiers, regime, status_callback_urls: [callbackUrl] }
    const asked = await shop.call(requestExport, { body })
    expect(asked.status).toBe(202)
    expect(Date.parse(asked.body.due_at) - Date.parse(asked.body.received_at)).toBe(60_000)
    const others = (async () => {
      for (let round = 0; round < 5; round += 1)
        theirs.push(...(await send(shop, [{ user_id: newId('other') }])))
    })()
    const request = await done(asked.body.id)
    await others
    expect(request).toMatchObject({ status: 'completed', sla_met: true, attempts: 1, error: null })

    const files = await unzip(request.export?.url ?? '')
    expect(new Set(rowsIn(files.get('events.ndjson')).map((row) => row.event_id))).toEqual(new Set(mine))
    expect(rowsIn(files.get('events.ndjson'))).toHaveLength(mine.length)
    expect(rowsIn(files.get('quarantine.ndjson'))).toMatchObject([
      { event_id: held, held: { event: { userId: user_id } } },
    ])
    expect(rowsIn(files.get('consents.ndjson'))).toMatchObject([{ stated: { ad_storage: 'denied' } }])
    expect(rowsIn(files.get('people.ndjson'))).toMatchObject([{ person_id, traits, identifiers: [{}, {}] }])
    expect(rowsIn(files.get('merge_ledger.ndjson')).length).toBeGreaterThan(0)
    const all = [...files.values()].join('')
    for (const id of theirs) expect(all).not.toContain(id)
    const manifest = JSON.parse(files.get('manifest.json') ?? '')
    for (const { name, rows, sha256 } of manifest.files) {
      expect(
        createHash('sha256')
          .update(files.get(name) ?? '')
          .digest('hex'),
        name,
      ).toBe(sha256)
      expect(rowsIn(files.get(name))).toHaveLength(rows)
    }
  }, 120_000)

  test('sends each change of status, signed by the published key, until it is received', async () => {
    const statuses = () => heard.map(({ body }) => JSON.parse(body).data.status)
    await untilTrue('the end', () => statuses().includes('completed'))
    aheadMs += 10_000
    await untilTrue('what was refused first', () => heard.length >= 3)
    expect(statuses().toSorted()).toEqual(['completed', 'in_progress', 'in_progress'])
    const { body } = await shop.call(listPrivacyKeys, {}, { key: null })
    const [jwk] = body.keys
    if (jwk === undefined) throw new Error('no key is published')
    const key = createPublicKey({ key: { kty: jwk.kty, crv: jwk.crv, x: jwk.x }, format: 'jwk' })
    for (const { headers, body: sent } of heard) {
      const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${sent}`
      const signature = String(headers['webhook-signature']).replace('v1a,', '')
      expect(verify(null, Buffer.from(signed), key, Buffer.from(signature, 'base64'))).toBe(true)
    }
  })

  test('of a person without data is complete and empty; an unknown id of ours is not found', async () => {
    const identifiers = [{ type: 'email', value: 'Nobody@Example.com' }]
    const asked = await shop.call(requestExport, { body: { identifiers, regime: 'ccpa' } })
    const request = await done(asked.body.id)
    expect(Object.values(request.export?.counts ?? {}).every((count) => count === 0)).toBe(true)
    const person_id = 'per_00000000000000000000000000'
    expect((await shop.call(requestExport, { body: { person_id, regime: 'gdpr' } })).status).toBe(404)
  })

  test('is made once for one subject_request_id', async () => {
    const identifiers = [{ type: 'user_id', value: newId('user') }]
    const body = { identifiers, regime: 'kvkk', subject_request_id: newId('ours') } as const
    const answers = await Promise.all(Array.from({ length: 5 }, () => shop.call(requestExport, { body })))
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202, 202])
    expect(new Set(answers.map((answer) => answer.body.id)).size).toBe(1)
    const other = { ...body, identifiers: [{ type: 'user_id', value: newId('user') }] }
    expect((await shop.call(requestExport, { body: other })).status).toBe(409)
    const theirs = await world.newWorkspace({ preset: 'strict' })
    const [first] = answers
    const params = { id: first?.body.id ?? '' }
    expect((await theirs.call(getSubjectRequest, { params })).status).toBe(404)
    expect((await theirs.call(listSubjectRequests, { query: {} })).body.data).toEqual([])
  })

  test.each([
    { body: { regime: 'gdpr' } },
    { body: { regime: 'gdpr', person_id: 'p', identifiers: [{ type: 'user_id', value: 'u' }] } },
    { body: { regime: 'gdpr', identifiers: [{ type: 'user_id', value: 'null' }] } },
    { body: { regime: 'none', identifiers: [{ type: 'user_id', value: 'u' }] } },
    {
      body: {
        regime: 'gdpr',
        identifiers: [{ type: 'user_id', value: 'u' }],
        status_callback_urls: ['ftp://x'],
      },
    },
    {
      body: {
        regime: 'gdpr',
        identifiers: [{ type: 'user_id', value: 'u' }],
        status_callback_urls: ['http://a:b@x'],
      },
    },
  ])('with $body is refused', async ({ body }) => {
    expect((await shop.call(requestExport, { body: JSON.parse(JSON.stringify(body)) })).status).toBe(422)
  })

  test('lies behind a link that cannot be made up and that expires', async () => {
    const { body } = await shop.call(listSubjectRequests, { query: { status: 'completed' } })
    const url = body.data.at(-1)?.export?.url ?? ''
    expect((await fetch(url)).status).toBe(200)
    expect((await fetch(url.replace(/expires=\d/, 'expires=9'))).status).toBe(404)
    expect((await fetch(url.replace(/dsr_[0-9a-z]+/, body.data[0]?.id ?? ''))).status).toBe(404)
    aheadMs += 7 * 24 * 3_600_000
    expect((await fetch(url)).status).toBe(404)
    const again = await shop.call(getSubjectRequest, { params: { id: body.data.at(-1)?.id ?? '' } })
    expect(again.body.export?.url).toBe(null)
  })
})

describe('a worker', () => {
  const workerOf = (holder: string, handle: Parameters<typeof createWorker>[0]['handle']) => {
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
  const ask = async () => {
    const identifiers = [{ type: 'user_id', value: newId('user') }]
    return (await shop.call(requestExport, { body: { identifiers, regime: 'gdpr' } })).body.id
  }
  const result = { export: { bytes: 1, sha256: 'x', counts: {}, expires_at: new Date(0).toISOString() } }
  const read = async (id: string) => (await shop.call(getSubjectRequest, { params: { id } })).body

  beforeAll(async () => {
    const { data } = (await shop.call(listSubjectRequests, { query: {} })).body
    for (const { id } of data) await done(id)
    world.product.deps.privacy.stop()
  })

  test('that died is followed by another, and the request ends once', async () => {
    const id = await ask()
    const stuck = Promise.withResolvers<ReadonlyMap<string, object>>()
    const dead = workerOf('dead', () => stuck.promise)
    const dying = dead.work()
    await untilTrue('its beginning', async () => (await read(id)).status === 'in_progress')
    let worked = 0
    const next = workerOf('next', async () => {
      worked += 1
      return new Map([[id, result]])
    })
    await next.work()
    expect((await read(id)).status).toBe('in_progress')
    // The stuck worker may renew its lease once before it counts as dead.
    await untilTrue('the end of its lease', async () => {
      aheadMs += 16_000
      await next.work()
      return (await read(id)).status === 'completed'
    })
    const ended = await read(id)
    expect(ended).toMatchObject({ status: 'completed', attempts: 2 })
    dead.stop()
    stuck.resolve(new Map([[id, { export: { ...result.export, bytes: 2 } }]]))
    await dying
    expect(await read(id)).toEqual(ended)
    expect(worked).toBe(1)
  })

  test('tries again what failed, five times, and then says so', async () => {
    const id = await ask()
    const failing = workerOf('failing', () => Promise.reject(new Error('the disk is full')))
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      await failing.work()
      expect(await read(id)).toMatchObject({
        attempts: attempt,
        status: attempt < 5 ? 'in_progress' : 'failed',
      })
      aheadMs += 20_000
    }
    const failed = await read(id)
    expect(failed).toMatchObject({ sla_met: false, error: expect.any(String) })
    expect(failed.error).not.toContain('disk')
  })

  test('does not begin what was cancelled, and what was begun is not cancelled', async () => {
    const id = await ask()
    expect((await shop.call(cancelSubjectRequest, { params: { id } })).body.status).toBe('cancelled')
    expect((await shop.call(cancelSubjectRequest, { params: { id } })).status).toBe(409)
    const worker = workerOf('idle', async (rows) => new Map(rows.map((row) => [row.id, result])))
    await worker.work()
    expect((await read(id)).status).toBe('cancelled')
    const other = await ask()
    await worker.work()
    expect((await shop.call(cancelSubjectRequest, { params: { id: other } })).status).toBe(409)
  })
})

describe('a callback', () => {
  test.each([
    ['127.0.0.1', true],
    ['10.1.2.3', true],
    ['172.31.255.255', true],
    ['192.168.0.1', true],
    ['169.254.169.254', true],
    ['0.0.0.0', true],
    ['::1', true],
    ['fd00::1', true],
    ['fe80::1', true],
    ['::ffff:127.0.0.1', true],
    ['192.0.2.1', false],
    ['2001:db8::1', false],
    ['no address', true],
  ])('to %s leads inside: %s', (address, expected) => {
    expect(isInside(address)).toBe(expected)
  })

  test('is not sent to this machine or its neighbours, by address or by name', async () => {
    const before = heard.length
    const deliver = createDelivery(false)
    const { port } = new URL(callbackUrl)
    for (const host of ['127.0.0.1', 'localhost', '[::1]', '[::ffff:7f00:1]', '2130706433']) {
      await expect(deliver(`http://${host}:${port}/`, {}, '{}'), host).rejects.toThrow('leads inside')
    }
    expect(heard.length).toBe(before)
  })
})

describe('the retention of events', () => {
  const dayMs = 86_400_000
  type Sent = { id: string; ms: number; arrivedMs: number; isQuarantined: boolean; ids: number }
  const kinds = ['login', 'error', 'purchase', 'held'] as const
  /** Around the bound: at it, next to it, and near it. It is at least 30 days back. */
  const offset = fc.oneof(fc.constantFrom(-1, 0, 1), fc.integer({ min: -40 * dayMs, max: 25 * dayMs }))
  const events = fc.array(fc.record({ offset, kind: fc.constantFrom(...kinds) }), {
    minLength: 2,
    maxLength: 12,
  })
  const zone = fc.constantFrom('UTC', 'America/Los_Angeles', 'Asia/Kolkata', 'Pacific/Auckland')
  const plan = fc.record({
    zone,
    days: fc.integer({ min: 30, max: 60 }),
    neighbourDays: fc.option(fc.integer({ min: 30, max: 60 })),
    early: events,
    late: events,
    neighbour: events,
  })
  type Of<Some> = Some extends fc.Arbitrary<infer Value> ? Value : never
  type Plan = Of<typeof plan>

  async function sendPlanned(at: TestWorkspace, siteId: string, wanted: Of<typeof events>, boundMs: number) {
    const arrivedMs = Date.now() + aheadMs
    const sent = wanted.map(({ offset, kind }, index): Sent & { event: object } => {
      const ms = Math.min(boundMs + offset, arrivedMs)
      const id = newId('e')
      const base = { event_id: id, site_id: siteId, user_id: `u${index}`, ts: new Date(ms).toISOString() }
      const own = {
        login: { event: '$login', properties: { method: 'x' } },
        error: { event: 'error', properties: { message: 'It is broken' } },
        purchase: { event: '$purchase', properties: { amount: 1, currency: 'EUR', order_id: id } },
        held: { event: 'never_heard_of', properties: {} },
      }[kind]
      const event = { ...base, ...own, historical: true }
      // An order has an id of its own.
      return { id, ms, arrivedMs, isQuarantined: kind === 'held', ids: kind === 'purchase' ? 2 : 1, event }
    })
    const key = { key: at.keys.secret }
    const answer = await at.call(batch, { body: { batch: sent.map(({ event }) => event) } }, key)
    expect(answer.body.summary).toMatchObject({ reject: 0, duplicate: 0 })
    return sent
  }

  /** Every table that keeps something by site and time; asked of the store, so that one that is added is not missed. */
  async function rowsBefore(siteId: string, boundMs: number): Promise<Record<string, number>> {
    const store = world.product.deps.events
    const tables = await store.query<{ name: string }>(
      `SELECT t.name AS name FROM system.tables AS t
       INNER JOIN system.columns AS c ON c.database = t.database AND c.table = t.name
       WHERE t.database = currentDatabase() AND c.name IN ('site_id', 'ts') AND t.engine LIKE '%MergeTree'
       GROUP BY name HAVING count() = 2 ORDER BY name`,
    )
    const counts = tables.map(
      ({ name }) => `SELECT '${name}' AS name, count() AS rows FROM ${name}
                     WHERE site_id = {siteId:String} AND toUnixTimestamp64Milli(ts) < {boundMs:Int64}`,
    )
    const rows = await store.query<{ name: string; rows: string | number }>(counts.join(' UNION ALL '), {
      siteId,
      boundMs,
    })
    return Object.fromEntries(rows.map(({ name, rows: count }) => [name, Number(count)]))
  }

  /** What reads of a site return about its events. */
  async function readSite(at: TestWorkspace, siteId: string) {
    const daysAgo = (days: number) => new Date(Date.now() + aheadMs - days * dayMs).toISOString()
    const query = { siteId, from: daysAgo(200), to: daysAgo(0), includeBots: true }
    const { metrics, retainedSince } = (await at.call(getOverview, { query })).body
    const held = (await at.call(listQuarantined, { query: { site_id: siteId, limit: 200 } })).body.data
    return { events: metrics.events, retainedSince, held: held.map(({ event_id }) => event_id).sort() }
  }

  const isGone = (one: Sent, untilMs: number) => (one.isQuarantined ? one.arrivedMs : one.ms) < untilMs

  function left(sent: readonly Sent[], untilMs: number): Awaited<ReturnType<typeof readSite>> {
    const kept = sent.filter((one) => !isGone(one, untilMs))
    const isCut = sent.some((one) => !one.isQuarantined && isGone(one, untilMs))
    return {
      events: kept.filter(({ isQuarantined }) => !isQuarantined).length,
      retainedSince: isCut ? new Date(untilMs).toISOString() : null,
      held: kept.flatMap(({ isQuarantined, id }) => (isQuarantined ? [id] : [])).sort(),
    }
  }

  /** A workspace with two sites and what they sent, and another one that keeps everything. */
  async function prepare({ zone: timezone, days, neighbourDays, ...planned }: Plan, nowMs: number) {
    const [home, other] = [
      await world.newWorkspace({ timezone, preset: 'strict' }),
      await world.newWorkspace({ preset: 'strict' }),
    ]
    const next = { name: 'Next', domain: 'next.example', eventRetentionDays: neighbourDays }
    const neighbourId = (await home.call(createSite, { body: next })).body.id
    const boundMs = retentionBoundMs(nowMs, days, timezone)
    const usualAheadMs = aheadMs
    // An event that arrived before the bound can only be from before it.
    aheadMs -= nowMs - boundMs + dayMs
    const early = await sendPlanned(home, home.siteId, planned.early, boundMs)
    aheadMs = usualAheadMs
    const own = [...early, ...(await sendPlanned(home, home.siteId, planned.late, boundMs))]
    const neighbour = await sendPlanned(home, neighbourId, planned.neighbour, boundMs)
    const theirs = await sendPlanned(other, other.siteId, planned.late, boundMs)
    const neighbourBoundMs =
      neighbourDays === null ? Number.NEGATIVE_INFINITY : retentionBoundMs(nowMs, neighbourDays, 'UTC')
    return { home, other, neighbourId, days, boundMs, own, neighbour, theirs, neighbourBoundMs }
  }
  type Prepared = Awaited<ReturnType<typeof prepare>>

  async function shorten({ home, days, boundMs, own }: Prepared): Promise<void> {
    const params = { id: home.siteId }
    const told = (await home.call(getEventRetention, { params, query: { days } })).body
    const gone = own.filter((one) => isGone(one, boundMs))
    expect(told.preview).toMatchObject({
      before: new Date(boundMs).toISOString(),
      events: gone.filter(({ isQuarantined }) => !isQuarantined).length,
      held: gone.filter(({ isQuarantined }) => isQuarantined).length,
    })
    const { body: site } = await home.call(updateSite, { params, body: { eventRetentionDays: days } })
    expect([site.eventRetentionDays, site.retainedSince]).toEqual([days, null])
  }

  async function checkLeft(one: Prepared): Promise<void> {
    const { home, other, neighbourId, boundMs, own, neighbour, theirs, neighbourBoundMs } = one
    expect(await readSite(home, home.siteId)).toEqual(left(own, boundMs))
    expect(await readSite(home, neighbourId)).toEqual(left(neighbour, neighbourBoundMs))
    expect(await readSite(other, other.siteId)).toEqual(left(theirs, Number.NEGATIVE_INFINITY))
    const { event_ids, quarantine, ...rows } = await rowsBefore(home.siteId, boundMs)
    expect(Object.keys(rows)).toEqual(expect.arrayContaining(['attribution_touches', 'events']))
    expect(Object.entries(rows).filter(([, count]) => count > 0)).toEqual([])
    // A recently arrived id is known for as long as promised, so that it is not counted twice.
    const known = own.filter(({ ms, arrivedMs }) => ms < boundMs && arrivedMs >= boundMs)
    expect(event_ids).toBe(known.reduce((sum, { ids }) => sum + ids, 0))
    // So is a quarantined event: there is as much time to release it regardless of its own time.
    expect(quarantine).toBe(known.filter(({ isQuarantined }) => isQuarantined).length)
    for (const { id, ...sent } of own.slice(0, 2)) {
      const { status } = await home.call(getReceipt, { params: { event_id: id } })
      expect(status).toBe(isGone({ id, ...sent }, boundMs) ? 404 : 200)
    }
  }

  /** Orders that a back-fill finds on both sides of the bound, some of them again later, with what led to them. */
  async function prepareLaid(nowMs: number) {
    const at = await world.newWorkspace({ preset: 'strict' })
    const { siteId } = at
    const boundMs = retentionBoundMs(nowMs, 30, 'UTC')
    const sendOrders = async (event: string, orders: readonly (readonly [order: string, days: number])[]) => {
      const own = orders.map(([order_id, days]) => ({
        event,
        user_id: `buyer-${order_id}`,
        ts: new Date(boundMs + days * dayMs).toISOString(),
        historical: true,
        context: { campaign: { source: 'newsletter', medium: 'email' } },
        properties: { order_id, currency: 'EUR', [event === '$purchase' ? 'amount' : 'total']: 5 },
      }))
      const { body } = await at.call(batch, { body: { batch: own } }, { key: at.keys.secret })
      expect(body.summary.accept + body.summary.warn).toBe(orders.length)
    }
    await at.call(createDefinition, { body: { name: 'shop_order' } })
    await sendOrders('shop_order', [
      ['old', -3],
      ['again', -2],
      ['later', -2],
      ['new', 3],
    ])
    await sendOrders('$purchase', [['again', 4]])
    const rule = { siteId, source: 'shop_order', target: '$purchase', propertyMap: { total: 'amount' } }
    const { body: mapping } = await at.call(createMapping, { body: rule })
    const range = { from: iso(boundMs - 10 * dayMs), to: iso(nowMs) }
    const { body: job } = await at.call(startBackfill, { params: { id: mapping.id }, body: range })
    const backfill = { params: { id: 'id' in job ? job.id : '' } }
    await untilTrue(
      'the back-fill',
      async () => (await at.call(getBackfill, backfill)).body.status === 'done',
      120_000,
    )
    await sendOrders('$purchase', [['later', 5]])
    await at.settle()
    const days = { from: iso(boundMs - 4 * dayMs).slice(0, 10), to: iso(boundMs + 6 * dayMs).slice(0, 10) }
    const { job_id: id } = (await at.call(computeAttribution, { body: days })).body
    await untilTrue(
      'the computation',
      async () => (await at.call(getAttributionJob, { params: { id } })).body.status === 'done',
      120_000,
    )
    await at.call(updateSite, { params: { id: siteId }, body: { eventRetentionDays: 30 } })
    /** Reads of the retained period; and the orders that back-fills affect. */
    const read = async () => {
      const since = { siteId, from: iso(boundMs), to: iso(nowMs) }
      const { metrics, series } = (await at.call(getOverview, { query: since })).body
      const kept = { from: iso(boundMs).slice(0, 10), to: days.to }
      const { outcomes, values } = (await at.call(getAttributionReport, { query: kept })).body
      const orders = await world.product.deps.events.query<{ order_id: string }>(
        `SELECT order_id FROM overlay_orders WHERE generation IN (
           SELECT generation FROM overlaid_events WHERE site_id = {siteId:String}) ORDER BY order_id`,
        { siteId },
      )
      return { kept: { metrics, series, outcomes, values }, orders: orders.map(({ order_id }) => order_id) }
    }
    return { read, before: await read(), rowsBefore: () => rowsBefore(siteId, boundMs) }
  }

  const iso = (ms: number) => new Date(ms).toISOString()

  test('removes exactly what is older than the bound in the zone of its site, everywhere, and twice is once', async () => {
    // Hours from the next midnight of each zone, so that no bound moves on meanwhile: five o'clock in UTC.
    aheadMs += dayMs - ((Date.now() + aheadMs - 5 * 3_600_000) % dayMs)
    const runs = { numRuns: 1, endOnFailure: true }
    const several = fc.array(plan, { minLength: 2, maxLength: 2 })
    await fc.assert(
      fc.asyncProperty(several, async (plans) => {
        const nowMs = Date.now() + aheadMs
        const { logger, entries } = recordLog()
        const removeAt = (ms: number) =>
          removeOldEvents({ ...world.product.deps, now: () => ms }, logger, raise)
        // The clock of this file is some days ahead of the one that the stores began with.
        for (const days of [5, 0]) await removeAt(nowMs - days * dayMs)
        expect(entries).toEqual([])
        const prepared: Prepared[] = []
        for (const one of plans) prepared.push(await prepare(one, nowMs))
        await shop.settle()
        for (const one of prepared) await shorten(one)
        const readOverlays = await prepareLaid(nowMs)
        expect(readOverlays.before.orders).toEqual(['again', 'later', 'new', 'old'])
        expect(readOverlays.before.kept.metrics).toMatchObject({ events: 1, conversions: 1, revenue: 5 })
        expect(await readOverlays.rowsBefore()).toMatchObject({
          attribution_touches: 3,
          attribution_outcomes: 3,
          event_overlays: 3,
          overlaid_events: 3,
        })
        // A clock that is years ahead removes nothing that the right one would not.
        await removeAt(nowMs + 3650 * dayMs)
        expect(entries.map(({ level, message }) => [level, message])).toEqual([
          ['warn', expect.stringContaining('until it has lasted for 72 hours more')],
        ])
        const { control } = world.product.deps
        expect(await removalNowMs({ control, now: () => nowMs + 3650 * dayMs })).toBe(nowMs)
        for (const one of prepared) await checkLeft(one)
        // What is kept reads as before: no purchase begins to count because the first one of its order is gone.
        const { kept, orders } = await readOverlays.read()
        expect(kept).toEqual(readOverlays.before.kept)
        expect(orders).toEqual(['again', 'later', 'new'])
        const { event_ids: recent, ...gone } = await readOverlays.rowsBefore()
        expect(recent).toBeGreaterThan(0)
        expect(new Set(Object.values(gone))).toEqual(new Set([0]))
        const ids = () =>
          world.product.deps.events.query(
            'SELECT workspace_id, event_id FROM events WHERE workspace_id IN {ids:Array(String)} ORDER BY ALL',
            { ids: prepared.flatMap(({ home, other }) => [home.workspaceId, other.workspaceId]) },
          )
        const once = await ids()
        await removeAt(nowMs)
        expect(await ids()).toEqual(once)
      }),
      runs,
    )
  }, 400_000)

  test('continues with the next month when one run has done enough', () => {
    const rows = (month: string, count: number) => ({ month, rows: count })
    const found = [rows('202602', 4), rows('202601', 3), rows('202601', 3), rows('202512', 1)]
    expect(endOfRun(found, 11)).toBe(Number.POSITIVE_INFINITY)
    expect(endOfRun(found, 10)).toBe(Date.UTC(2026, 1))
    expect(endOfRun(found, 6)).toBe(Date.UTC(2026, 0))
    // A month is removed as a whole, however much it is.
    expect(endOfRun([rows('202512', 9), rows('202601', 1)], 1)).toBe(Date.UTC(2026, 0))
  })
})
