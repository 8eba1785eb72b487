import { dayMs } from '../../server/src/platform/units.ts'
import type { Bench } from './bench.ts'
import { bulkFill } from './bulk-fill.ts'
import { residentMegabytes, waitFor } from './process.ts'
import { type Product, startProduct, stopProduct } from './product.ts'
import { type Figure, formatNumber } from './report.ts'
import type { Side } from './side.ts'

/** Days that are computed first, and one more after them. */
const days = 29
/** Five million events within 20 seconds, a minute with the portable engine; a gigabyte by docs/attribution.md. */
const fullEvents = 5e6
const secondsMost = process.env.ASSAY_ENGINE === 'portable' ? 60 : 20
const megabytesMost = 1_000
/** One day of thirty, and what every run costs before it reads anything. */
const oneDayMost = 0.25
const computeMsMax = 30 * 60_000
/** Often enough to see a peak of memory, seldom enough not to be one. */
const pollMs = 200

type Job = { status: string; outcomes: number; days_computed: number; detail: string | null }

/** A computation over a month, and a second one after one more day. */
export async function measureAttribution(
  bench: Bench,
  side: Side,
  events: number,
): Promise<readonly Figure[]> {
  const { nowMs, fillMs, print } = bench.options
  const product = await startProduct(await bench.instrumented(side, 'attribution'))
  const toMs = Math.floor(nowMs / dayMs) * dayMs
  const fromMs = toMs - days * dayMs
  const filled = await bulkFill(product, { seed: 1, events, fromMs, toMs: toMs - 1, fillMs, print })
  const full = await compute(product, fromMs, toMs - 1)
  print(`attribution of ${formatNumber(full.job.outcomes)} outcomes: ${formatNumber(full.seconds)} s`)
  // The day so far, with as much as a whole one has.
  await bulkFill(product, { seed: 2, events: events / days, fromMs: toMs, toMs: nowMs, fillMs, print })
  const oneMore = await compute(product, fromMs, nowMs)
  await stopProduct(product)
  const isFull = events >= fullEvents
  return [
    {
      work: 'attribution, 5 M events',
      value: full.seconds,
      unit: 's',
      ...(isFull && { target: { of: 'value' as const, most: secondsMost } }),
      note: `${formatNumber(full.job.outcomes)} outcomes of ${formatNumber(filled)} events`,
    },
    {
      work: 'attribution: memory that it adds, at most',
      value: full.addedMegabytes,
      unit: 'MB',
      ...(isFull && { target: { of: 'value' as const, most: megabytesMost } }),
      note: `${formatNumber(full.mostMegabytes)} MB in all`,
    },
    {
      work: 'attribution after one more day',
      value: oneMore.seconds,
      unit: 's',
      bare: full.seconds,
      target: { of: 'ratio', most: oneDayMost },
      note: `${oneMore.job.days_computed} days computed`,
    },
  ]
}

type Computed = { seconds: number; job: Job; addedMegabytes: number; mostMegabytes: number }

async function compute(product: Product, fromMs: number, toMs: number): Promise<Computed> {
  const headers = { authorization: `Bearer ${product.keys.liveKey}`, 'content-type': 'application/json' }
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 10)
  const beforeMegabytes = residentMegabytes(product.processId)
  let mostMegabytes = beforeMegabytes
  const startedMs = performance.now()
  const started = await fetch(`${product.url}/v1/attribution/compute`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ from: day(fromMs), to: day(toMs) }),
  })
  // boundary: the product promises this shape, and its own tests hold it to that.
  const { job_id: id } = (await started.json()) as { job_id: string }
  const isOver = async () => {
    mostMegabytes = Math.max(mostMegabytes, residentMegabytes(product.processId))
    const answer = await fetch(`${product.url}/v1/attribution/jobs/${id}`, { headers })
    // boundary: as above.
    const found = (await answer.json()) as Job
    return found.status === 'done' || found.status === 'failed' ? found : null
  }
  const job = await waitFor('the computation', computeMsMax, isOver, pollMs)
  if (job.status === 'failed') throw new Error(`the computation failed: ${job.detail}`)
  const seconds = (performance.now() - startedMs) / 1_000
  return { seconds, job, mostMegabytes, addedMegabytes: mostMegabytes - beforeMegabytes }
}
