/**
 * `npm run upgrade-proof -- --from <commit>`: replaces nodes of another commit by nodes of this one, one after the
 * other and under load, on real servers, and fails if an acknowledged event is lost or doubled, or if a request gets
 * an answer that a sender must never get.
 */
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { getOverview } from '@assay/contract'
import { checkOut, commitOf, removeTree } from '../../../../bench/src/commit-tree.ts'
import { type ChildProduct, startChild } from '../child-product.ts'
import { startClickHouseHttp } from '../clickhouse-http.ts'
import { caller } from '../harness.ts'
import { startNats } from '../nats-server.ts'
import { startPostgres } from '../postgres-server.ts'
import { Balancer, readAll, sendAll, type Tally } from './balanced-load.ts'

const help = 'npm run upgrade-proof -- --from <commit> [--nodes 3] [--senders 2]'
const { values: options } = parseArgs({
  options: {
    from: { type: 'string' },
    nodes: { type: 'string', default: '3' },
    senders: { type: 'string', default: '2' },
  },
})
if (options.from === undefined) throw new Error(help)

/** Between two replacements, so that old and new nodes work together for a while. */
const togetherMs = 3_000
const root = join(import.meta.dirname, '../../../..')
const scratch = mkdtempSync(join(tmpdir(), 'assay-upgrade-'))
const closers: (() => unknown)[] = [() => rmSync(scratch, { recursive: true, force: true })]
const say = (text: string) => console.log(`${(performance.now() / 1_000).toFixed(1).padStart(6)} s  ${text}`)

async function startServers(): Promise<Record<string, string>> {
  const events = await startClickHouseHttp({ path: join(scratch, 'events') })
  closers.push(() => events.close())
  const postgres = await startPostgres()
  closers.push(() => postgres.stop())
  const nats = await startNats(3)
  closers.push(() => nats.close())
  return {
    ASSAY_POSTGRES_URL: await postgres.url('upgrade'),
    ASSAY_CLICKHOUSE_URL: events.url,
    ASSAY_LOG_URL: nats.url,
    ASSAY_LOG_PARTITIONS: '3',
    ASSAY_INGEST_EVENTS_PER_SECOND: '1000000',
    ASSAY_API_READS_PER_MINUTE: '100000',
  }
}

async function startNode(name: string, env: Record<string, string>, tree: string): Promise<ChildProduct> {
  const dataDir = join(scratch, name)
  mkdirSync(dataDir, { mode: 0o700 })
  // The keys of the installation are in the file of the node that made it.
  if (name !== 'old-0') copyFileSync(join(scratch, 'old-0/first-run.json'), join(dataDir, 'first-run.json'))
  const node = await startChild({ ...env, ASSAY_DATA_DIR: dataDir }, tree)
  closers.push(() => node.kill())
  say(`${name} is ready`)
  return node
}

/** New first, then the old one goes: as many nodes as before at any time. */
async function replaceAll(balancer: Balancer, old: readonly ChildProduct[], env: Record<string, string>) {
  const replaced: ChildProduct[] = []
  const codes: (number | null)[] = []
  for (const [index, leaving] of old.entries()) {
    const node = await startNode(`new-${index}`, env, root)
    balancer.nodes.add(node)
    replaced.push(node)
    await wait(togetherMs)
    const code = await leaving.terminate()
    say(`old-${index} ended with ${code}`)
    codes.push(code)
    balancer.nodes.delete(leaving)
    await wait(togetherMs)
  }
  return { replaced, codes }
}

/** What a node counts once everything acknowledged is loaded. */
async function countOn({ url, keys }: ChildProduct, acknowledged: number): Promise<number> {
  const query = { siteId: keys.siteId, window: '7d' }
  const call = caller(url, keys.liveKey)
  let events = 0
  for (let tries = 0; tries < 6 && events < acknowledged; tries += 1) {
    const { body } = await call(getOverview, { query }, { headers: { prefer: 'wait=30' } })
    events = body.metrics.events
  }
  return events
}

async function prove(from: string): Promise<boolean> {
  const before = checkOut(root, from, join(scratch, 'tree'))
  closers.push(() => removeTree(root, before))
  say(`from ${before.commit} to ${commitOf(root)}`)
  const env = await startServers()
  const old: ChildProduct[] = []
  for (let index = 0; index < Number(options.nodes); index += 1) {
    old.push(await startNode(`old-${index}`, env, before.root))
  }
  const balancer = new Balancer()
  for (const node of old) balancer.nodes.add(node)
  const tally: Tally = { acknowledged: 0, requests: 0, reads: 0, unavailable: 0, none: 0, wrong: [] }
  let isOver = false
  const isEnd = () => isOver
  const senders = Array.from({ length: Number(options.senders) }, (_, at) =>
    sendAll(balancer, tally, at, isEnd),
  )
  const load = [balancer.watch(isEnd), readAll(balancer, tally, isEnd), ...senders]
  await wait(togetherMs)
  const { replaced, codes } = await replaceAll(balancer, old, env)
  isOver = true
  await Promise.all(load)
  const counts: number[] = []
  for (const node of replaced) counts.push(await countOn(node, tally.acknowledged))
  const { wrong, ...figures } = tally
  say(JSON.stringify({ ...figures, wrong: wrong.length, counted: counts, exits: codes }))
  for (const answer of wrong.slice(0, 10)) say(`wrong: ${answer}`)
  const isExact = counts.every((count) => count === tally.acknowledged)
  return wrong.length === 0 && isExact && codes.every((code) => code === 0)
}

let isProved = false
try {
  isProved = await prove(options.from)
} finally {
  for (const close of closers.toReversed()) await close()
}
say(isProved ? 'Nothing was lost or doubled, and no answer was wrong.' : 'The upgrade failed.')
process.exit(isProved ? 0 : 1)
