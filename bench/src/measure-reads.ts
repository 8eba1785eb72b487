import type { DiscoveredFunnels, Overview } from '@assay/contract'
import { getOverview, listFunnels } from '@assay/contract'
import { shop } from '../../server/src/demo/traffic/models/shop.ts'
import { dayMs } from '../../server/src/platform/units.ts'
import { ask } from './api.ts'
import { type Bench, windowStartMs } from './bench.ts'
import { askInstrumented } from './instrumented-product.ts'
import type { Measurement, Subject } from './measurement.ts'
import { peakMegabytes, residentMegabytes } from './process.ts'
import { type Product, startProduct, stopProduct } from './product.ts'
import type { Read } from './read-list.ts'
import { type Figure, formatCount, formatNumber, type Target } from './report.ts'
import type { Side } from './side.ts'
import { median } from './statistics.ts'

type ReadsPlan = {
  readonly events: number
  readonly days: number
  readonly reads: readonly Read[]
}

/** What a read of the store may add to its statements alone, where targets.md says nothing of the time. */
const ofDirect: Target = { of: 'ratio', most: 1.3 }
/** What else the main thread has to do, such as taking events in, must not wait longer for a read. */
const blockedMsMost = 20
const afterReadsMegabytesMost = 1_000
const windowDays = 30
/** The first turn of each read compiles what is hot and is not counted. */
const warmUps = 1
/** A cached answer costs nothing but its way. */
const cachedTurns = 5

type Samples = { productMs: number[]; directMs: number[]; blockedMs: number[]; statements: number }

/** Each read of one site by HTTP, in turns with its statements alone; a round is one turn of one read. */
export function readsMeasurement(bench: Bench, plan: ReadsPlan): Measurement {
  const turns = bench.options.reads + warmUps
  return { rounds: plan.reads.length * turns, open: (side) => openReads(bench, plan, side) }
}

async function openReads(bench: Bench, plan: ReadsPlan, side: Side): Promise<Subject> {
  const product = await startProduct(await bench.filled(side, plan))
  const samples = plan.reads.map(
    (): Samples => ({ productMs: [], directMs: [], blockedMs: [], statements: 0 }),
  )
  const note = await describeData(product, bench.options.nowMs)
  return {
    async round(index) {
      const read = plan.reads[index % plan.reads.length]
      const own = samples[index % plan.reads.length]
      if (read === undefined || own === undefined) return
      const took = await takeTurn(product, read)
      if (index < plan.reads.length * warmUps) return
      own.productMs.push(took.productMs)
      own.directMs.push(took.directMs)
      own.blockedMs.push(took.blockedMs)
      own.statements = took.statements
    },
    async figures() {
      const prefix = `${formatCount(plan.events)}: `
      const figures = plan.reads.flatMap((read, index) => {
        const own = samples[index]
        return own === undefined ? [] : readFigures(prefix, plan.events, read, own)
      })
      for (const read of plan.reads) if (read.cached) figures.push(await cachedFigure(product, prefix, read))
      const blockedMs = Math.max(...samples.map((own) => median(own.blockedMs)))
      figures.push(blockedFigure(`${prefix}main thread blocked by any read`, blockedMs))
      figures.push(...(await truthFigures(product, prefix, plan, bench.options.nowMs)))
      figures.push(...memoryFigures(product, prefix))
      const [first, ...rest] = figures
      return first === undefined ? [] : [{ ...first, note }, ...rest]
    },
    close: () => stopProduct(product),
  }
}

/** How many events there are in all, and how many of them lie in the days that are read. */
async function describeData(product: Product, nowMs: number): Promise<string> {
  const [all, read] = [await countFrom(product, 0, nowMs), await countRead(product, nowMs)]
  return `${formatNumber(all)} events, ${formatNumber(read)} in the 30 days read`
}

const countRead = (product: Product, nowMs: number) =>
  countFrom(product, windowStartMs(nowMs, windowDays), nowMs)

async function countFrom(product: Product, fromMs: number, nowMs: number): Promise<number> {
  const { siteId } = product.keys
  const counted = await askInstrumented(product, { kind: 'count', siteId, fromMs, toMs: nowMs + dayMs })
  return counted.kind === 'count' ? counted.events : Number.NaN
}

type TurnTook = { productMs: number; directMs: number; blockedMs: number; statements: number }

async function takeTurn(product: Product, read: Read): Promise<TurnTook> {
  await askInstrumented(product, { kind: 'listen' })
  await readBlocked(product)
  const startedMs = performance.now()
  await read.fresh(product)
  const productMs = performance.now() - startedMs
  const blockedMs = await readBlocked(product)
  const heard = await askInstrumented(product, { kind: 'hear', about: product.keys.siteId })
  const direct = await askInstrumented(product, { kind: 'run' })
  return {
    productMs,
    blockedMs,
    directMs: direct.kind === 'run' ? direct.tookMs : Number.NaN,
    statements: heard.kind === 'hear' ? heard.statements.length : 0,
  }
}

/** How long the product's main thread could do nothing else, at most, since the last question. */
async function readBlocked(product: Product): Promise<number> {
  const answered = await askInstrumented(product, { kind: 'held' })
  return answered.kind === 'held' ? answered.longestMs : Number.NaN
}

function readFigures(prefix: string, events: number, read: Read, own: Samples): Figure[] {
  const most = read.msMost[events]
  const work = `${prefix}${read.work}`
  return [
    {
      work,
      value: median(own.productMs),
      unit: 'ms',
      bare: median(own.directMs),
      target: most === undefined ? ofDirect : { of: 'value', most },
      // A cached answer would have asked nothing.
      note: own.statements === 0 ? 'asked no statement' : `${own.statements} statements`,
    },
    blockedFigure(`${work}: main thread blocked`, median(own.blockedMs)),
  ]
}

const blockedFigure = (work: string, value: number): Figure => ({
  work,
  value,
  unit: 'ms',
  target: { of: 'value', most: blockedMsMost },
})

async function cachedFigure(product: Product, prefix: string, read: Read): Promise<Figure> {
  const tookMs: number[] = []
  for (let turn = 0; turn < cachedTurns; turn += 1) {
    const startedMs = performance.now()
    await read.cached?.(product)
    tookMs.push(performance.now() - startedMs)
  }
  return { work: `${prefix}${read.work}: asked again`, value: median(tookMs), unit: 'ms' }
}

/** Fast and wrong is no figure: what is counted is what is stored, what is found is what was put in. */
async function truthFigures(
  product: Product,
  prefix: string,
  { reads }: ReadsPlan,
  nowMs: number,
): Promise<readonly Figure[]> {
  const { siteId } = product.keys
  const query = new URLSearchParams({ siteId, window: '30d', timezone: 'UTC', includeBots: 'true' })
  const overview = await ask<Overview>(product, `${getOverview.path}?${query}`)
  const exactly: Target = { of: 'ratio', least: 1, most: 1 }
  const figures: Figure[] = [
    {
      work: `${prefix}events counted of events stored`,
      value: overview.metrics.events,
      unit: 'events',
      bare: await countRead(product, nowMs),
      target: exactly,
    },
  ]
  if (!reads.some(({ work }) => work === 'discovered funnels')) return figures
  const asked = new URLSearchParams({ siteId, window: '30d' })
  const { funnels } = await ask<DiscoveredFunnels>(product, `${listFunnels.path}?${asked}`)
  const known = shop.funnels[0]?.steps.length
  figures.push({
    work: `${prefix}true funnels among those found`,
    value: funnels.filter(({ steps }) => steps.length === known).length,
    unit: 'funnels',
    bare: funnels.length,
    target: exactly,
  })
  return figures
}

function memoryFigures({ processId }: Product, prefix: string): readonly Figure[] {
  const target: Target = { of: 'value', most: afterReadsMegabytesMost }
  return [
    { work: `${prefix}memory after reads`, value: residentMegabytes(processId), unit: 'MB', target },
    { work: `${prefix}memory during reads, at most`, value: peakMegabytes(processId), unit: 'MB' },
  ]
}
