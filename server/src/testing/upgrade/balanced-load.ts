import { setTimeout as wait } from 'node:timers/promises'
import { getOverview, isRecord, requestUrl } from '@assay/contract'
import type { ChildProduct } from '../child-product.ts'

/** What senders and readers got. */
export type Tally = {
  acknowledged: number
  requests: number
  reads: number
  unavailable: number
  /** Connections that ended without an answer. */
  none: number
  /** Answers that a sender must never get. */
  wrong: string[]
}

const readyAgainMs = 200
const eventsPerRequest = 20
const requestMsMax = 15_000
/** A load that one machine carries with all of the servers on it, also on the portable engine. */
const betweenRequestsMs = 100
const betweenReadsMs = 3_000

/** A few lines of load balancer: in turn to the nodes whose readiness probe answers. */
export class Balancer {
  readonly nodes = new Set<ChildProduct>()
  #ready: ChildProduct[] = []
  #turn = 0

  async watch(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const asked = [...this.nodes].map(async (node) => {
        const answer = await fetch(`${node.url}/readyz`).catch(() => null)
        return answer?.ok === true ? [node] : []
      })
      this.#ready = (await Promise.all(asked)).flat()
      await wait(readyAgainMs)
    }
  }

  next(): ChildProduct | undefined {
    this.#turn += 1
    return this.#ready[this.#turn % this.#ready.length]
  }
}

/** True if the answer was a success; everything but that and `unavailable` is wrong. */
async function isAnswered(tally: Tally, call: () => Promise<Response>): Promise<boolean> {
  const answer = await call().catch(() => null)
  const text = await answer?.text().catch(() => null)
  if (answer === null || text === null || text === undefined) {
    tally.none += 1
    return false
  }
  if (answer.ok) return true
  const problem: unknown = JSON.parse(text)
  const isUnavailable = isRecord(problem) && String(problem.type).endsWith('/unavailable')
  if (answer.status === 503 && isUnavailable) tally.unavailable += 1
  else tally.wrong.push(`${answer.status} ${text.slice(0, 300)}`)
  return false
}

function post(balancer: Balancer, tally: Tally, batch: readonly object[]): Promise<boolean> {
  const node = balancer.next()
  if (node === undefined) return Promise.resolve(false)
  tally.requests += 1
  return isAnswered(tally, () =>
    fetch(`${node.url}/v1/batch`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${node.keys.secretKey}` },
      body: JSON.stringify({ batch }),
      signal: AbortSignal.timeout(requestMsMax),
    }),
  )
}

/** Sends until the end: each request until it is acknowledged, and every third one a second time. */
export async function sendAll(
  balancer: Balancer,
  tally: Tally,
  sender: number,
  isOver: () => boolean,
): Promise<void> {
  for (let request = 0; !isOver(); request += 1) {
    const events = Array.from({ length: eventsPerRequest }, (_, at) => {
      const id = `s${sender}-${request}-${at}`
      return { event: '$login', event_id: id, user_id: `u-${id}`, properties: { method: 'mail' } }
    })
    while (!(await post(balancer, tally, events))) await wait(50)
    tally.acknowledged += events.length
    if (request % 3 === 0) await post(balancer, tally, events)
    await wait(betweenRequestsMs)
  }
}

export async function readAll(balancer: Balancer, tally: Tally, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const node = balancer.next()
    if (node !== undefined) {
      tally.reads += 1
      const url = requestUrl(node.url, getOverview, { query: { siteId: node.keys.siteId, window: '7d' } })
      const headers = { authorization: `Bearer ${node.keys.liveKey}` }
      await isAnswered(tally, () => fetch(url, { headers, signal: AbortSignal.timeout(60_000) }))
    }
    await wait(betweenReadsMs)
  }
}
