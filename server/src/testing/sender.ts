import { setTimeout as wait } from 'node:timers/promises'
import type { ChildProduct } from './child-product.ts'
import { untilTrue } from './harness.ts'

/** A product that is fast to fill: no limit, and segments that do not grow for long. */
export const killable = {
  ASSAY_INGEST_EVENTS_PER_SECOND: '1000000',
  ASSAY_PUBLIC_EVENTS_PER_SECOND_PER_ADDRESS: '1000000',
  ASSAY_SEGMENT_AGE_MS_MAX: '200',
}

/** Short enough that a request is nearly always under way. */
const pauseMs = 10

/** What a sender knows: the ids that were acknowledged, and those whose answer never came. */
export class Sender {
  readonly acknowledged = new Set<string>()
  #next = 0

  async keepSending(product: ChildProduct, until: () => boolean): Promise<void> {
    await Promise.all([
      this.#lane(product, until, 40),
      this.#lane(product, until, 7),
      this.#lane(product, until, 1),
    ])
  }

  async #lane(product: ChildProduct, until: () => boolean, size: number): Promise<void> {
    while (!until()) {
      const events = Array.from({ length: size }, () => ({
        event: '$login',
        event_id: `e${this.#next++}`,
        user_id: `u${this.#next % 50}`,
        ts: new Date().toISOString(),
        properties: { method: 'password' },
      }))
      // Many requests show no more than some, and have to be loaded, looked for and sent again at the end.
      await wait(pauseMs)
      const answer = await post(product, '/v1/batch', { batch: events }).catch(() => null)
      if (answer?.status !== 200) continue
      for (const event of events) this.acknowledged.add(event.event_id)
    }
  }
}

export function post(product: ChildProduct, path: string, body: object): Promise<Response> {
  return fetch(`${product.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${product.keys.secretKey}` },
    body: JSON.stringify(body),
  })
}

export async function sendAndKill(
  product: ChildProduct,
  sender: Sender,
  afterMs: number,
  midway: () => unknown = () => {},
): Promise<void> {
  let dead = false
  const sending = sender.keepSending(product, () => dead)
  const before = sender.acknowledged.size
  await untilTrue('something to be acknowledged', () => sender.acknowledged.size > before)
  await wait(afterMs / 2)
  midway()
  await wait(afterMs / 2)
  await product.kill()
  dead = true
  await sending
}

export async function logIsLoaded(product: ChildProduct): Promise<boolean> {
  const metrics = await (await fetch(`${product.url}/metrics`)).text()
  return /^assay_log_pending_events 0$/m.test(metrics)
}
