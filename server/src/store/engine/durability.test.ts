import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import readline from 'node:readline'
import { createClient } from '@clickhouse/client'
import { afterAll, expect, test } from 'vitest'
import { openEngine } from './open.ts'

const home = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-durability-'))
const log = path.join(home, 'log')
fs.mkdirSync(log)
let running: ChildProcess | undefined
afterAll(() => {
  running?.kill('SIGKILL')
  fs.rmSync(home, { recursive: true })
})

const rowsOfSegment = 50
const killCount = 3

/** Loads what an earlier life left in the log, then segment after segment, and says so when one is stored. */
const writer = `
  import fs from 'node:fs'
  import path from 'node:path'
  import { createClient } from '@clickhouse/client'
  const { openEngine } = await import(${JSON.stringify(path.join(import.meta.dirname, 'open.ts'))})
  const [, home, life] = process.argv
  const log = path.join(home, 'log')
  const engine = await openEngine({ path: path.join(home, 'events'), mounts: [log], onNotice: () => undefined })
  const client = createClient({ connection: engine.connection })
  await client.command({ query: \`CREATE TABLE IF NOT EXISTS stored (segment String, n UInt32, at DateTime)
    ENGINE = MergeTree PARTITION BY toYYYYMM(at) ORDER BY (segment, n)
      SETTINGS non_replicated_deduplication_window = 1000\` })
  async function load(segment) {
    await client.command({
      query: "INSERT INTO stored SELECT * FROM file({file:String}, 'JSONEachRow', 'segment String, n UInt32, at DateTime')",
      query_params: { file: path.join(log, segment) },
      clickhouse_settings: { insert_deduplication_token: segment },
    })
    console.log(segment)
    fs.unlinkSync(path.join(log, segment))
  }
  for (const segment of fs.readdirSync(log)) await load(segment)
  for (let index = 0; ; index++) {
    const segment = life + '-' + index
    const row = (n) => JSON.stringify({ segment, n, at: n % 2 ? '2026-01-01 00:00:00' : '2026-02-01 00:00:00' })
    fs.writeFileSync(path.join(log, segment), Array.from({ length: ${rowsOfSegment} }, (_, n) => row(n)).join('\\n'))
    await load(segment)
  }`

/** Kills it at another moment of its work each time: that many segments in, and some milliseconds into the next. */
async function runUntilKilled(life: number): Promise<string[]> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', writer, home, String(life)], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  running = child
  const acknowledged: string[] = []
  const lines = readline.createInterface(child.stdout)
  lines.on('line', (segment) => {
    acknowledged.push(segment)
    if (acknowledged.length === 6 + life) setTimeout(() => child.kill('SIGKILL'), life * 9)
  })
  await Promise.all([once(child, 'exit'), once(lines, 'close')])
  return acknowledged
}

test('an engine that is killed while it inserts has lost nothing it acknowledged, and nothing is torn', async () => {
  const acknowledged: string[] = []
  for (let life = 0; life < killCount; life += 1) acknowledged.push(...(await runUntilKilled(life)))

  const engine = await openEngine({
    path: path.join(home, 'events'),
    mounts: [log],
    onNotice: () => undefined,
  })
  const client = createClient({ connection: engine.connection })
  const answer = await client.query({
    query:
      'SELECT segment, toUInt32(count()) AS total, toUInt32(uniqExact(n)) AS distinct FROM stored GROUP BY segment',
    format: 'JSONEachRow',
  })
  const stored = await answer.json<{ segment: string; total: number; distinct: number }>()
  await engine.close()

  const waiting = new Set(fs.readdirSync(log))
  const found = new Map(stored.map((row) => [row.segment, row]))
  expect(acknowledged.filter((segment) => !found.has(segment))).toEqual([])
  expect(acknowledged.length).toBeGreaterThanOrEqual(killCount * 6)
  // A segment may be in the store and still in the log, or half of it: the next start loads it again.
  const whole = stored.filter(({ segment }) => !waiting.has(segment))
  expect(whole.filter(({ distinct }) => distinct !== rowsOfSegment)).toEqual([])
}, 600_000)
