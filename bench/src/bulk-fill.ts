import { makeTraffic } from '../../server/src/demo/traffic.ts'
import { fill } from './fill.ts'
import { askInstrumented } from './instrumented-product.ts'
import type { Product } from './product.ts'
import { formatNumber } from './report.ts'

type BulkFill = {
  readonly seed: number
  readonly events: number
  readonly fromMs: number
  readonly toMs: number
  /** Longest time for the part that goes through the gate. */
  readonly fillMs: number
  readonly print: (line: string) => void
}

/** A twentieth, within bounds: enough to make known funnels, errors and merges visible, in seconds. */
const throughGateShare = 1 / 20
const throughGateMin = 20_000
const throughGateMax = 100_000
/** Twenty million events. A copy is one statement, and of more than so many events it would ask for too much memory. */
const copiesMost = 199

/**
 * Fills the store of an instrumented product: a part of the traffic goes through the gate, the rest is copies of it
 * with people of their own. Answers how many events were sent or copied.
 */
export async function bulkFill(product: Product, options: BulkFill): Promise<number> {
  const { seed, events, fromMs, toMs, fillMs, print } = options
  const wanted = Math.min(throughGateMax, Math.max(throughGateMin, events * throughGateShare))
  const copies = Math.max(0, Math.min(copiesMost, Math.ceil(events / wanted) - 1))
  const traffic = makeTraffic({ seed, events: events / (copies + 1), fromMs, toMs, sites: ['shop'] })
  const { siteId } = product.keys
  const { sent } = await fill(product, {
    events: traffic.events,
    siteIds: { shop: siteId },
    forMs: fillMs,
    onProgress: (done) =>
      print(`filling: ${formatNumber(done)} of ${formatNumber(events / (copies + 1))} events`),
  })
  if (copies === 0) return sent
  print(`filling: ${copies} copies of ${formatNumber(sent)} events`)
  const startedMs = performance.now()
  const copying = { siteId, fromMs, toMs: toMs + 1, firstCopy: 1, copies }
  await askInstrumented(product, { kind: 'multiply', copying })
  print(`filling: copied in ${formatNumber((performance.now() - startedMs) / 1000)} s`)
  return sent * (copies + 1)
}
