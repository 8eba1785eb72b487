/**
 * The writer and its bare limit on the same segments, in one process and in turns:
 *
 *   node writer-direct.ts <folder of segments> <scratch folder> <rounds>
 *
 * Bare is one INSERT … SELECT FROM file() of each segment into a table of the same columns. Prints JSON.
 */
import { copyFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startWriter } from '../../server/src/ingest/loader/loader.ts'
import {
  parseSegmentName,
  segmentName,
  segmentNameOfFile,
  segmentPath,
} from '../../server/src/ingest/wal/segment.ts'
import { openLog } from '../../server/src/ingest/wal/write-ahead-log.ts'
import { newId } from '../../server/src/platform/clock.ts'
import { openEvents } from '../../server/src/store/events.ts'
import { readMigrations, splitStatements } from '../../server/src/store/migrations/migration-files.ts'

export type WriterResult = {
  readonly events: number
  readonly writerSeconds: readonly number[]
  readonly bareSeconds: readonly number[]
}

const [segments = '', scratch = '', rounds = ''] = process.argv.slice(2)
const logs = join(scratch, 'logs')
mkdirSync(logs, { recursive: true })
const events = await openEvents({ dataDir: scratch, logDir: logs })
for (const { text } of readMigrations('events')) {
  for (const statement of splitStatements(text)) await events.command(statement)
}

/** A name is the dedup token of a load, so each round brings the same lines under new names. */
function copySegments(round: string): string {
  const folder = join(logs, round)
  mkdirSync(folder)
  for (const file of readdirSync(segments)) {
    const name = parseSegmentName(segmentNameOfFile(file) ?? '')
    if (name === null) continue
    const random = Buffer.from(round.padEnd(8, '.')).toString('hex')
    copyFileSync(join(segments, file), segmentPath(folder, segmentName({ ...name, random })))
  }
  return folder
}

async function runWriter(round: number): Promise<number> {
  const dir = copySegments(`w${round}`)
  const log = await openLog({
    dir,
    segmentBytesMax: 2 ** 24,
    segmentAgeMsMax: 1_000,
    totalBytesMax: 2 ** 40,
    now: Date.now,
  })
  const startedMs = performance.now()
  // What is measured are segments that are sound.
  const health = { requireRefusal: Promise.reject.bind(Promise), reset: () => {} }
  const setAside = async () => {}
  const stores = { events, staging: 'staging', isShared: false }
  const writer = await startWriter({ log, ...stores, loadShare: 1, newId, health, setAside })
  await writer.flush()
  const seconds = (performance.now() - startedMs) / 1000
  if (writer.failure !== null) throw writer.failure
  await writer.stop()
  await log.close()
  return seconds
}

async function runBare(round: number): Promise<number> {
  const columns = await events.query<{ name: string; type: string }>(
    "SELECT name, type FROM system.columns WHERE database = currentDatabase() AND table = 'staging' ORDER BY position",
  )
  const structure = columns.map(({ name, type }) => `${name} ${type}`).join(', ')
  const table = `bare_${round}`
  await events.command(
    `CREATE TABLE ${table} (${structure}) ENGINE = MergeTree ORDER BY (workspace_id, site_id, ts)`,
  )
  const dir = copySegments(`b${round}`)
  const startedMs = performance.now()
  for (const file of readdirSync(dir)) await events.insertFile(table, structure, join(dir, file))
  const seconds = (performance.now() - startedMs) / 1000
  await events.command(`DROP TABLE ${table}`)
  return seconds
}

function countLines(path: string): number {
  const bytes = readFileSync(path)
  let lines = 0
  for (let at = bytes.indexOf('\n'); at >= 0; at = bytes.indexOf('\n', at + 1)) lines += 1
  return lines
}

const writerSeconds: number[] = []
const bareSeconds: number[] = []
for (let round = 0; round <= Number(rounds); round += 1) {
  const took = { writer: await runWriter(round), bare: await runBare(round) }
  // The first round warms both up.
  if (round === 0) continue
  writerSeconds.push(took.writer)
  bareSeconds.push(took.bare)
}
const kept = readdirSync(segments).filter((file) => segmentNameOfFile(file) !== null)
const result: WriterResult = {
  events: kept.reduce((sum, file) => sum + countLines(join(segments, file)), 0),
  writerSeconds,
  bareSeconds,
}
console.log(JSON.stringify(result))
await events.close()
