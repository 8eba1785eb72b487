import { readOverview } from './api.ts'
import type { DirectResult } from './direct.ts'
import { fill } from './fill.ts'
import { residentMegabytes, startProgram } from './process.ts'
import { type Product, type ProductOptions, startProduct, stopProduct } from './product.ts'
import type { Figure, Target } from './report.ts'
import { formatNumber } from './report.ts'
import { median, percentile } from './statistics.ts'
import { dayMs } from './traffic/season.ts'
import { siteTally } from './traffic/tally.ts'
import { makeTraffic } from './traffic.ts'

export type OverviewOptions = {
  readonly sizes: readonly number[]
  readonly nowMs: number
  /** The fill of one size stops here; what is then missing is said. */
  readonly fillMs: number
  readonly tell: (line: string) => void
}

export type OverviewResult = { readonly figures: readonly Figure[]; readonly statements: readonly string[] }

const periodDays = 30
/** Twice as many a size, product and direct in turns; a key may read 120 times a minute. */
const readsPerTurn = 20
const turns = 2

/** Overviews of one site over growing data, each size against the same SQL run directly on the same store. */
export async function measureOverview(
  product: ProductOptions,
  { sizes, nowMs, fillMs, tell }: OverviewOptions,
): Promise<OverviewResult> {
  const figures: Figure[] = []
  let statements: readonly string[] = []
  let filled = 0
  let expected = 0
  let smallestMs: number | null = null
  for (const [index, size] of sizes.entries()) {
    const running = await startProduct(product)
    const added = await addEvents(running, size - filled, index, nowMs, fillMs, tell)
    filled += added.sent
    expected += added.counted
    const read = await readOverview(running, {
      siteId: running.keys.siteId,
      ...rangeOf(nowMs),
      includeBots: 'true',
    })
    figures.push(...fillFigures(filled, added, read.metrics.events, expected))
    const measured = await takeTurns(running, product, nowMs)
    statements = measured.statements
    const p50 = median(measured.productMs)
    smallestMs ??= p50
    const base = index === 0 ? null : smallestMs
    figures.push(...overviewFigures(filled, measured, p50, base))
    tell(`overview of ${formatNumber(filled)} events: ${formatNumber(p50)} ms`)
  }
  return { figures, statements }
}

const rangeOf = (nowMs: number) => ({
  from: new Date(nowMs - periodDays * dayMs).toISOString(),
  to: new Date(nowMs).toISOString(),
})

type Added = { sent: number; counted: number; perSecond: number; wronglyJudged: number }

async function addEvents(
  product: Product,
  count: number,
  seed: number,
  nowMs: number,
  fillMs: number,
  tell: (line: string) => void,
): Promise<Added> {
  const traffic = makeTraffic({
    seed: 100 + seed,
    events: count,
    fromMs: nowMs - periodDays * dayMs,
    toMs: nowMs,
    sites: ['shop'],
  })
  const result = await fill(product, {
    events: traffic.events,
    siteIds: { shop: product.keys.siteId },
    forMs: fillMs,
    onProgress: (sent) => tell(`filling: ${formatNumber(sent)} of ${formatNumber(count)} events`),
  })
  const { outcomes } = traffic.tally
  const names = ['accept', 'warn', 'quarantine', 'reject'] as const
  const isWhole = result.sent === traffic.tally.events
  // An order that browser and server both report is stored twice and counted once.
  const repeated = siteTally(traffic.tally, 'shop').orders.both
  return {
    sent: result.sent,
    counted: isWhole ? outcomes.accept + outcomes.warn - repeated : Number.NaN,
    perSecond: result.sent / result.seconds,
    wronglyJudged: isWhole
      ? names.reduce((sum, name) => sum + Math.abs(outcomes[name] - result[name]), 0) / 2
      : Number.NaN,
  }
}

type Turns = {
  readonly productMs: readonly number[]
  readonly directMs: readonly number[]
  readonly startSeconds: number
  readonly megabytes: number
  readonly statements: readonly string[]
}

/** The embedded store belongs to one process at a time, so a turn of the product ends by stopping it. */
async function takeTurns(first: Product, options: ProductOptions, nowMs: number): Promise<Turns> {
  const productMs: number[] = []
  const directMs: number[] = []
  const starts: number[] = []
  let statements: readonly string[] = []
  let megabytes = 0
  let running = first
  for (let turn = 0; turn < turns; turn += 1) {
    if (turn > 0) {
      running = await startProduct(options)
      starts.push(running.readyAfterMs / 1000)
    }
    productMs.push(...(await timeReads(running, nowMs)))
    megabytes = Math.max(megabytes, residentMegabytes(running.processId))
    await stopProduct(running)
    const direct = await runDirect(options.dataDir, running, nowMs)
    directMs.push(...direct.runsMs)
    statements = direct.statements
  }
  return { productMs, directMs, startSeconds: median(starts), megabytes, statements }
}

async function timeReads(product: Product, nowMs: number): Promise<readonly number[]> {
  const query = { siteId: product.keys.siteId, ...rangeOf(nowMs), interval: 'day', timezone: 'UTC' }
  const tookMs: number[] = []
  const warmUps = 3
  for (let read = -warmUps; read < readsPerTurn; read += 1) {
    const startedMs = performance.now()
    await readOverview(product, query)
    if (read >= 0) tookMs.push(performance.now() - startedMs)
  }
  return tookMs
}

async function runDirect(dataDir: string, { keys }: Product, nowMs: number): Promise<DirectResult> {
  const range = [nowMs - periodDays * dayMs, nowMs, readsPerTurn].map(String)
  const program = new URL('./direct.ts', import.meta.url).pathname
  const { child, lines } = startProgram([program, dataDir, keys.workspaceId, keys.siteId, ...range])
  const code = await new Promise((resolve) => child.on('close', resolve))
  const last = lines.findLast((line) => line.startsWith('{'))
  if (code !== 0 || last === undefined) throw new Error(`the direct reads failed:\n${lines.join('\n')}`)
  const result: unknown = JSON.parse(last)
  // boundary: our own program printed it.
  return result as DirectResult
}

function fillFigures(filled: number, added: Added, counted: number, expected: number): readonly Figure[] {
  const note = `${formatNumber(filled)} events`
  return [
    { work: 'import of history, until stored', value: added.perSecond, unit: 'events/s', note },
    {
      work: 'events counted of events that must count',
      value: counted,
      unit: 'events',
      bare: expected,
      target: { of: 'ratio', least: 1, most: 1 },
      note,
    },
    {
      work: 'events judged otherwise than the generator knows',
      value: added.wronglyJudged,
      unit: 'events',
      target: { of: 'value', most: 0 },
      note,
    },
  ]
}

function overviewFigures(
  filled: number,
  turn: Turns,
  p50: number,
  smallestMs: number | null,
): readonly Figure[] {
  const note = `${formatNumber(filled)} events`
  const ofDirect: Target = { of: 'ratio', most: 1.3 }
  const figures: Figure[] = [
    {
      work: 'overview, 30 days, p50',
      value: p50,
      unit: 'ms',
      bare: median(turn.directMs),
      target: ofDirect,
      note,
    },
    {
      work: 'overview, 30 days, p95',
      value: percentile(turn.productMs, 0.95),
      unit: 'ms',
      bare: percentile(turn.directMs, 0.95),
      note,
    },
    { work: 'start-up with data', value: turn.startSeconds, unit: 's', note },
    { work: 'memory after reads', value: turn.megabytes, unit: 'MB', note },
  ]
  if (smallestMs === null) {
    figures.push({
      work: 'overview, 30 days, p50 when quiet',
      value: p50,
      unit: 'ms',
      target: { of: 'value', most: 60 },
      note,
    })
  } else {
    const target: Target = { of: 'ratio', most: 4 }
    figures.push({
      work: 'overview against the smallest size',
      value: p50,
      unit: 'ms',
      bare: smallestMs,
      target,
      note,
    })
  }
  return figures
}
