import {
  batch,
  createAlert,
  getOverview,
  getSubjectRequest,
  listFirings,
  listRecentEvents,
  queryFunnel,
  requestExport,
  requestForget,
  track,
} from '@assay/contract'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkDue } from './alerts/check.ts'
import { sendDue } from './alerts/messages/sender.ts'
import { createReportEviction } from './analytics/cache/large-reads.ts'
import { createReportCache } from './analytics/cache/report-cache.ts'
import { sessionsChannel } from './ingest/row/sessions/shared-sessions.ts'
import { silentLogger } from './platform/logging/logger.ts'
import { minuteMs } from './platform/units.ts'
import { createWorker, type Worker } from './privacy/requests/worker.ts'
import { type CutProxy, startCutProxy } from './testing/cut-proxy.ts'
import {
  type Caller,
  caller,
  type Database,
  makeDatabase,
  raise,
  startWorld,
  type TestWorkspace,
  untilTrue,
  type World,
} from './testing/harness.ts'
import { type MailServer, startMailServer } from './testing/mail-server.ts'
import { type NatsServers, startNats } from './testing/nats-server.ts'

const noonMs = Math.floor(Date.now() / 3_600_000) * 3_600_000
let database: Database
let nats: NatsServers
let mailServer: MailServer
/** Between the second node and the control store. */
let toPostgres: CutProxy
const nodes: World[] = []
/** Messages that each node received from the other. */
const heard: string[][] = [[], []]

beforeAll(async () => {
  database = await makeDatabase()
  nats = await startNats(1)
  mailServer = await startMailServer()
  const direct = new URL(database.url)
  toPostgres = await startCutProxy(Number(direct.port))
  const proxied = Object.assign(new URL(direct), { port: String(toPostgres.port) })
  const urls = [direct.href, proxied.href]
  for (const [index, told] of heard.entries()) {
    const postgresUrl = urls[index]
    const smtpUrl = mailServer.url
    const replicatedLog = nats.settings({ partitions: 2 })
    const config = { postgresUrl, replicatedLog, smtpUrl, requestsAtOnce: 4, ingestEventsPerSecond: 1e9 }
    const node = await startWorld({ config })
    nodes[index] = node
    await node.product.deps.control.listen(
      sessionsChannel,
      (payload) => told.push(payload),
      () => {},
    )
  }
}, 240_000)
afterAll(async () => {
  await Promise.all(nodes.map((node) => node.close()))
  await toPostgres?.close()
  await mailServer?.close()
  await nats?.close()
  await database?.drop()
})

function nodeOf(index: number): World {
  const node = nodes[index]
  if (node === undefined) throw new Error('the nodes were not started')
  return node
}

/** Calls of a workspace, to either node. */
const callsOf = ({ keys }: TestWorkspace): Caller[] =>
  nodes.map(({ product }) => caller(product.url, keys.live))

const settle = async () => {
  for (const { product } of nodes) expect(await product.deps.writer.flush(60_000)).toBe(true)
}

const browser = {
  'user-agent':
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36',
}

type Step = { kind: 'view' | 'order'; user: string; node: 0 | 1 }
const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('view', 'order'),
  user: fc.constantFrom('ada', 'bob', 'eve'),
  node: fc.constantFrom(0, 1),
})

test('a purchase that a server sends to one node is part of the visit that reached another', async () => {
  let visits = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 8 }), async (steps) => {
      const shop = await nodeOf(0).newWorkspace()
      const calls = callsOf(shop)
      const seen = new Set<string>()
      const sessions = new Set<string>()
      const bought = new Set<string>()
      const toldBy = async (node: number, text: string) =>
        untilTrue('the other node to hear of it', () =>
          (heard[1 - node] ?? []).some((payload) => payload.includes(shop.siteId) && payload.includes(text)),
        )
      for (const [at, { kind, user, node }] of steps.entries()) {
        const ts = new Date(noonMs - (20 - at) * minuteMs).toISOString()
        const call = calls[node]
        if (call === undefined) throw new Error('there is no such node')
        if (kind === 'view') {
          const session_id = `visit-${visits}-${user}`
          const properties = { url: 'https://shop.example/cart', title: 'Cart' }
          const body = { event: '$pageview', anonymous_id: user, user_id: user, session_id, ts, properties }
          await call(track, { body }, { key: shop.keys.public, headers: browser })
          if (!seen.has(user)) await toldBy(node, session_id)
          seen.add(user)
          sessions.add(user)
        } else {
          const properties = { amount: 20, currency: 'EUR', order_id: `order-${visits}-${at}` }
          await call(track, { body: { event: '$purchase', user_id: user, ts, properties } })
          if (seen.has(user)) bought.add(user)
          else {
            // Before any visit it is a session of the server's, whichever node it speaks to; no browser joins it.
            if (!sessions.has(`server ${user}`)) await toldBy(node, `"lastTs":${Date.parse(ts)}`)
            sessions.add(`server ${user}`)
          }
        }
      }
      visits += 1
      await settle()
      const [call] = calls
      if (call === undefined) throw new Error('there is no such node')
      const { body } = await call(getOverview, { query: { siteId: shop.siteId, window: '24h' } })
      expect(body.metrics.sessions).toBe(sessions.size)
      const funnel = {
        siteId: shop.siteId,
        window: '24h',
        steps: [{ path: '/cart' }, { event: '$purchase' }],
      }
      const found = await call(queryFunnel, { body: { ...funnel, by: 'session' } })
      expect(found.body.steps.map(({ entered }) => entered)).toEqual([seen.size, bought.size])
    }),
    { numRuns: 5, endOnFailure: true },
  )
}, 240_000)

test('eight lanes of two nodes do every request of people once, and share them', async () => {
  for (const { product } of nodes) product.deps.privacy.stop()
  const asked: { id: string; shop: TestWorkspace }[] = []
  for (let index = 0; index < 3; index += 1) {
    const shop = await nodeOf(index % 2).newWorkspace()
    const users = ['ada', 'bob', 'eve', 'kim']
    const events = users.map((user_id) => ({ event: '$login', user_id, properties: { method: 'mail' } }))
    await shop.call(batch, { body: { batch: events } })
    for (const [at, value] of users.entries()) {
      const body = { identifiers: [{ type: 'user_id', value }], regime: 'gdpr' as const }
      const call = callsOf(shop)[at % 2] ?? shop.call
      const { body: request } = await call(at < 2 ? requestExport : requestForget, { body })
      asked.push({ id: request.id, shop })
    }
  }
  await settle()

  const done: { id: string; node: number }[] = []
  let under = 0
  let most = 0
  const workerOf = (node: number): Worker => {
    const { requests, key, handle } = nodeOf(node).product.deps.privacy
    return createWorker({
      requests,
      holder: `node-${node}`,
      handle: async (rows, report, keep) => {
        done.push(...rows.map(({ id }) => ({ id, node })))
        under += 1
        most = Math.max(most, under)
        return handle(rows, report, keep).finally(() => {
          under -= 1
        })
      },
      key,
      deliver: async () => 204,
      logger: silentLogger,
      failures: { report: (_what, error) => expect(error).toBeUndefined() },
    })
  }
  const workers = nodes.map((_, node) => workerOf(node))
  const lanes = workers.flatMap((worker, node) =>
    Array.from({ length: nodeOf(node).product.deps.privacy.lanes }, () => worker.work()),
  )
  expect(lanes).toHaveLength(8)
  await Promise.all(lanes)

  expect(done.map(({ id }) => id).toSorted()).toEqual(asked.map(({ id }) => id).toSorted())
  expect(new Set(done.map(({ node }) => node))).toEqual(new Set([0, 1]))
  expect(most).toBeGreaterThan(4)
  for (const { id, shop } of asked) {
    const { body } = await shop.call(getSubjectRequest, { params: { id } })
    expect(body).toMatchObject({ status: 'completed', attempts: 1 })
    // Whichever node forgets, the one that took the events shows none of them any more.
    const reads = callsOf(shop).map((call) => call(listRecentEvents, { query: { site_id: shop.siteId } }))
    for (const read of await Promise.all(reads)) expect(read.body.data).toEqual([])
  }
}, 240_000)

test('an alert that is due on two nodes opens once, and each recipient gets one mail', async () => {
  const shop = await nodeOf(0).newWorkspace()
  const { siteId } = shop
  const question = { metric: 'visitors' as const }
  const condition = { type: 'below' as const, value: 1 }
  // The site is new: an hour that began before it says nothing.
  await nodeOf(0).product.deps.control.query(
    "UPDATE sites SET created_at = created_at - interval '2 days' WHERE id = $1",
    [siteId],
  )
  const made = Array.from({ length: 4 }, async (_, nth) => {
    const recipients = [`ada-${nth}@example.com`, `bob-${nth}@example.com`]
    const body = { siteId, name: `Quiet ${nth}`, question, interval: 'hour' as const, condition, recipients }
    return (await shop.call(createAlert, { body })).body.id
  })
  const ids = await Promise.all(made)
  const works = nodes.map(({ product }) => product.deps.alertWork)
  await Promise.all(works.flatMap(({ checking }) => [checkDue(checking, raise), checkDue(checking, raise)]))
  await Promise.all(works.flatMap(({ sending }) => [sendDue(sending, raise), sendDue(sending, raise)]))
  for (const id of ids) {
    const { body } = await shop.call(listFirings, { params: { id }, query: {} })
    expect(body.data.map(({ messages }) => messages.map(({ status }) => status))).toEqual([['sent', 'sent']])
  }
  const addresses = mailServer.mails.flatMap(({ to }) => to?.map(({ address }) => address) ?? [])
  const asked = ids.flatMap((_, nth) => [`ada-${nth}@example.com`, `bob-${nth}@example.com`])
  expect(addresses.toSorted()).toEqual(asked.toSorted())
})

test('reports that are cached on both nodes are gone from both when one evicts them', async () => {
  const caches = await Promise.all(
    nodes.map(async ({ product: { deps } }) => {
      const cache = createReportCache(deps.now, raise)
      return { cache, evict: await createReportEviction(deps.control, cache) }
    }),
  )
  for (const { cache } of caches) {
    for (const key of ['ws_a report', 'ws_b report'])
      await cache.ofLarge(
        key,
        async () => key,
        () => true,
      )
  }
  await caches[0]?.evict('ws_a')
  const ages = () =>
    caches.map(({ cache }) => ['ws_a report', 'ws_b report'].map((key) => cache.ageMs(key) !== null))
  await untilTrue('the other node to hear of it', () => ages()[1]?.[0] === false)
  expect(ages()).toEqual([
    [false, true],
    [false, true],
  ])
  await Promise.all(caches.map(({ cache }) => cache.close()))
})

test('who waits for what was acknowledged waits on while the control store is away for a moment', async () => {
  const shop = await nodeOf(0).newWorkspace()
  const { writer } = nodeOf(1).product.deps
  toPostgres.cut()
  const events = ['ada', 'bob'].map((user_id) => ({
    event: '$login',
    user_id,
    properties: { method: 'mail' },
  }))
  const { body: sent } = await shop.call(batch, { body: { batch: events } })
  expect(sent.results.map(({ outcome }) => outcome)).toEqual(['accept', 'accept'])
  const loaded = writer.flush(60_000)
  await untilTrue('the second node to miss the control store', () => writer.failure !== null)
  toPostgres.mend()
  expect(await loaded).toBe(true)
  const query = { siteId: shop.siteId, window: '24h' } as const
  const reads = callsOf(shop).map((call) => call(getOverview, { query }))
  expect((await Promise.all(reads)).map(({ body }) => body.metrics.events)).toEqual([2, 2])
}, 120_000)
