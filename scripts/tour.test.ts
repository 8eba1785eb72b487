import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ExecutedFiles, inspectorAddress, openExecutedFiles } from './testing/executed-files.ts'

const root = join(import.meta.dirname, '..')
const folder = mkdtempSync(join(tmpdir(), 'assay-tour-'))
/** The portable engine opens in 5 s on an idle machine; it may share two cores with every other test. */
const startTimeoutMs = 240_000

let server: ChildProcess
let port = 0
let executed: ExecutedFiles

beforeAll(async () => {
  port = await freePort()
  const env = { ...process.env, ASSAY_PORT: String(port) }
  const program = ['--inspect=127.0.0.1:0', join(root, 'server/src/main.ts')]
  const started = spawn(process.execPath, program, {
    cwd: folder,
    env,
    stdio: ['inherit', 'inherit', 'pipe'],
  })
  server = started
  const address = await inspectorAddress(started.stderr)
  started.stderr.pipe(process.stderr)
  await isReady(performance.now() + startTimeoutMs)
  executed = await openExecutedFiles(address, root)
}, startTimeoutMs)

afterAll(async () => {
  executed.close()
  const ended = new Promise((resolve) => server.once('exit', resolve))
  server.kill('SIGTERM')
  await ended
  rmSync(folder, { recursive: true, force: true })
})

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() =>
        address && typeof address === 'object' ? resolve(address.port) : reject(new Error('no port')),
      )
    })
  })
}

async function isReady(deadline: number): Promise<void> {
  while (server.exitCode === null && performance.now() < deadline) {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined)
    if (answer?.ok) return
    await pause(100)
  }
  throw new Error('The product did not become ready')
}

/** Runs the commands of the tour page and returns what each call printed. */
function takeTour(): unknown[] {
  const block = /```sh\n([\s\S]*?)```/.exec(readFileSync(join(root, 'docs/tour.md'), 'utf8'))
  const script = (block?.[1] ?? '').replace('127.0.0.1:4400', `127.0.0.1:${port}`)
  // With a socket as its input, bash would take itself for a remote shell and read start-up files.
  const stdio = ['ignore', 'pipe', 'pipe'] as const
  const { stdout, stderr } = spawnSync('bash', ['-euc', script], {
    cwd: folder,
    encoding: 'utf8',
    stdio: [...stdio],
  })
  expect(stderr).toBe('')
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

test(
  'the tour works as written on a fresh installation',
  () => {
    const [site, created, first, repeat, batch, ingest, receipt, overview] = takeTour()
    expect(site).toMatchObject({ id: expect.stringMatching(/^site_/), ingestToken: expect.any(String) })
    expect(created).toMatchObject({ domain: 'shop.example', timezone: 'Europe/Berlin' })
    expect(first).toMatchObject({ event_id: 'order-1001', outcome: 'accept', duplicate: false })
    expect(repeat).toMatchObject({ event_id: 'order-1001', outcome: 'accept', duplicate: true })
    expect(batch).toMatchObject({ summary: { accept: 1, warn: 1, quarantine: 0, reject: 1, duplicate: 0 } })
    expect(ingest).toMatchObject({ accepted: 1, warned: 0, rejected: 0 })
    expect(receipt).toMatchObject({ event_id: 'order-1001', outcome: 'accept', dedup: { counted: true } })
    expect(overview).toMatchObject({ metrics: { currency: 'EUR' } })
  },
  startTimeoutMs,
)

const firstRun = () => JSON.parse(readFileSync(join(folder, '.assay/first-run.json'), 'utf8'))

async function readOverview(headers: Record<string, string> = {}): Promise<unknown> {
  const { siteId, liveKey } = firstRun()
  const address = `http://127.0.0.1:${port}/api/analytics/overview?siteId=${siteId}&window=7d&includeBots=true`
  const answer = await fetch(address, { headers: { authorization: `Bearer ${liveKey}`, ...headers } })
  return answer.json()
}

test('the overview counts what the tour sent, each event once', async () => {
  await expect
    .poll(() => readOverview(), { timeout: 20_000, interval: 200 })
    .toMatchObject({ metrics: { events: 4, pageviews: 1, revenue: 62.4 } })
})

type Path = { passed: string[]; asked: string[] }

/** The table that follows this text of the architecture page: files that are passed, and those that they ask. */
function pathListed(before: string): Path {
  const [, rest = ''] = readFileSync(join(root, 'docs/architecture.md'), 'utf8').split(before)
  const [table = ''] = rest.split(/\n\n(?!\|)/)
  const rows = table.split('\n').filter((line) => line.startsWith('| `'))
  const filesIn = (text: string) => [...text.matchAll(/`([\w./-]+\.ts)`/g)].map(([, path = '']) => path)
  return {
    passed: rows.flatMap((row) => filesIn(row.split('|')[1] ?? '')),
    asked: rows.flatMap((row) => filesIn(row.split('|')[3] ?? '')),
  }
}

async function trackOne(): Promise<number> {
  const headers = { authorization: `Bearer ${firstRun().secretKey}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ event: '$signup', user_id: 'u_19', properties: { method: 'email' } })
  const answer = await fetch(`http://127.0.0.1:${port}/v1/track`, { method: 'POST', headers, body })
  return answer.status
}

test('the files that the architecture page lists for a request all run for it', async () => {
  const missing = async (...paths: readonly Path[]) => {
    const ran = await executed.take()
    return paths.flatMap(({ passed, asked }) => [...passed, ...asked]).filter((path) => !ran.has(path))
  }
  const response = pathListed('Before the response:')
  const loading = pathListed('After the response:')
  const overview = pathListed('### `GET /api/analytics/overview`')
  expect(response.passed.length).toBeLessThanOrEqual(10)
  expect(overview.passed.length).toBeLessThanOrEqual(8)
  expect([response, loading, overview].every(({ passed, asked }) => passed.length + asked.length > 5)).toBe(
    true,
  )

  await readOverview({ prefer: 'wait=20' })
  await executed.take()
  expect(await trackOne()).toBe(202)
  expect(await missing(response)).toEqual([])
  await readOverview({ prefer: 'wait=20' })
  expect(await missing(loading, overview)).toEqual([])
})
