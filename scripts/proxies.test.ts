import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { countByName, type Lab, openLab } from '../sdk/browser/test/testing/lab.ts'
import type { TestWorkspace } from '../server/src/testing/harness.ts'
import { snippetsIn } from './testing/snippets.ts'

const page = 'docs/guides/first-party-proxy.md'
const root = join(import.meta.dirname, '..')
const guide = readFileSync(join(root, page), 'utf8')
const env = { ...process.env, PATH: [process.env.PATH ?? '', '/usr/sbin'].join(delimiter) }
const folder = mkdtempSync(join(tmpdir(), 'assay-proxies-'))

type Seen = { path: string; forwardedFor: string | undefined; cookie: string | undefined }

let lab: Lab
let ours: TestWorkspace
/** Between proxy and product: what the proxy asks for. */
let recorder: Server
let seen: Seen[] = []
let children: ChildProcess[] = []

beforeAll(async () => {
  lab = await openLab()
  recorder = createServer(
    (request, response) =>
      void pass(request).then(
        ({ status, headers, body }) => response.writeHead(status, headers).end(body),
        () => response.writeHead(502).end(),
      ),
  )
  await new Promise<void>((resolve) => recorder.listen(0, '127.0.0.1', resolve))
}, 120_000)
beforeEach(async () => {
  seen = []
  ours = await lab.world.newWorkspace()
})
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  recorder?.close()
  await lab?.close()
  rmSync(folder, { recursive: true, force: true })
})

async function pass(request: IncomingMessage) {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const { url = '', method = 'GET', headers } = request
  const forwardedFor = headers['x-forwarded-for']?.toString()
  seen.push({ path: url, forwardedFor, cookie: headers.cookie })
  const kept = ['authorization', 'content-type', 'content-encoding', 'origin', 'user-agent'] as const
  const own = kept.flatMap((name) => {
    const value = headers[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  const answer = await fetch(`${lab.world.product.url}${url}`, {
    method,
    headers: Object.fromEntries(own),
    ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
  })
  return {
    status: answer.status,
    headers: { 'content-type': answer.headers.get('content-type') ?? '' },
    body: Buffer.from(await answer.arrayBuffer()),
  }
}

function portOf(server: Server): number {
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** The block of the guide, which asks the recorder instead of the product of the example. */
function blockOf(language: string): string {
  const [block] = snippetsIn(page, guide, [language])
  return (block?.code ?? '').replaceAll('https://assay.example', `http://127.0.0.1:${portOf(recorder)}`)
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const port = portOf(server)
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** A folder with a page that has the tag of the guide. */
function siteFolder(name: string): string {
  const site = join(folder, name)
  mkdirSync(site)
  const [tag] = snippetsIn(page, guide, ['html'])
  const code = (tag?.code ?? '').replace('pk_live_…', ours.keys.public)
  writeFileSync(join(site, 'index.html'), `<!doctype html><title>Shop</title>${code}<p>Shop</p>`)
  return site
}

async function started(command: string, args: readonly string[], port: number): Promise<string> {
  const child = spawn(command, args, { env: { ...env, HOME: folder }, stdio: ['ignore', 'ignore', 'pipe'] })
  children = [...children, child]
  let said = ''
  child.stderr?.on('data', (data) => {
    said += String(data)
  })
  await vi.waitUntil(
    () => {
      if (child.exitCode !== null) throw new Error(`${command} ended: ${said}`)
      return answers(port)
    },
    { timeout: 30_000, interval: 50 },
  )
  return `http://127.0.0.1:${port}`
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.end(() => resolve(true)))
    socket.once('error', () => resolve(false))
  })
}

async function expectFirstParty(origin: string): Promise<void> {
  const context = await lab.browser.newContext()
  await context.addCookies([{ name: 'session', value: 'secret', url: origin }])
  const asked: string[] = []
  context.on('request', (request) => asked.push(request.url()))
  const visit = await context.newPage()
  await visit.goto(`${origin}/`)
  const stored = await lab.storedWith(ours, '$pageview')
  expect(countByName(stored)).toMatchObject({ $pageview: 1 })
  expect(asked.filter((url) => !url.startsWith(origin))).toEqual([])
  await context.close()
  await expectPassedOn(origin)
}

/** The script and the events, with the visitor's address and without their cookies; nothing else. */
async function expectPassedOn(origin: string): Promise<void> {
  expect(seen.map(({ path }) => path.replace(/\?.*/, ''))).toEqual(
    expect.arrayContaining(['/sdk.js', '/v1/batch']),
  )
  expect(new Set(seen.map(({ forwardedFor }) => forwardedFor))).toEqual(new Set(['127.0.0.1']))
  expect(seen.filter(({ cookie }) => cookie !== undefined && cookie !== '')).toEqual([])
  const others = ['/stats/metrics', '/stats/api/analytics/overview', '/stats/', '/stats/v1/../metrics']
  for (const path of others) expect((await fetch(`${origin}${path}`)).status).toBe(404)
  expect((await fetch(`${origin}/stats/replay.js`)).status).toBe(200)
  expect(seen.filter(({ path }) => !/^\/(?:sdk\.js|replay\.js|v1\/[\w/]+)(?:\?|$)/.test(path))).toEqual([])
}

test('nginx serves the script and takes events under the address of the site', async () => {
  const port = await freePort()
  const site = siteFolder('nginx')
  const file = join(folder, 'nginx.conf')
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  writeFileSync(
    file,
    `daemon off; master_process off; pid ${folder}/nginx.pid; error_log stderr; events {}
http {
  access_log off;
  ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')}
  server { listen 127.0.0.1:${port}; root ${site};
${blockOf('nginx')}
  }
}`,
  )
  await expectFirstParty(await started('nginx', ['-e', 'stderr', '-c', file], port))
})

test('Caddy does the same', async () => {
  const port = await freePort()
  const site = siteFolder('caddy')
  const file = join(folder, 'Caddyfile')
  writeFileSync(
    file,
    `{
	admin off
	auto_https off
}
http://127.0.0.1:${port} {
${blockOf('caddy')}
	handle {
		root * ${site}
		file_server
	}
}
`,
  )
  await expectFirstParty(await started('caddy', ['run', '--adapter', 'caddyfile', '--config', file], port))
})

test('so does a worker', async () => {
  const port = await freePort()
  writeFileSync(join(folder, 'worker.mjs'), blockOf('js'))
  const file = join(folder, 'config.capnp')
  writeFileSync(
    file,
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .main), (name = "internet", network = (allow = ["private"]))],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
const main :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "worker.mjs")],
  compatibilityDate = "2026-01-01",
);
`,
  )
  const workerd = join(root, 'node_modules', '.bin', 'workerd')
  const origin = await started(workerd, ['serve', file], port)
  // Cloudflare says who calls; the site itself is not the worker's.
  const headers = {
    'cf-connecting-ip': '127.0.0.1',
    cookie: 'session=secret',
    authorization: `Bearer ${ours.keys.public}`,
  }
  expect((await fetch(`${origin}/stats/sdk.js`, { headers })).status).toBe(200)
  const body = JSON.stringify({
    batch: [
      { event: '$pageview', anonymous_id: 'a1', properties: { url: 'https://shop.example/', title: 'Shop' } },
    ],
  })
  const sent = await fetch(`${origin}/stats/v1/batch`, { method: 'POST', headers, body })
  expect(sent.status).toBe(200)
  await lab.storedWith(ours, '$pageview')
  await expectPassedOn(origin)
})
