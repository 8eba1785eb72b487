import { batch, getOverview, getReceipt, releaseQuarantined, track } from '@assay/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  caller,
  type Database,
  makeDatabase,
  startWorld,
  type TestWorkspace,
  untilTrue,
  type World,
} from '../../testing/harness.ts'
import { type NatsServers, startNats } from '../../testing/nats-server.ts'
import { countLines } from '../wal/personal-lines.ts'

let database: Database
let nats: NatsServers
const nodes: World[] = []

beforeAll(async () => {
  database = await makeDatabase()
  nats = await startNats(1)
  const replicatedLog = nats.settings({ partitions: 2 })
  const config = { postgresUrl: database.url, replicatedLog, ingestEventsPerSecond: 1e9 }
  for (let count = 0; count < 2; count += 1) nodes.push(await startWorld({ config }))
}, 240_000)
afterAll(async () => {
  await Promise.all(nodes.map((node) => node.close()))
  await nats?.close()
  await database?.drop()
})

function node(index: number): World {
  const found = nodes[index]
  if (found === undefined) throw new Error('the nodes were not started')
  return found
}

const callAt = (index: number, { keys }: TestWorkspace) => caller(node(index).product.url, keys.live)

const login = (id: string) => ({
  event: '$login',
  event_id: id,
  user_id: `u-${id}`,
  properties: { method: 'mail' },
})

async function counted(shop: TestWorkspace, at = 0) {
  const query = { siteId: shop.siteId, window: '7d' }
  const headers = { prefer: 'wait=30' }
  return (await callAt(at, shop)(getOverview, { query }, { headers })).body.metrics.events
}

async function verdictsOf({ workspaceId }: TestWorkspace) {
  const [row] = await node(0).product.deps.events.query<{ events: string; duplicates: string }>(
    'SELECT sum(events) AS events, sum(duplicates) AS duplicates FROM verdicts WHERE workspace_id = {ws:String}',
    { ws: workspaceId },
  )
  return { events: Number(row?.events), duplicates: Number(row?.duplicates) }
}

/** Nothing is loaded on any node while this runs. */
function withoutLoads<T>(work: () => Promise<T>): Promise<T> {
  const [one, two] = [node(0).product.deps.writer, node(1).product.deps.writer]
  return one.withoutLoads(() => two.withoutLoads(work))
}

test('events sent to either node are stored and counted once, and every other sighting as a repeat', async () => {
  const shop = await node(0).newWorkspace()
  const events = Array.from({ length: 60 }, (_, at) => login(`e-${at}`))
  // Neither node knows what the other one took.
  await withoutLoads(async () => {
    for (const at of [0, 1, 0]) {
      const { status } = await callAt(at, shop)(batch, { body: { batch: events } })
      expect(status).toBe(200)
    }
  })
  expect(await counted(shop, 0)).toBe(60)
  expect(await counted(shop, 1)).toBe(60)
  expect(await verdictsOf(shop)).toEqual({ events: 60, duplicates: 120 })
  const again = await callAt(1, shop)(track, { body: login('e-7') })
  expect(again.body.duplicate).toBe(true)
  const receipt = await callAt(0, shop)(getReceipt, { params: { event_id: 'e-7' } })
  expect(receipt.body).toMatchObject({ counted: true, state: 'stored' })
}, 120_000)

test('an order counts once, though two nodes took it under different event ids', async () => {
  const shop = await node(0).newWorkspace()
  const purchase = (event_id: string, order_id: string) => {
    const properties = { amount: 10, currency: 'EUR', order_id }
    return { event: '$purchase', event_id, user_id: 'ada', properties }
  }
  const orders = Array.from({ length: 20 }, (_, at) => `order-${at}`)
  await withoutLoads(async () => {
    for (const at of [0, 1]) {
      const events = orders.map((order) => purchase(`${order}-${at}`, order))
      await callAt(at, shop)(batch, { body: { batch: events } })
    }
  })
  await counted(shop)
  const query = { siteId: shop.siteId, window: '7d' }
  const { body } = await callAt(1, shop)(getOverview, { query }, { headers: { prefer: 'wait=30' } })
  expect(body.metrics).toMatchObject({ revenue: 200, conversions: 20 })
  const receipts = await Promise.all(
    [0, 1].map(async (at) => {
      const params = { event_id: `order-3-${at}` }
      return (await callAt(at, shop)(getReceipt, { params })).body
    }),
  )
  expect(receipts.map(({ counted: isCounted }) => isCounted).toSorted()).toEqual([false, true])
  const { control } = node(0).product.deps
  expect(await control.query('SELECT event_id FROM log_orders')).toEqual([])
}, 120_000)

test('an event that one node quarantined is released by another', async () => {
  const shop = await node(0).newWorkspace()
  const properties = { amount: 30, currency: 'EURO', order_id: 'o-1' }
  const body = { event: '$purchase', event_id: 'held', user_id: 'ada', properties }
  expect((await callAt(0, shop)(track, { body })).body.outcome).toBe('quarantine')
  expect((await callAt(1, shop)(track, { body })).status).toBe(202)
  expect(await counted(shop)).toBe(0)
  const patch = { currency: 'EUR' }
  await callAt(1, shop)(releaseQuarantined, { body: { ids: ['qtn_held'], patch } })
  expect(await counted(shop)).toBe(1)
}, 120_000)

test('whom a member forgets is left out of what every node still has to load', async () => {
  const shop = await node(0).newWorkspace()
  const { log } = node(0).product.deps
  const { control } = node(0).product.deps
  const eventOf = (user_id: string, id: string) => ({ ...login(id), user_id })
  await withoutLoads(async () => {
    for (const at of [0, 1]) {
      const events = ['ada', 'bob', 'eve'].map((user) => eventOf(user, `${user}-${at}`))
      await callAt(at, shop)(batch, { body: { batch: events } })
    }
    const people = new Map<unknown, string>()
    for await (const line of log.unloaded()) people.set(JSON.parse(line).user_id, JSON.parse(line).person_id)
    const [ada = '', bob = ''] = [people.get('ada'), people.get('bob')]
    expect(await countLines(log, shop.workspaceId, [ada, bob])).toBe(4)
    await log.forget(shop.workspaceId, [ada], 'erase')
    await log.forget(shop.workspaceId, [bob], 'anonymise')
    expect(await countLines(log, shop.workspaceId, [ada, bob])).toBe(0)
    // What comes later is another matter: it is refused before, or swept up after.
    await callAt(1, shop)(track, { body: eventOf('ada', 'ada-later') })
    expect(await countLines(log, shop.workspaceId, [ada])).toBe(1)
  })
  expect(await counted(shop)).toBe(5)
  const rows = await node(0).product.deps.events.query<{ event_id: string; user_id: string }>(
    'SELECT event_id, user_id FROM events WHERE workspace_id = {ws:String} ORDER BY event_id',
    { ws: shop.workspaceId },
  )
  expect(rows).toEqual([
    { event_id: 'ada-later', user_id: 'ada' },
    { event_id: 'bob-0', user_id: '' },
    { event_id: 'bob-1', user_id: '' },
    { event_id: 'eve-0', user_id: 'eve' },
    { event_id: 'eve-1', user_id: 'eve' },
  ])
  expect(await control.query('SELECT id FROM log_erasures')).toEqual([])
}, 120_000)

test('without a log the answer is unavailable, and what is sent again counts once', async () => {
  const shop = await node(0).newWorkspace()
  expect((await callAt(0, shop)(track, { body: login('before') })).status).toBe(202)
  await nats.kill(0)
  const refused = await callAt(0, shop)(track, { body: login('during') })
  expect(refused).toMatchObject({ status: 503, problem: { type: expect.stringMatching(/unavailable$/) } })
  expect(refused.headers.get('retry-after')).toBe('1')
  expect((await fetch(`${node(0).product.url}/readyz`)).status).toBe(503)
  await nats.restart(0)
  await untilTrue('the log', async () => {
    const { status } = await callAt(1, shop)(track, { body: login('during') })
    return status === 202
  })
  expect((await callAt(0, shop)(track, { body: login('during') })).status).toBe(202)
  expect(await counted(shop)).toBe(2)
  await untilTrue('the first node', async () => (await fetch(`${node(0).product.url}/readyz`)).status === 200)
}, 120_000)
