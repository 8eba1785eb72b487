import {
  type DiscoveredFunnels,
  getFlowGraph,
  getOverview,
  getRetention,
  getRevenueImpact,
  listFunnels,
  listJourneys,
  queryFunnel,
} from '@assay/contract'
import { shop } from '../../server/src/demo/traffic/sites.ts'
import { dayMs } from '../../server/src/platform/units.ts'
import { ask, askAgain } from './api.ts'
import { bulkFill } from './bulk-fill.ts'
import { askInstrumented, instrumentedProgram as program } from './instrumented-product.ts'
import { rangeOf } from './measure-overview.ts'
import { type Product, type ProductOptions, startProduct, stopProduct } from './product.ts'
import type { Figure, Target } from './report.ts'
import { formatNumber } from './report.ts'
import { median } from './statistics.ts'

type ReadsOptions = {
  /** How many to fill in; null where the directory is full already. */
  readonly events: number | null
  readonly days: number
  readonly nowMs: number
  readonly reads: number
  readonly fillMs: number
  readonly print: (line: string) => void
}

const ofDirect: Target = { of: 'ratio', most: 1.3 }

/** Revenue impact works on what its statements find; the other reads give it out as it is. */
const ofDirectImpact: Target = { of: 'ratio', most: 1.5 }
/** What else the main thread has to do, such as taking events in, must not wait longer for a read. */
const heldMsMost = 50

type Read = {
  readonly work: string
  readonly target?: Target
  readonly run: (product: Product, turn: number) => Promise<unknown>
  /** Where large answers are kept: the same without asking for a new one. */
  readonly again?: (product: Product) => Promise<unknown>
}

/** What targets.md asks of an overview; a kept answer takes no longer for being another. */
const keptMsMost = 60

/** Each read of one site by HTTP, in turns with its statements alone. */
export async function measureReads(
  options: ProductOptions,
  { events, days, nowMs, reads, fillMs, print }: ReadsOptions,
): Promise<readonly Figure[]> {
  const product = await startProduct({ ...options, program })
  try {
    const fromMs = nowMs - days * dayMs
    if (events !== null) await bulkFill(product, { seed: 100, events, fromMs, toMs: nowMs, fillMs, print })
    const note = await describeData(product, nowMs)
    const figures: Figure[] = []
    for (const read of readsOf(nowMs)) {
      const { productMs, directMs, heldMs } = await takeTurns(product, read, reads)
      print(
        `${read.work}: ${formatNumber(productMs)} ms, bare ${formatNumber(directMs)} ms, blocked ${formatNumber(heldMs)} ms`,
      )
      const target = read.target ?? ofDirect
      figures.push({ work: read.work, value: productMs, unit: 'ms', bare: directMs, target, note })
      figures.push(heldFigure(read.work, heldMs, note))
      if (read.again !== undefined) figures.push(await keptFigure(product, read.work, read.again, note))
    }
    return [...figures, ...(await measureDiscovery(product, nowMs, note))]
  } finally {
    await stopProduct(product)
  }
}

/** How many events there are in all, and how many of them lie in the days that are read. */
async function describeData(product: Product, nowMs: number): Promise<string> {
  const { siteId } = product.keys
  const toMs = nowMs + dayMs
  const count = async (fromMs: number) => {
    const counted = await askInstrumented(product, { kind: 'count', siteId, fromMs, toMs })
    return formatNumber(counted.kind === 'count' ? counted.events : Number.NaN)
  }
  return `${await count(0)} events, ${await count(Date.parse(rangeOf(nowMs).from))} in the 30 days read`
}

function readsOf(nowMs: number): readonly Read[] {
  const search = ({ keys }: Product, extra: Record<string, string> = {}) =>
    new URLSearchParams({ siteId: keys.siteId, ...rangeOf(nowMs), timezone: 'UTC', ...extra })
  const get = (path: string, extra?: Record<string, string>) => ({
    run: (product: Product) => ask(product, `${path}?${search(product, extra)}`),
    again: (product: Product) => askAgain(product, `${path}?${search(product, extra)}`),
  })
  const steps = [{ path: '/product/:id' }, { path: '/cart' }, { event: '$purchase' }]
  return [
    { work: 'overview, 30 days', ...get(getOverview.path, { interval: 'day' }) },
    {
      work: 'funnel of 3 steps',
      run: (product) =>
        ask(product, queryFunnel.path, { siteId: product.keys.siteId, ...rangeOf(nowMs), steps }),
    },
    { work: 'retention by day', run: get(getRetention.path, { interval: 'day' }).run },
    { work: 'flow graph', ...get(getFlowGraph.path) },
    { work: 'journeys', ...get(listJourneys.path) },
    {
      work: 'revenue impact',
      target: ofDirectImpact,
      run: ({ keys, ...product }) =>
        ask({ ...product, keys }, `${getRevenueImpact.path}?siteId=${keys.siteId}&window=30d`),
    },
  ]
}

/** The slower reads would else take the whole bench. */
const turnsMax = 7

async function takeTurns(
  product: Product,
  read: Read,
  reads: number,
): Promise<{ productMs: number; directMs: number; heldMs: number }> {
  await askInstrumented(product, { kind: 'listen' })
  await read.run(product, 0)
  await askInstrumented(product, { kind: 'hear', about: product.keys.siteId })
  const productMs: number[] = []
  const directMs: number[] = []
  const heldMs: number[] = []
  for (let turn = 0; turn < Math.min(reads, turnsMax); turn += 1) {
    await askInstrumented(product, { kind: 'held' })
    const startedMs = performance.now()
    await read.run(product, turn)
    productMs.push(performance.now() - startedMs)
    heldMs.push(await readQuarantined(product))
    const direct = await askInstrumented(product, { kind: 'run' })
    directMs.push(direct.kind === 'run' ? direct.tookMs : Number.NaN)
  }
  return { productMs: median(productMs), directMs: median(directMs), heldMs: median(heldMs) }
}

async function keptFigure(
  product: Product,
  work: string,
  again: (product: Product) => Promise<unknown>,
  note: string,
): Promise<Figure> {
  const tookMs: number[] = []
  for (let turn = 0; turn < turnsMax; turn += 1) {
    const startedMs = performance.now()
    await again(product)
    tookMs.push(performance.now() - startedMs)
  }
  const target: Target = { of: 'value', most: keptMsMost }
  return { work: `${work}: asked again`, value: median(tookMs), unit: 'ms', target, note }
}

/** How long the product's main thread could do nothing else, at most, since the last question. */
async function readQuarantined(product: Product): Promise<number> {
  const held = await askInstrumented(product, { kind: 'held' })
  return held.kind === 'held' ? held.longestMs : Number.NaN
}

function heldFigure(work: string, value: number, note: string): Figure {
  return {
    work: `${work}: main thread blocked`,
    value,
    unit: 'ms',
    target: { of: 'value', most: heldMsMost },
    note,
  }
}

/** Asked for the first time, so that nothing is kept; and whether what is found is what was put in. */
async function measureDiscovery(product: Product, nowMs: number, note: string): Promise<readonly Figure[]> {
  const query = new URLSearchParams({ siteId: product.keys.siteId, ...rangeOf(nowMs) })
  await askInstrumented(product, { kind: 'held' })
  const startedMs = performance.now()
  const { funnels } = await ask<DiscoveredFunnels>(product, `${listFunnels.path}?${query}`)
  const freshMs = performance.now() - startedMs
  const heldMs = await readQuarantined(product)
  const againMs = performance.now()
  await ask(product, `${listFunnels.path}?${query}`)
  const keptMs = performance.now() - againMs
  const isTrue = funnels.filter(({ steps }) => steps.length === shop.funnels[0]?.steps.length).length
  return [
    {
      work: 'discovered funnels, fresh',
      value: freshMs / 1000,
      unit: 's',
      target: { of: 'value', most: 5 },
      note,
    },
    heldFigure('discovered funnels', heldMs, note),
    { work: 'discovered funnels, kept', value: keptMs, unit: 'ms', note },
    {
      work: 'true funnels among those found',
      value: isTrue,
      unit: 'funnels',
      bare: funnels.length,
      target: { of: 'ratio', least: 1, most: 1 },
      note,
    },
  ]
}
