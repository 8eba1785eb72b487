import { siteTally } from '../../server/src/demo/traffic/tally.ts'
import { makeTraffic } from '../../server/src/demo/traffic.ts'
import { dayMs } from '../../server/src/platform/units.ts'
import { readOverview } from './api.ts'
import { fill } from './fill.ts'
import { askInstrumented, instrumentedProgram as program } from './instrumented-product.ts'
import { residentMegabytes } from './process.ts'
import { type Product, type ProductOptions, startProduct, stopProduct } from './product.ts'
import type { Figure, Target } from './report.ts'
import { formatNumber } from './report.ts'
import { median, percentile } from './statistics.ts'

type OverviewOptions = {
  readonly sizes: readonly number[]
  readonly nowMs: number
  /** Overviews in each turn; a key may read 120 times a minute. */
  readonly reads: number
  /** The fill of one size stops here; what is then missing is said. */
  readonly fillMs: number
  readonly print: (line: string) => void
}

type OverviewResult = { readonly figures: readonly Figure[]; readonly statements: readonly string[] }

const periodDays = 30

/** Overviews of one site over growing data, each size against the same SQL run directly on the same store. */
export async function measureOverview(
  options: ProductOptions,
  { sizes, nowMs, reads, fillMs, print }: OverviewOptions,
): Promise<OverviewResult> {
  const figures: Figure[] = []
  let statements: readonly string[] = []
  let filled = 0
  let original: Added = { sent: 0, counted: 0, perSecond: 0, wronglyJudged: 0 }
  let smallestMs: number | null = null
  for (const [index, size] of sizes.entries()) {
    const running = await startProduct({ ...options, program })
    if (index === 0) {
      const added = await addEvents(running, size, nowMs, fillMs, print)
      original = added
      filled = added.sent
      figures.push(...importFigures(added))
    } else {
      figures.push(startFigure(running, filled))
      filled += await addCopies(running, size, { filled, original: original.sent }, nowMs)
    }
    const range = { siteId: running.keys.siteId, ...rangeOf(nowMs), includeBots: 'true' }
    const counted = (await readOverview(running, range)).metrics.events
    figures.push(countFigure(filled, counted, (original.counted * filled) / original.sent))
    const turns = await takeTurns(running, nowMs, reads)
    statements = turns.statements
    const p50 = median(turns.productMs)
    figures.push(...overviewFigures(filled, turns, p50, smallestMs))
    smallestMs ??= p50
    print(`overview of ${formatNumber(filled)} events: ${formatNumber(p50)} ms`)
    await stopProduct(running)
  }
  return { figures, statements }
}

export const rangeOf = (nowMs: number) => ({
  from: new Date(nowMs - periodDays * dayMs).toISOString(),
  to: new Date(nowMs).toISOString(),
})

type Added = { sent: number; counted: number; perSecond: number; wronglyJudged: number }

async function addEvents(
  product: Product,
  count: number,
  nowMs: number,
  fillMs: number,
  print: (line: string) => void,
): Promise<Added> {
  const traffic = makeTraffic({
    seed: 100,
    events: count,
    fromMs: nowMs - periodDays * dayMs,
    toMs: nowMs,
    sites: ['shop'],
  })
  const result = await fill(product, {
    events: traffic.events,
    siteIds: { shop: product.keys.siteId },
    forMs: fillMs,
    onProgress: (sent) => print(`filling: ${formatNumber(sent)} of ${formatNumber(count)} events`),
  })
  if (result.sent < traffic.tally.events) {
    // The time was over in the middle of the events; what the rest would have been is not known.
    return {
      sent: result.sent,
      counted: Number.NaN,
      perSecond: result.sent / result.seconds,
      wronglyJudged: Number.NaN,
    }
  }
  const { outcomes } = traffic.tally
  // An order that browser and server both report counts once; the later report is answered as a duplicate.
  const repeated = siteTally(traffic.tally, 'shop').orders.both
  const expected = { ...outcomes, accept: outcomes.accept - repeated, duplicate: repeated }
  const names = ['accept', 'warn', 'quarantine', 'reject', 'duplicate'] as const
  return {
    sent: result.sent,
    counted: expected.accept + expected.warn,
    perSecond: result.sent / result.seconds,
    // An event under the wrong name is missing under the right one, so it is found twice.
    wronglyJudged: names.reduce((sum, name) => sum + Math.abs(expected[name] - result[name]), 0) / 2,
  }
}

/**
 * Grows by copies of what is there: how fast events come in and whether they are judged rightly was seen with the first
 * size. The times are the same, so what must be counted is known still.
 */
async function addCopies(
  product: Product,
  size: number,
  there: { filled: number; original: number },
  nowMs: number,
): Promise<number> {
  const firstCopy = Math.max(1, Math.round(there.filled / there.original))
  const copies = Math.max(1, Math.round(size / there.original) - firstCopy)
  const copying = { siteId: product.keys.siteId, fromMs: 0, toMs: nowMs + dayMs, firstCopy, copies }
  await askInstrumented(product, { kind: 'multiply', copying })
  return copies * there.original
}

type Turns = {
  readonly productMs: readonly number[]
  readonly directMs: readonly number[]
  readonly megabytes: number
  readonly statements: readonly string[]
}

/** An overview by HTTP, then its statements alone, and so on in turns. */
async function takeTurns(product: Product, nowMs: number, reads: number): Promise<Turns> {
  const query = { siteId: product.keys.siteId, ...rangeOf(nowMs), interval: 'day', timezone: 'UTC' }
  await askInstrumented(product, { kind: 'listen' })
  await readOverview(product, query)
  const heard = await askInstrumented(product, { kind: 'hear', about: product.keys.siteId })
  const productMs: number[] = []
  const directMs: number[] = []
  for (let turn = -warmUps; turn < reads; turn += 1) {
    const startedMs = performance.now()
    await readOverview(product, query)
    const tookMs = performance.now() - startedMs
    const direct = await askInstrumented(product, { kind: 'run' })
    if (turn < 0) continue
    productMs.push(tookMs)
    directMs.push(direct.kind === 'run' ? direct.tookMs : Number.NaN)
  }
  const megabytes = residentMegabytes(product.processId)
  return { productMs, directMs, megabytes, statements: heard.kind === 'hear' ? heard.statements : [] }
}

const warmUps = 3

function startFigure({ readyAfterMs }: Product, filled: number): Figure {
  return {
    work: 'start-up with data',
    value: readyAfterMs / 1000,
    unit: 's',
    note: `${formatNumber(filled)} events`,
  }
}

function importFigures({ sent, perSecond, wronglyJudged }: Added): readonly Figure[] {
  const note = `${formatNumber(sent)} events`
  return [
    { work: 'import of history, until stored', value: perSecond, unit: 'events/s', note },
    {
      work: 'events judged otherwise than the generator knows',
      value: wronglyJudged,
      unit: 'events',
      target: { of: 'value', most: 0 },
      note,
    },
  ]
}

function countFigure(filled: number, counted: number, expected: number): Figure {
  return {
    work: 'events counted of events that must count',
    value: counted,
    unit: 'events',
    bare: expected,
    target: { of: 'ratio', least: 1, most: 1 },
    note: `${formatNumber(filled)} events`,
  }
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
