import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const folder = mkdtempSync(join(tmpdir(), 'assay-tour-'))
/** The portable engine opens in 5 s on an idle machine; it may share two cores with every other test. */
const startTimeoutMs = 240_000

let server: ChildProcess
let port = 0

beforeAll(async () => {
  port = await freePort()
  const env = { ...process.env, ASSAY_PORT: String(port) }
  server = spawn(process.execPath, [join(root, 'server/src/main.ts')], { cwd: folder, env, stdio: 'inherit' })
  await isReady(performance.now() + startTimeoutMs)
}, startTimeoutMs)

afterAll(async () => {
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

test('the overview counts what the tour sent, each event once', async () => {
  const { siteId, liveKey } = JSON.parse(readFileSync(join(folder, '.assay/first-run.json'), 'utf8'))
  const readOverview = async () => {
    const address = `http://127.0.0.1:${port}/api/analytics/overview?siteId=${siteId}&window=7d&includeBots=true`
    const answer = await fetch(address, { headers: { authorization: `Bearer ${liveKey}` } })
    return answer.json()
  }
  await expect
    .poll(readOverview, { timeout: 20_000, interval: 200 })
    .toMatchObject({ metrics: { events: 4, pageviews: 1, revenue: 62.4 } })
})
