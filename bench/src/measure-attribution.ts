import { fill } from './fill.ts'
import { residentMegabytes, waitFor } from './process.ts'
import { type Product, type ProductOptions, startProduct, stopProduct } from './product.ts'
import { type Figure, formatNumber } from './report.ts'
import { dayMs } from './traffic/season.ts'
import { makeTraffic } from './traffic.ts'

export type AttributionOptions = {
  readonly events: number
  readonly nowMs: number
  readonly fillMs: number
  readonly tell: (line: string) => void
}

/** Days that are computed first, and one more after them. */
const days = 29
/** Of docs/attribution.md: five million events within a minute and a gigabyte. */
const fullEvents = 5e6
const secondsMost = 60
/** One day of thirty, and what every run costs before it reads anything. */
const oneDayMost = 0.25
const computeMsMax = 30 * 60_000

type Job = { status: string; outcomes: number; days_computed: number; detail: string | null }

/** A computation over a month, and a second one after one more day. */
export async function measureAttribution(
  options: ProductOptions,
  { events, nowMs, fillMs, tell }: AttributionOptions,
): Promise<Figure[]> {
  const product = await startProduct(options)
  const toMs = Math.floor(nowMs / dayMs) * dayMs
  const fromMs = toMs - days * dayMs
  const add = async (seed: number, count: number, span: { fromMs: number; toMs: number }) => {
    const traffic = makeTraffic({ seed, events: count, ...span, sites: ['shop'] })
    await fill(product, {
      events: traffic.events,
      siteIds: { shop: product.keys.siteId },
      forMs: fillMs,
      onProgress: (sent) => tell(`filling: ${formatNumber(sent)} of ${formatNumber(count)} events`),
    })
  }
  await add(1, events, { fromMs, toMs })
  const full = await compute(product, fromMs, toMs - 1)
  tell(`attribution of ${formatNumber(full.job.outcomes)} outcomes: ${formatNumber(full.seconds)} s`)
  await add(2, events / days, { fromMs: toMs, toMs: Math.min(nowMs, toMs + dayMs) })
  const oneMore = await compute(product, fromMs, nowMs)
  const megabytes = residentMegabytes(product.processId)
  await stopProduct(product)
  const isFull = events >= fullEvents
  return [
    {
      work: `attribution, ${formatNumber(events)} events`,
      value: full.seconds,
      unit: 's',
      ...(isFull && { target: { of: 'value' as const, most: secondsMost } }),
      note: `${formatNumber(full.job.outcomes)} outcomes, ${formatNumber(megabytes)} MB`,
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

async function compute(
  product: Product,
  fromMs: number,
  toMs: number,
): Promise<{ seconds: number; job: Job }> {
  const headers = { authorization: `Bearer ${product.keys.liveKey}`, 'content-type': 'application/json' }
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 10)
  const startedMs = performance.now()
  const started = await fetch(`${product.url}/v1/attribution/compute`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ from: day(fromMs), to: day(toMs) }),
  })
  // boundary: the product promises this shape, and its own tests hold it to that.
  const { job_id: id } = (await started.json()) as { job_id: string }
  const job = await waitFor('the computation', computeMsMax, async () => {
    const answer = await fetch(`${product.url}/v1/attribution/jobs/${id}`, { headers })
    // boundary: as above.
    const found = (await answer.json()) as Job
    return found.status === 'done' || found.status === 'failed' ? found : null
  })
  if (job.status === 'failed') throw new Error(`the computation failed: ${job.detail}`)
  return { seconds: (performance.now() - startedMs) / 1_000, job }
}
