import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { batch, computeAttribution, getAttributionJob, getOverview } from '@assay/contract'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from './config.ts'
import { nodeRoles } from './platform/node/node-roles.ts'
import { ConfigError } from './platform/settings/environment.ts'
import { type ChildProduct, startChild } from './testing/child-product.ts'
import { caller, type Database, makeDatabase, sharedStores, untilTrue } from './testing/harness.ts'
import { type NatsServers, startNats } from './testing/nats-server.ts'

const directory = mkdtempSync(join(tmpdir(), 'assay-roles-'))
let database: Database
let nats: NatsServers
let sql: pg.Client
let worker: ChildProduct
let taker: ChildProduct
let answerer: ChildProduct

beforeAll(async () => {
  const { clickhouseUrl } = await sharedStores()
  ;[database, nats] = await Promise.all([makeDatabase(), startNats(1)])
  sql = new pg.Client(database.url)
  await sql.connect()
  const env = {
    ASSAY_POSTGRES_URL: database.url,
    ASSAY_CLICKHOUSE_URL: clickhouseUrl,
    ASSAY_LOG_URL: nats.url,
    ASSAY_DRAIN_SECONDS: '0',
  }
  const startNode = (name: string, roles: string) => {
    const dataDir = join(directory, name)
    mkdirSync(dataDir, { mode: 0o700 })
    // The keys of the installation are in the file of the node that made it.
    if (name !== 'worker') copyFileSync(join(directory, 'worker/first-run.json'), `${dataDir}/first-run.json`)
    return startChild({ ...env, ASSAY_DATA_DIR: dataDir, ASSAY_ROLES: roles })
  }
  worker = await startNode('worker', 'loader,jobs')
  ;[taker, answerer] = await Promise.all([startNode('taker', 'data'), startNode('answerer', 'control')])
}, 300_000)
afterAll(async () => {
  await Promise.all([worker, taker, answerer].map((node) => node?.kill()))
  await sql?.end()
  await nats?.close()
  await database?.drop()
  rmSync(directory, { recursive: true, force: true })
})

const login = (id: string) => ({ event: '$login', event_id: id, user_id: id, properties: { method: 'mail' } })

test('a node answers for the roles that it has, and says which one is missing for the others', async () => {
  const sent = { body: { batch: [login('r-0')] } }
  const query = { siteId: taker.keys.siteId, window: '7d' }
  const refusals = [
    [answerer, 'data', await caller(answerer.url, answerer.keys.secretKey)(batch, sent)],
    [worker, 'data', await caller(worker.url, worker.keys.secretKey)(batch, sent)],
    [taker, 'control', await caller(taker.url, taker.keys.liveKey)(getOverview, { query })],
    [worker, 'control', await caller(worker.url, worker.keys.liveKey)(getOverview, { query })],
  ] as const
  for (const [node, role, { status, problem }] of refusals) {
    expect({ status, role: problem.role }).toEqual({ status: 421, role })
    expect(problem.type).toBe(`${node.url}/problems/misdirected`)
    expect(problem.detail).toContain(`a node with the role ${role}`)
  }
  for (const path of ['/', '/docs/', '/assets/x.js', '/ws_1/overview']) {
    expect([path, (await fetch(taker.url + path)).status]).toEqual([path, 421])
  }
  expect((await fetch(`${worker.url}/sdk.js`)).status).toBe(421)
  expect((await fetch(`${worker.url}/nowhere`)).status).toBe(404)
})

test('probes and metrics answer on every node, with its roles', async () => {
  const roles = new Map([
    [taker, ['data']],
    [answerer, ['control']],
    [worker, ['loader', 'jobs']],
  ])
  for (const [node, expected] of roles) {
    expect((await fetch(`${node.url}/healthz`)).status).toBe(200)
    const ready = await fetch(`${node.url}/readyz`)
    expect(await ready.json()).toMatchObject({ status: 'ready', roles: expected })
    const metrics = await (await fetch(`${node.url}/metrics`)).text()
    expect(metrics).toMatch(new RegExp(`^assay_node_info{.*roles="${expected.join(',')}".*} 1$`, 'm'))
    await untilTrue('the roles in the log', () =>
      node.output().includes(`Roles of this node: ${expected.join(', ')}`),
    )
  }
})

test('what one node takes another one loads, a third one reads, and jobs run where their role is', async () => {
  const events = Array.from({ length: 30 }, (_, index) => login(`r-${index}`))
  const { status } = await caller(taker.url, taker.keys.secretKey)(batch, { body: { batch: events } })
  expect(status).toBe(200)
  const read = caller(answerer.url, answerer.keys.liveKey)
  const query = { siteId: taker.keys.siteId, window: '7d' }
  const { body } = await read(getOverview, { query }, { headers: { prefer: 'wait=30' } })
  expect(body.metrics.events).toBe(30)
  const { rows } = await sql.query('SELECT DISTINCT holder FROM log_partitions')
  const loaders = await sql.query('SELECT run_id FROM log_nodes WHERE loads')
  expect(rows.map(({ holder }) => holder)).toEqual(loaders.rows.map(({ run_id }) => run_id))

  const today = new Date().toISOString().slice(0, 10)
  const job = await read(computeAttribution, { body: { from: today, to: today } })
  expect(job.status).toBe(202)
  const params = { id: job.body.job_id }
  await untilTrue('the job', async () => (await read(getAttributionJob, { params })).body.status === 'done')
  const metrics = await (await fetch(`${answerer.url}/metrics`)).text()
  expect(metrics).not.toContain('job="attribution"')
}, 90_000)

test.each([
  { roles: 'data,loaders', says: 'takes data, control, loader, jobs' },
  { roles: '', says: 'ASSAY_ROLES is empty' },
  { roles: ' , ', says: 'ASSAY_ROLES is empty' },
  { roles: 'data,control', says: 'leaves out loader, jobs. Without ASSAY_LOG_URL' },
])('the roles "$roles" are refused', ({ roles, says }) => {
  expect(() => readConfig({ ASSAY_ROLES: roles })).toThrow(ConfigError)
  expect(() => readConfig({ ASSAY_ROLES: roles })).toThrow(says)
})

test('all roles are the usual ones, and a part of them is for several nodes', () => {
  expect(readConfig({}).roles).toEqual(nodeRoles)
  expect(readConfig({ ASSAY_ROLES: 'jobs, loader,control,data,data' }).roles).toEqual(nodeRoles)
  const shared = {
    ASSAY_LOG_URL: 'nats://a',
    ASSAY_POSTGRES_URL: 'postgres://a/b',
    ASSAY_CLICKHOUSE_URL: 'http://a',
  }
  expect(readConfig({ ...shared, ASSAY_ROLES: 'loader' }).roles).toEqual(['loader'])
})
