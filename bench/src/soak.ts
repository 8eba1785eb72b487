/** `npm run soak`: a steady rate for a bounded time; fails if the product falls behind, grows, or loses an event. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { readGauges, readOverview } from './api.ts'
import { commitOf } from './commit-tree.ts'
import { addSummary, waitUntilPending } from './fill.ts'
import { describeMachine, formatMachine } from './machine.ts'
import { readNumber } from './options.ts'
import { residentMegabytes } from './process.ts'
import { type Product, startProduct, stopProduct, unlimited } from './product.ts'
import { makeRequests } from './requests.ts'
import { hereSide } from './side.ts'
import { formatSoak, type SoakResult, type SoakSample, soakFailures } from './soak-verdict.ts'
import { runSteadily } from './steady-load.ts'

const help = `npm run soak -- [options]
  --minutes 15   how long
  --rate 2000    events a second
  --batch 20     events in each request`

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '15' },
    rate: { type: 'string', default: '2000' },
    batch: { type: 'string', default: '20' },
    help: { type: 'boolean', default: false },
  },
})

/** A look costs the product a few milliseconds of its main thread. */
const sampleMs = 500
const connections = 16
const templatesPerConnection = 200

async function soak(product: Product, nowMs: number): Promise<SoakResult> {
  const eventsPerRequest = Math.ceil(readNumber('batch', values.batch))
  const requests = makeRequests({
    path: '/v1/batch',
    key: product.keys.publicKey,
    visitors: 'returning',
    connections,
    eventsPerRequest,
    templatesPerConnection,
    nowMs,
    seed: 31,
  })
  const answers = { accept: 0, warn: 0, quarantine: 0, reject: 0, duplicate: 0 }
  let unanswered = 0
  const samples: SoakSample[] = []
  const sampling = startSampling(product, samples)
  const load = await runSteadily({
    port: product.port,
    connections,
    requestsPerSecond: readNumber('rate', values.rate) / eventsPerRequest,
    forMs: readNumber('minutes', values.minutes) * 60_000,
    next: requests.next,
    onAnswer: (status, body) => {
      if (status === 200) addSummary(answers, body)
      else unanswered += eventsPerRequest
    },
  })
  await sampling.stop()
  await waitUntilPending(product, 0)
  const query = { siteId: product.keys.siteId, window: '3d', includeBots: 'true' }
  return {
    samples,
    sent: load.requests * eventsPerRequest,
    acknowledged: answers.accept + answers.warn,
    refused: answers.quarantine + answers.reject + answers.duplicate + unanswered,
    stored: (await readOverview(product, query)).metrics.events,
    p50Ms: load.latencyMs.percentile(0.5),
    p99Ms: load.latencyMs.percentile(0.99),
    maxMs: load.latencyMs.percentile(1),
    latestMs: load.latestMs,
  }
}

function startSampling(product: Product, samples: SoakSample[]): { stop: () => Promise<void> } {
  const stopping = new AbortController()
  const run = async () => {
    while (!stopping.signal.aborted) {
      const [behindSeconds = 0, pendingEvents = 0] = await readGauges(product, [
        'assay_oldest_unloaded_seconds',
        'assay_log_pending_events',
      ])
      const megabytes = residentMegabytes(product.processId)
      samples.push({ atMs: performance.now(), megabytes, behindSeconds, pendingEvents })
      await new Promise((resolve) => setTimeout(resolve, sampleMs))
    }
  }
  const running = run()
  return {
    async stop() {
      stopping.abort()
      await running
    },
  }
}

async function main(): Promise<void> {
  if (values.help) return console.log(help)
  const scratch = mkdtempSync(join(tmpdir(), 'assay-soak-'))
  process.on('exit', () => rmSync(scratch, { recursive: true, force: true }))
  const side = hereSide(commitOf(join(import.meta.dirname, '..', '..')))
  console.log(formatMachine(await describeMachine([side])))
  const product = await startProduct({ dataDir: join(scratch, 'data'), env: unlimited })
  const result = await soak(product, Date.now())
  await stopProduct(product)
  console.log(formatSoak(result))
  const failures = soakFailures(result)
  for (const failure of failures) console.log(`failed: ${failure}`)
  if (failures.length > 0) process.exitCode = 1
}

// An exit by signal still ends the product, and takes the data away.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))
await main()
