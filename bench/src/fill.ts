import { makeEncoder } from '../../server/src/demo/traffic/events/encode.ts'
import type { SiteKey, TrafficEvent } from '../../server/src/demo/traffic/events/wire.ts'
import { flush, readGauge } from './api.ts'
import { httpRequest, runLoad } from './load.ts'
import { waitFor } from './process.ts'
import type { Product } from './product.ts'

type FillOptions = {
  readonly events: Iterator<TrafficEvent>
  /** The product's id of each generated site. */
  readonly siteIds: Readonly<Partial<Record<SiteKey, string>>>
  readonly forMs: number
  readonly stopping?: AbortSignal
  readonly onProgress?: (sent: number) => void
}

/** What the product said of what it was sent. */
type FillResult = {
  sent: number
  accept: number
  warn: number
  quarantine: number
  reject: number
  duplicate: number
  seconds: number
}

/** The product's own maximum of a batch, and enough connections that it never waits for the next one. */
export const eventsPerBatch = 1_000
const connections = 3

/** How much is sent before the writer is looked after, and how far behind it may be: a log is bounded. */
const sliceMs = 2_000
const pendingEventsMax = 400_000

/** Sends past events by `/v1/import`, as fast as they can be stored for long. */
export async function fill(product: Product, options: FillOptions): Promise<FillResult> {
  const result: FillResult = {
    sent: 0,
    accept: 0,
    warn: 0,
    quarantine: 0,
    reject: 0,
    duplicate: 0,
    seconds: 0,
  }
  const queue = makeQueue(
    makeBatches(options, (count) => {
      result.sent += count
    }),
  )
  const startedMs = performance.now()
  const isTimeLeft = () => performance.now() - startedMs < options.forMs && options.stopping?.aborted !== true
  while (queue.hasMore() && isTimeLeft()) {
    await runLoad({
      port: product.port,
      connections,
      forMs: sliceMs,
      next: (connection) => {
        const body = queue.next(connection)
        return body && httpRequest('/v1/import', { authorization: `Bearer ${product.keys.secretKey}` }, body)
      },
      onAnswer: (status, body, connection) => {
        if (status === 503) return queue.again(connection)
        if (status !== 200) throw new Error(`a batch was answered ${status}: ${body.toString()}`)
        addSummary(result, body)
      },
    })
    if (queue.isHeld()) {
      const pending = await readGauge(product, 'assay_log_pending_events')
      await waitUntilPending(product, Math.floor(pending / 2))
      queue.release()
    }
    options.onProgress?.(result.sent)
    await waitUntilPending(product, pendingEventsMax)
  }
  await waitUntilStored(product)
  result.seconds = (performance.now() - startedMs) / 1000
  return result
}

/** What the product has no space for yet is sent again; until there is some, nothing else is. */
function makeQueue(batches: () => Buffer | null) {
  const sent: (Buffer | null)[] = []
  const refused: Buffer[] = []
  let isExhausted = false
  let isHeld = false
  return {
    hasMore: () => !isExhausted || refused.length > 0,
    isHeld: () => isHeld,
    release: () => {
      isHeld = false
    },
    next(connection: number): Buffer | null {
      if (isHeld) return null
      const body = refused.pop() ?? batches()
      isExhausted ||= body === null
      sent[connection] = body
      return body
    },
    again(connection: number): void {
      const body = sent[connection]
      if (body) refused.push(body)
      isHeld = true
    },
  }
}

/** A batch belongs to one site, so each site has its own that is filling up. */
function makeBatches(options: FillOptions, onBatch: (count: number) => void): () => Buffer | null {
  const encode = makeEncoder()
  const open = new Map<SiteKey, string[]>()
  const close = (site: SiteKey, texts: readonly string[]): Buffer => {
    open.delete(site)
    onBatch(texts.length)
    const siteId = options.siteIds[site]
    if (siteId === undefined) throw new Error(`no site of the product for ${site}`)
    return Buffer.from(`{"site_id":"${siteId}","batch":[${texts.join(',')}]}`)
  }
  return () => {
    for (let next = options.events.next(); !next.done; next = options.events.next()) {
      const { site, wire } = next.value
      const texts = open.get(site) ?? []
      open.set(site, texts)
      const text = encode(wire)
      if (texts.push(text) === eventsPerBatch) return close(site, texts)
    }
    const [rest] = open
    return rest === undefined ? null : close(...rest)
  }
}

const summaryText = /"summary":(\{[^}]*\})/

/** The counts stand before the results, so the rest of a long answer need not be parsed. */
export function addSummary(total: Omit<FillResult, 'sent' | 'seconds'>, body: Buffer): void {
  const head = body.toString('latin1', 0, 400)
  const found = summaryText.exec(head) ?? summaryText.exec(body.toString())
  if (found?.[1] === undefined) throw new Error(`a batch answer without a summary: ${head}`)
  const counts: unknown = JSON.parse(found[1])
  for (const name of ['accept', 'warn', 'quarantine', 'reject', 'duplicate'] as const) {
    const count: unknown =
      typeof counts === 'object' && counts !== null ? Reflect.get(counts, name) : undefined
    if (typeof count !== 'number') throw new Error(`no count of ${name} in ${found[1]}`)
    total[name] += count
  }
}

/** Ten minutes: the writer may be far behind after a fill of millions. */
const drainTimeoutMs = 600_000

/** Each look costs the product a few milliseconds of its main thread. */
const pollMs = 250

/** Waits until no more than this many acknowledged events are still on their way into the store. */
export async function waitUntilPending(product: Product, most: number): Promise<void> {
  const isThere = async () => ((await readGauge(product, 'assay_log_pending_events')) <= most ? true : null)
  await waitFor('carrying the log into the store', drainTimeoutMs, isThere, pollMs)
}

/** The same for all of them, loaded at once: a short round must not end with the pause before a small load. */
export async function waitUntilStored(product: Product): Promise<void> {
  await flush(product)
  await waitUntilPending(product, 0)
}
