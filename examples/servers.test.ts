import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import Stripe from 'stripe'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { olderNode } from '../scripts/testing/older-node.ts'
import { startWorld, type TestWorkspace, untilTrue, type World } from '../server/src/testing/harness.ts'
import { openShop } from './express/server.ts'
import { openApi } from './fastify/server.ts'
import { openEndpoint } from './stripe-webhooks/server.ts'
import { buildWorker } from './worker/build.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world?.close())

const programs = join(import.meta.dirname, '../node_modules/.bin')

async function open() {
  const ours = await world.newWorkspace()
  return { ours, product: { url: world.product.url, secretKey: ours.keys.secret } }
}

/** Names of the events that are stored, once there are so many. */
async function names(ours: TestWorkspace, count: number): Promise<string[]> {
  let found: string[] = []
  await untilTrue(`${count} events are stored`, async () => {
    await ours.settle()
    const rows = await world.product.deps.events.query<{ name: string }>(
      'SELECT name FROM events WHERE workspace_id = {ws:String} ORDER BY name',
      { ws: ours.workspaceId },
    )
    found = rows.map(({ name }) => name)
    return found.length >= count
  })
  return found
}

const urlOf = (server: Server) => {
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = new URL(urlOf(server))
  await new Promise((resolve) => server.close(resolve))
  return Number(port)
}

/** Repeats the request until there is an answer, since the program takes a moment to start. */
async function answerOf(url: string, init: RequestInit = {}): Promise<Response> {
  let answer: Response | undefined
  await untilTrue(`${url} answers`, async () => {
    answer = await fetch(url, init).catch(() => undefined)
    return answer !== undefined
  })
  if (answer === undefined) throw new Error('unreachable')
  return answer
}

function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve())
    child.kill(signal)
  })
}

test('Express: pages, an order and an error arrive, and closing loses nothing', async () => {
  const { ours, product } = await open()
  const { server, close } = await openShop(product, 0)
  const headers = { 'x-user': 'u1', 'content-type': 'application/json' }
  await fetch(`${urlOf(server)}/`, { headers })
  const body = JSON.stringify({ id: 'o-1', amount: 49.9 })
  await fetch(`${urlOf(server)}/orders`, { method: 'POST', headers, body })
  await fetch(`${urlOf(server)}/broken`, { headers })
  expect(await close()).toEqual({ sent: 3, dropped: 0, pending: 0 })
  expect(await names(ours, 3)).toEqual(['$pageview', '$purchase', 'error'])
})

test('Fastify: calls and a sign-up arrive, probes do not', async () => {
  const { ours, product } = await open()
  const { address, close } = await openApi(product, 0)
  await fetch(`${address}/healthz`)
  await fetch(`${address}/users/7`, { headers: { 'x-user': 'u1' } })
  await fetch(`${address}/users`, { method: 'POST', headers: { 'x-user': 'u2' } })
  await close()
  expect(await names(ours, 3)).toEqual(['$signup', 'api_call', 'api_call'])
})

test('Hono on Bun: a page and a search arrive when the process ends', async () => {
  const { ours, product } = await open()
  const port = await freePort()
  const env = { ...process.env, ASSAY_URL: product.url, ASSAY_KEY: product.secretKey, PORT: String(port) }
  const server = join(import.meta.dirname, 'hono-bun/server.ts')
  const child = spawn(join(programs, 'bun'), ['run', server], { env, stdio: 'ignore' })
  try {
    await answerOf(`http://127.0.0.1:${port}/`, { headers: { 'x-user': 'u1' } })
    await fetch(`http://127.0.0.1:${port}/search?q=shoes`, { headers: { 'x-user': 'u1' } })
  } finally {
    await ended(child, 'SIGTERM')
  }
  expect(await names(ours, 2)).toEqual(['$pageview', '$search'])
})

test('a worker on workerd: what it tracks arrives after it has answered', async () => {
  const { ours, product } = await open()
  const folder = mkdtempSync(join(tmpdir(), 'assay-worker-'))
  const port = await freePort()
  const config = await buildWorker(folder, product, port)
  const child = spawn(join(programs, 'workerd'), ['serve', config], { stdio: 'ignore' })
  try {
    const answer = await answerOf(`http://127.0.0.1:${port}/a?visitor=v1`)
    expect(await answer.json()).toEqual({ shared: '/a' })
    expect(await names(ours, 1)).toEqual(['$share'])
  } finally {
    await ended(child, 'SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
})

test('the command that an example documents works where the Node of the machine is older than ours', () => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-worker-'))
  const path = [dirname(olderNode() ?? process.execPath), process.env.PATH ?? ''].join(delimiter)
  const env = { ...process.env, PATH: path, ASSAY_KEY: 'sk_live_example' }
  const root = join(import.meta.dirname, '..')
  execFileSync('npx', ['node', 'examples/worker/build.ts', folder], { cwd: root, env, stdio: 'ignore' })
  expect(existsSync(join(folder, 'worker.mjs'))).toBe(true)
  rmSync(folder, { recursive: true, force: true })
})

test('Stripe: what its own library signs is stored once, and a forgery is refused', async () => {
  const { ours, product } = await open()
  const { server, close } = await openEndpoint(product, ['whsec_example'], 0)
  const object = { id: 'cs_1', mode: 'payment', payment_status: 'paid', amount_total: 2500, currency: 'eur' }
  const payload = JSON.stringify({
    id: 'evt_1',
    type: 'checkout.session.completed',
    created: Math.floor(Date.now() / 1000),
    livemode: true,
    data: { object },
  })
  const deliver = (secret: string) => {
    const signature = new Stripe('sk_test_x').webhooks.generateTestHeaderString({ payload, secret })
    return fetch(urlOf(server), { method: 'POST', body: payload, headers: { 'stripe-signature': signature } })
  }
  expect((await deliver('whsec_forged')).status).toBe(401)
  expect((await deliver('whsec_example')).status).toBe(200)
  expect((await deliver('whsec_example')).status).toBe(200)
  close()
  expect(await names(ours, 1)).toEqual(['$purchase'])
})
