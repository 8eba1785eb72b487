/**
 * `npm run fuzz -- --requests 1e6 [--seed S] [--minutes M] [--concurrency N] [--case N]`: sends hostile
 * requests to every route of a separate product, and fails on any answer that is not documented.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { readGauge } from '../../../../bench/src/api.ts'
import { processorSeconds, waitFor } from '../../../../bench/src/process.ts'
import { type Product, startProduct, stopProduct } from '../../../../bench/src/product.ts'
import { hasEnded, Run } from './run.ts'
import { targetSettings } from './settings.ts'
import { prepareTarget } from './target.ts'

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '1e5' },
    seed: { type: 'string', default: String(Date.now() % 1e9) },
    minutes: { type: 'string', default: '60' },
    concurrency: { type: 'string', default: '48' },
    /** Only this one, to look at it again. */
    case: { type: 'string' },
  },
})

/** The portable events engine alone takes 1.5 GB of it. */
const memoryMbMax = 4_096
/** What is acknowledged at the end of a campaign is loaded within this, on the slowest of engines. */
const drainMsMax = 300_000

const dataDir = mkdtempSync(join(tmpdir(), 'assay-fuzz-'))
const reasons: string[] = []
const said: string[] = []
/** Only the lines of the first minute are needed, for the links to sign in. */
const saidMax = 10_000

function start(): Promise<Product> {
  const onLine = (line: string) => void (said.length < saidMax && said.push(line))
  return startProduct({ dataDir, env: targetSettings, onLine })
}

/** Everything that was acknowledged reaches the events store, or the list of what cannot. */
async function drain(product: Product): Promise<void> {
  const isLoaded = async () => ((await readGauge(product, 'assay_log_pending_events')) === 0 ? true : null)
  await waitFor('the load of what was acknowledged', drainMsMax, isLoaded, 200)
  const ready = await fetch(`${product.url}/readyz`)
  if (!ready.ok) throw new Error(`not ready: ${ready.status} ${await ready.text()}`)
}

async function attempt(what: string, step: () => Promise<unknown>): Promise<void> {
  try {
    await step()
  } catch (error) {
    reasons.push(`${what}: ${error instanceof Error ? error.message : error}`)
  }
}

async function attack(product: Product, run: Run, concurrency: number): Promise<void> {
  const { url, keys } = product
  const target = await prepareTarget({ url, keys, said: () => said.join('\n') }, concurrency)
  await run.send(target, product)
  target.connection.close()
  for (const line of run.tally.summary()) console.log(line)
  console.log(`peak of memory ${run.peakMb.toFixed(0)} MB`)
  if (hasEnded(product)) {
    reasons.push(`the product ended:\n${product.lines.slice(-40).join('\n')}`)
    return
  }
  const used = processorSeconds(product.processId)
  if (used !== null)
    console.log(`processor time ${used.all.toFixed(0)} s, main thread ${used.main.toFixed(0)} s`)
  await attempt('load', () => drain(product))
  await attempt('stop', () => stopProduct(product))
}

async function restart(): Promise<void> {
  const again = await start()
  console.log(`ready again after ${again.readyAfterMs.toFixed(0)} ms`)
  await attempt('load after the restart', () => drain(again))
  await stopProduct(again)
}

// The product must not outlive this program; it is ended when this one exits.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(130))

const seed = Number(values.seed)
const concurrency = Number(values.concurrency)
const folder = join(import.meta.dirname, '../../../../.cache/fuzz')
const faultFile = join(folder, `${seed}.ndjson`)
mkdirSync(folder, { recursive: true })
const run = new Run({
  seed,
  first: Number(values.case ?? 0),
  requests: values.case === undefined ? Number(values.requests) : 1,
  msMax: Number(values.minutes) * 60_000,
  concurrency,
  faultFile,
  say: (line) => console.log(line),
})
console.log(`seed ${seed}, ${values.requests} requests, ${concurrency} at a time`)
await attack(await start(), run, concurrency)
await attempt('restart', restart)
if (run.peakMb > memoryMbMax) reasons.push(`${run.peakMb.toFixed(0)} MB of memory, at most ${memoryMbMax}`)
if (run.faults.length > 0) reasons.push(`${run.faults.length} answers that are not documented: ${faultFile}`)
if (reasons.length === 0) rmSync(dataDir, { recursive: true, force: true })
else console.log(`FAILED\n${reasons.join('\n')}\nThe data directory is left in ${dataDir}.`)
process.exit(reasons.length === 0 ? 0 : 1)
