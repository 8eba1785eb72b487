import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { getOverview, isRecord } from '@assay/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ChildProduct, startChild } from './testing/child-product.ts'
import { type CutProxy, startCutProxy } from './testing/cut-proxy.ts'
import { caller, type Database, makeDatabase, sharedStores } from './testing/harness.ts'
import { type NatsServers, startNats } from './testing/nats-server.ts'

const directory = mkdtempSync(join(tmpdir(), 'assay-several-'))
let database: Database
let nats: NatsServers
let toPostgres: CutProxy
let toEvents: CutProxy
const nodes: (ChildProduct | null)[] = []
let env: Record<string, string> = {}

beforeAll(async () => {
  const { clickhouseUrl } = await sharedStores()
  ;[database, nats] = await Promise.all([makeDatabase(), startNats(3)])
  const postgresUrl = new URL(database.url)
  toPostgres = await startCutProxy(Number(postgresUrl.port))
  toEvents = await startCutProxy(Number(new URL(clickhouseUrl).port))
  postgresUrl.port = String(toPostgres.port)
  env = {
    ASSAY_POSTGRES_URL: postgresUrl.href,
    ASSAY_CLICKHOUSE_URL: `http://127.0.0.1:${toEvents.port}`,
    ASSAY_LOG_URL: nats.url,
    ASSAY_LOG_PARTITIONS: '3',
    ASSAY_INGEST_EVENTS_PER_SECOND: '1000000',
  }
  nodes.push(await startNode(0))
  nodes.push(...(await Promise.all([startNode(1), startNode(2)])))
}, 400_000)
afterAll(async () => {
  await Promise.all(nodes.map((node) => node?.kill()))
  await Promise.all([toPostgres?.close(), toEvents?.close(), nats?.close()])
  await database?.drop()
  rmSync(directory, { recursive: true, force: true })
})

function startNode(index: number): Promise<ChildProduct> {
  const dataDir = join(directory, String(index))
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  // The keys of the installation are in the file of the node that made it.
  if (index > 0) copyFileSync(join(directory, '0/first-run.json'), join(dataDir, 'first-run.json'))
  return startChild({ ...env, ASSAY_DATA_DIR: dataDir })
}

/** One request as a load balancer sends it: to a node that is up. Null where there was no answer. */
async function post(index: number, body: object): Promise<Response | null> {
  const node = nodes[index % nodes.length]
  if (node === null || node === undefined) return null
  const { secretKey } = node.keys
  return fetch(`${node.url}/v1/batch`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${secretKey}` },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(15_000),
  }).catch(() => null)
}

/** Statuses that senders got, and bodies of those that are neither success nor `unavailable`. */
const answers = { ok: 0, unavailable: 0, none: 0 }
const wrong: string[] = []

async function isTaken(index: number, events: readonly object[]): Promise<boolean> {
  const answer = await post(index, { batch: events })
  if (answer === null) {
    answers.none += 1
    return false
  }
  const text = await answer.text().catch(() => '')
  if (answer.status === 200) {
    answers.ok += 1
    return true
  }
  const problem: unknown = text === '' ? null : JSON.parse(text)
  const isUnavailable = isRecord(problem) && String(problem.type).endsWith('/unavailable')
  if (answer.status === 503 && isUnavailable) answers.unavailable += 1
  else wrong.push(`${answer.status} ${text}`)
  return false
}

const eventsPerRequest = 20

/** Sends until the end; each request until it is acknowledged, and every third again to another node. */
async function sendAll(sender: number, isOver: () => boolean): Promise<number> {
  let sent = 0
  for (let request = 0; !isOver(); request += 1) {
    const events = Array.from({ length: eventsPerRequest }, (_, at) => {
      const id = `s${sender}-${request}-${at}`
      return { event: '$login', event_id: id, user_id: `u-${id}`, properties: { method: 'mail' } }
    })
    let node = sender + request
    while (!(await isTaken(node, events))) {
      node += 1
      await wait(50)
    }
    sent += events.length
    // Many requests show no more than some, and have to be loaded at the end.
    await wait(25)
    if (request % 3 === 0) await isTaken(node + 1, events)
  }
  return sent
}

test('what was acknowledged is there once, while each part in turn is killed, cut off or hangs', async () => {
  let isOver = false
  const senders = [0, 1, 2, 3].map((sender) => sendAll(sender, () => isOver))
  await wait(1_000)
  await nodes[1]?.kill()
  nodes[1] = null
  await nats.kill(0)
  nodes[1] = await startNode(1)
  await nats.restart(0)
  // As in an upgrade: no new requests, then the signal.
  const stopped = nodes[2]
  nodes[2] = null
  expect(await stopped?.terminate()).toBe(0)
  nats.pause(2)
  toEvents.hang()
  await wait(3_000)
  toEvents.mend()
  nats.resume(2)
  nodes[2] = await startNode(2)
  toPostgres.cut()
  await wait(2_000)
  toPostgres.mend()
  toEvents.cut()
  await wait(2_000)
  toEvents.mend()
  toPostgres.hang()
  await wait(1_500)
  toPostgres.mend()
  await wait(500)
  isOver = true
  const sent = (await Promise.all(senders)).reduce((sum, count) => sum + count, 0)
  expect(wrong).toEqual([])
  expect(sent).toBeGreaterThan(500)

  for (const node of nodes) {
    if (node === null) throw new Error('a node was not started again')
    const call = caller(node.url, node.keys.liveKey)
    const query = { siteId: node.keys.siteId, window: '7d' }
    let events = 0
    for (let tries = 0; tries < 4 && events < sent; tries += 1) {
      const asked = call(getOverview, { query }, { headers: { prefer: 'wait=30' } })
      const { body } = await asked.catch((cause: unknown) => {
        throw new Error(`a node does not answer; it said: ${node.output().slice(-3_000)}`, { cause })
      })
      events = body.metrics.events
    }
    expect(events).toBe(sent)
  }
}, 400_000)
