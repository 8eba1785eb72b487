/** `npm run demo`: the product with two months of made-up traffic of three sites, and more coming in. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { recordReplay } from '@assay/contract'
import { recordVisits } from '../../server/src/demo/recordings.ts'
import type { SiteKey, WireEvent } from '../../server/src/demo/traffic/events/wire.ts'
import { siteModels } from '../../server/src/demo/traffic/sites.ts'
import { makeTraffic } from '../../server/src/demo/traffic.ts'
import { dayMs, minuteMs } from '../../server/src/platform/units.ts'
import { makeDemoSite } from './api.ts'
import { type DemoOptions, readDemoOptions } from './demo-options.ts'
import { fill } from './fill.ts'
import { LiveQueue } from './live.ts'
import { type Product, startProduct, stopProduct, unlimited } from './product.ts'
import { formatNumber } from './report.ts'

const options = demoOptions()

/**
 * What the demo has to remember between starts. The plan is kept from the beginning: a fill that was
 * interrupted is sent again as it was, and the product takes each of its events once.
 */
type Demo = {
  readonly toMs: number
  readonly days: number
  readonly events: number
  readonly siteIds: Partial<Record<SiteKey, string>>
  isFilled: boolean
}

const dataDir = resolve(options.dataDir)
const demoFile = join(dataDir, 'demo.json')
const liveTickMs = 1_000
/** A fill of the usual size takes under a minute; an hour is for those who ask for millions. */
const fillMsMax = 3_600_000

function demoOptions(): DemoOptions {
  const read = readDemoOptions(process.argv.slice(2), process.env.ASSAY_PORT)
  if ('options' in read) return read.options
  if (read.problem === null) console.log(read.help)
  else console.error(`${read.problem}\n\n${read.help}`)
  process.exit(read.problem === null ? 0 : 1)
}

function readDemo(): Demo | null {
  try {
    const parsed: unknown = JSON.parse(readFileSync(demoFile, 'utf8'))
    // boundary: this program wrote it.
    return parsed as Demo
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}

function saveDemo(demo: Demo): void {
  writeFileSync(demoFile, `${JSON.stringify(demo, null, 2)}\n`)
}

async function prepareDemo(product: Product): Promise<Demo> {
  const known = readDemo()
  const demo: Demo = known ?? {
    toMs: Date.now(),
    days: options.days,
    events: options.events,
    siteIds: {},
    isFilled: false,
  }
  for (const { key, name, domain, timezone, currency } of siteModels) {
    if (demo.siteIds[key] !== undefined) continue
    demo.siteIds[key] = (await makeDemoSite(product, { name, domain, timezone, currency })).id
    saveDemo(demo)
  }
  return demo
}

async function fillDemo(product: Product, demo: Demo, stopping: AbortSignal): Promise<void> {
  const { toMs, days, events } = demo
  const traffic = makeTraffic({ seed: 1, events, fromMs: toMs - days * dayMs, toMs })
  console.log(`Filling ${days} days of three sites, about ${formatNumber(events)} events, once:`)
  const result = await fill(product, {
    events: traffic.events,
    siteIds: demo.siteIds,
    forMs: fillMsMax,
    stopping,
    onProgress: (sent) => console.log(`  ${Math.min(99, Math.floor((100 * sent) / events))}%`),
  })
  if (result.sent < traffic.tally.events || stopping.aborted) {
    console.log('  Interrupted; the next start continues it.')
    return
  }
  await recordDemo(product, demo, stopping)
  demo.isFilled = true
  saveDemo(demo)
  const { accept, warn, quarantine, reject, seconds } = result
  const [accepted, warned, held, rejected] = [accept, warn, quarantine, reject].map(formatNumber)
  console.log(`  100% after ${Math.round(seconds)} s: ${accepted} accepted, ${warned} with a warning,`)
  console.log(`  ${held} quarantined and ${rejected} rejected, since some events are meant to be bad.`)
}

/** Some visits of the last minutes with their recordings: the product takes recordings of now only. */
const recordedMinutes = 40
const recordedEvents = 120

async function recordDemo(product: Product, demo: Demo, stopping: AbortSignal): Promise<void> {
  const toMs = Date.now() - minuteMs
  const fromMs = toMs - recordedMinutes * minuteMs
  // The time is in the seed, so that a repeated fill makes visits of its own.
  const seed = Math.floor(toMs / 1000)
  const traffic = makeTraffic({ seed, events: recordedEvents, fromMs, toMs, sites: ['shop'] })
  const events = [...traffic.events].filter(({ tsMs }) => tsMs < toMs)
  // Marked as past, so that the time since then is not shown as their latency.
  const past = events.map(({ wire }) => ({ ...wire, historical: true }))
  await sendBatch(product, demo.siteIds.shop, past, stopping)
  for (const recording of recordVisits(events)) {
    const body = JSON.stringify({ ...recording, sent_at: Date.now() })
    const headers = { authorization: `Bearer ${product.keys.publicKey}`, 'content-type': 'application/json' }
    const answer = await fetch(`${product.url}${recordReplay.path}`, { method: 'POST', headers, body })
    if (!answer.ok) throw new Error(`a recording was answered ${answer.status}: ${await answer.text()}`)
  }
}

/** Sends what is due each second until stopped. Answers when the last request is over. */
async function sendLive(product: Product, demo: Demo, stopping: AbortSignal): Promise<void> {
  let queue: LiveQueue | null = null
  while (!stopping.aborted) {
    if (queue === null || queue.isOver) queue = startQueue(demo, Date.now())
    const bySite = Map.groupBy(queue.due(Date.now()), ({ site }) => site)
    for (const [site, events] of bySite) {
      const wires = events.map(({ wire }) => wire)
      await sendBatch(product, demo.siteIds[site], wires, stopping)
    }
    await pause(liveTickMs, stopping)
  }
}

function startQueue(demo: Demo, nowMs: number): LiveQueue {
  const { perSecond } = options
  const events = perSecond === null ? demo.events / demo.days : perSecond * (dayMs / 1000)
  // The time is in the seed, so a later start never makes the ids of an earlier one.
  const seed = Math.floor(nowMs / 1000)
  return new LiveQueue(makeTraffic({ seed, events, fromMs: nowMs, toMs: nowMs + dayMs }).events)
}

async function sendBatch(
  { url, keys }: Product,
  siteId: string | undefined,
  batch: readonly WireEvent[],
  stopping: AbortSignal,
): Promise<void> {
  const body = JSON.stringify({ site_id: siteId, batch })
  const headers = { authorization: `Bearer ${keys.secretKey}`, 'content-type': 'application/json' }
  try {
    const answer = await fetch(`${url}/v1/batch`, { method: 'POST', headers, body })
    if (!answer.ok) console.error(`live traffic was answered ${answer.status}: ${await answer.text()}`)
  } catch (error) {
    if (!stopping.aborted) console.error('live traffic could not be sent:', error)
  }
}

function pause(forMs: number, stopping: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, forMs)
    const end = () => {
      clearTimeout(timer)
      resolve()
    }
    stopping.addEventListener('abort', end, { once: true })
  })
}

async function main(): Promise<void> {
  mkdirSync(dataDir, { recursive: true })
  const stopping = new AbortController()
  const onLine = (line: string) => console.log(line)
  const product = await startProduct({
    dataDir,
    port: options.port,
    env: { ...unlimited, ASSAY_LOG_FORMAT: 'text' },
    onLine,
  })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopping.abort())
  product.child.on('exit', () => stopping.abort())
  try {
    await show(product, stopping.signal)
  } catch (error) {
    // The product stops by the same Ctrl-C, in the middle of a request.
    if (!stopping.signal.aborted) throw error
  } finally {
    await stopProduct(product)
  }
}

async function show(product: Product, stopping: AbortSignal): Promise<void> {
  const demo = await prepareDemo(product)
  if (!demo.isFilled) await fillDemo(product, demo, stopping)
  if (stopping.aborted) return
  console.log(`\nThe demo is at ${product.url}. Its keys are in ${join(dataDir, 'first-run.json')}.`)
  for (const { key, name } of siteModels) console.log(`  ${name}: ${demo.siteIds[key]}`)
  console.log('Live traffic keeps coming in. Ctrl-C stops.')
  await sendLive(product, demo, stopping)
}

await main()
