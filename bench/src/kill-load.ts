import { setTimeout as wait } from 'node:timers/promises'
import type { KillCall } from './kill-events.ts'
import type { KillLedger } from './kill-ledger.ts'
import type { Product } from './product.ts'

type KillLoadOptions = {
  readonly ledger: KillLedger
  readonly makeCall: () => KillCall
  /** Bounds the load, over all connections. */
  readonly eventsPerSecond: number
}

const connections = 6
/** Far longer than an answer takes; what hangs longer counts as unanswered. */
const answerTimeoutMs = 30_000

/** Sends over several connections at a time, and enters into the ledger what was acknowledged. */
export class KillLoad {
  readonly #options: KillLoadOptions
  readonly #unanswered: KillCall[] = []
  #allowedAtMs = 0

  constructor(options: KillLoadOptions) {
    this.#options = options
  }

  /** Until the product is gone. Throws when it answers what it should not. */
  async run(product: Product, gone: AbortSignal): Promise<void> {
    await Promise.all(Array.from({ length: connections }, () => this.#runConnection(product, gone)))
  }

  async #runConnection(product: Product, gone: AbortSignal): Promise<void> {
    while (!gone.aborted) {
      const call = this.#unanswered.pop() ?? this.#options.makeCall()
      await this.#takeTurn(call.events.length, gone)
      if (gone.aborted || !(await this.#send(product, call, gone))) this.#unanswered.push(call)
    }
  }

  async #takeTurn(events: number, gone: AbortSignal): Promise<void> {
    const nowMs = performance.now()
    const atMs = Math.max(nowMs, this.#allowedAtMs)
    this.#allowedAtMs = atMs + (1000 * events) / this.#options.eventsPerSecond
    if (atMs > nowMs) await wait(atMs - nowMs, undefined, { signal: gone }).catch(() => {})
  }

  /** False when there was no whole answer. */
  async #send(product: Product, { path, key, events }: KillCall, gone: AbortSignal): Promise<boolean> {
    const { ledger } = this.#options
    for (const { sent } of events) ledger.send(sent)
    const wires = events.map(({ wire }) => wire)
    const answer = await post(
      product.url + path,
      product.keys[key],
      path === '/v1/track' ? wires[0] : { batch: wires },
      gone,
    )
    if (answer === null) return false
    // Asked to wait, or on its way down: what it did not take it has not acknowledged.
    if (answer.status === 429 || answer.status === 503) return false
    const results = path === '/v1/track' ? [answer.body] : readResults(answer.body)
    const isExpected = answer.status < 300 && results.length === events.length && !results.some(isRejected)
    if (!isExpected) throw new Error(`${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
    for (const { sent } of events) ledger.acknowledge(sent.id)
    return true
  }
}

async function post(
  url: string,
  key: string,
  body: unknown,
  gone: AbortSignal,
): Promise<{ status: number; body: unknown } | null> {
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.any([gone, AbortSignal.timeout(answerTimeoutMs)]),
    })
    return { status: answer.status, body: await answer.json() }
  } catch {
    // Cut off by the kill, which is what the campaign is for: such a call is sent again.
    return null
  }
}

const readResults = (body: unknown): unknown[] =>
  typeof body === 'object' && body !== null && 'results' in body && Array.isArray(body.results)
    ? body.results
    : []

const isRejected = (result: unknown): boolean => Object(result).outcome === 'reject'
