import { once } from 'node:events'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { batch, getOverview } from '@assay/contract'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from './config.ts'
import { type ChildProduct, startChild } from './testing/child-product.ts'
import { caller, type Database, makeDatabase, sharedStores, untilTrue } from './testing/harness.ts'
import { type NatsServers, startNats } from './testing/nats-server.ts'

const directory = mkdtempSync(join(tmpdir(), 'assay-draining-'))
let database: Database
let nats: NatsServers
let sql: pg.Client
let leaving: ChildProduct
let staying: ChildProduct

beforeAll(async () => {
  const { clickhouseUrl } = await sharedStores()
  ;[database, nats] = await Promise.all([makeDatabase(), startNats(1)])
  sql = new pg.Client(database.url)
  await sql.connect()
  const startNode = (name: string) => {
    const dataDir = join(directory, name)
    mkdirSync(dataDir, { mode: 0o700 })
    if (name !== 'leaving') {
      copyFileSync(join(directory, 'leaving/first-run.json'), `${dataDir}/first-run.json`)
    }
    return startChild({
      ASSAY_POSTGRES_URL: database.url,
      ASSAY_CLICKHOUSE_URL: clickhouseUrl,
      ASSAY_LOG_URL: nats.url,
      ASSAY_DRAIN_SECONDS: '120',
      ASSAY_DATA_DIR: dataDir,
    })
  }
  leaving = await startNode('leaving')
  staying = await startNode('staying')
}, 300_000)
afterAll(async () => {
  await Promise.all([leaving, staying].map((node) => node?.kill()))
  await sql?.end()
  await nats?.close()
  await database?.drop()
  rmSync(directory, { recursive: true, force: true })
})

const login = (id: string) => ({ event: '$login', event_id: id, user_id: id, properties: { method: 'mail' } })

/** A request of which the head was sent; the rest follows when the test says so. */
function beginRequest(
  { url, keys }: ChildProduct,
  body: string,
): { socket: Socket; finish: () => Promise<string> } {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.setEncoding('utf8')
  let text = ''
  socket.on('data', (part: string) => {
    text += part
  })
  socket.write(
    `POST /v1/batch HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAuthorization: Bearer ${keys.secretKey}\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body.slice(0, 10)}`,
  )
  const finish = async () => {
    const closed = once(socket, 'close')
    socket.write(body.slice(10))
    await closed
    return text
  }
  return { socket, finish }
}

test('a node that gets SIGTERM says so first, answers what arrives and what is under way, and gives its leases back', async () => {
  const holdersOf = async () =>
    (await sql.query<{ holder: string }>('SELECT holder FROM log_partitions')).rows.map(
      ({ holder }) => holder,
    )
  const nodeId = readFileSync(join(directory, 'leaving/node-id'), 'utf8').trim()
  const held = async () => (await holdersOf()).filter((holder) => holder.startsWith(nodeId)).length
  await untilTrue('each node to hold partitions', async () => new Set(await holdersOf()).size === 2)
  expect(await held()).toBeGreaterThan(0)

  const duringDrain = beginRequest(leaving, JSON.stringify({ batch: [login('d-1')] }))
  const duringClose = beginRequest(leaving, JSON.stringify({ batch: [login('d-2')] }))
  await Promise.all([once(duringDrain.socket, 'connect'), once(duringClose.socket, 'connect')])
  const ended = leaving.terminate()
  await untilTrue(
    'readiness to be refused',
    async () => (await fetch(`${leaving.url}/readyz`)).status === 503,
  )
  const ready = await fetch(`${leaving.url}/readyz`)
  expect(await ready.json()).toMatchObject({ detail: 'Not ready: this node is about to stop.', log: true })
  expect((await fetch(`${leaving.url}/healthz`)).status).toBe(200)

  const { status, headers } = await caller(leaving.url, leaving.keys.secretKey)(batch, {
    body: { batch: [login('d-3')] },
  })
  expect({ status, connection: headers.get('connection') }).toEqual({ status: 200, connection: 'close' })
  expect(await duringDrain.finish()).toContain('HTTP/1.1 200 ')

  // A second signal ends the draining.
  const gone = leaving.terminate()
  await untilTrue('the port to be closed', () =>
    fetch(`${leaving.url}/healthz`).then(
      () => false,
      () => true,
    ),
  )
  expect(await duringClose.finish()).toContain('HTTP/1.1 200 ')
  expect(await ended).toBe(0)
  expect(await gone).toBe(0)

  // At once: no one waits for the time of a lease to be over.
  expect(await held()).toBe(0)
  const query = { siteId: staying.keys.siteId, window: '7d' }
  const read = caller(staying.url, staying.keys.liveKey)
  const { body } = await read(getOverview, { query }, { headers: { prefer: 'wait=30' } })
  expect(body.metrics.events).toBe(3)
}, 120_000)

test('a single node stops at once, and one of several drains for five seconds unless set otherwise', () => {
  expect(readConfig({}).drainMs).toBe(0)
  const shared = {
    ASSAY_LOG_URL: 'nats://a',
    ASSAY_POSTGRES_URL: 'postgres://a/b',
    ASSAY_CLICKHOUSE_URL: 'http://a',
  }
  expect(readConfig(shared).drainMs).toBe(5_000)
  expect(readConfig({ ...shared, ASSAY_DRAIN_SECONDS: '30' }).drainMs).toBe(30_000)
})
