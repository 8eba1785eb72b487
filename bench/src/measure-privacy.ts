import { setTimeout as wait } from 'node:timers/promises'
import {
  batch,
  getSubjectRequest,
  getTimeline,
  identify,
  requestExport,
  requestForget,
  type SubjectRequest,
} from '@assay/contract'
import type { Bench } from './bench.ts'
import type { Measurement } from './measurement.ts'
import { type Product, startProduct, stopProduct } from './product.ts'
import type { Figure } from './report.ts'
import type { Side } from './side.ts'
import { percentile } from './statistics.ts'

/** The issue's own figures: a person of so many events, while so many a second arrive of others. */
const eventsOfPerson = 100_000
const eventsPerSecond = 1_000
const eventsPerBatch = 1_000
const pollMs = 200
const requestMsMax = 600_000
/** Seed B: requests run with a service level of 60 seconds. */
const target = { of: 'value', most: 60 } as const
const timelineReads = 20
const timelineMsMost = 50

export type Call = <Answer>(path: string, body?: object) => Promise<Answer>

export function caller({ url, keys }: Product): Call {
  return async <Answer>(path: string, body?: object) => {
    const answer = await fetch(`${url}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${keys.secretKey}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
    // boundary: the product promises this shape, and its own tests hold it to that.
    return (await answer.json()) as Answer
  }
}

export const login = (userId: string) => ({
  event: '$login',
  user_id: userId,
  properties: { method: 'email' },
})

/** Exports and then erases one person with many events, while others keep sending. */
export async function measurePrivacy(bench: Bench, side: Side): Promise<readonly Figure[]> {
  const product = await startProduct(await bench.product(side, 'privacy'))
  const call = caller(product)
  try {
    await plant(call)
    bench.options.print(`a person with ${eventsOfPerson} events`)
    const others = keepSending(call, eventsPerSecond)
    const asked = { identifiers: [{ type: 'user_id', value: 'the-one' }], regime: 'gdpr' }
    const exported = await followed(call, await call<SubjectRequest>(requestExport.path, asked))
    const forgotten = await followed(call, await call<SubjectRequest>(requestForget.path, asked))
    const load = await others.stop()
    return [
      { work: 'export of 100,000 events', value: secondsOf(exported), unit: 's', target },
      { work: 'forget of 100,000 events', value: secondsOf(forgotten), unit: 's', target },
      {
        work: 'events accepted meanwhile',
        value: load.perSecond,
        unit: 'events/s',
        target: { of: 'value', least: eventsPerSecond * 0.95 },
      },
      { work: 'answer to a batch meanwhile, p95', value: load.p95Ms, unit: 'ms' },
    ]
  } finally {
    await stopProduct(product)
  }
}

/** The first page of a person with many events. */
export function timelineMeasurement(bench: Bench): Measurement {
  return {
    rounds: timelineReads + 1,
    async open(side) {
      const product = await startProduct(await bench.product(side, 'timeline'))
      const call = caller(product)
      const path = getTimeline.path.replace(':id', await plant(call))
      const tookMs: number[] = []
      return {
        async round(index) {
          const beganMs = performance.now()
          await call(path)
          // The first one compiles what is hot.
          if (index > 0) tookMs.push(performance.now() - beganMs)
        },
        async figures() {
          const most = { of: 'value', most: timelineMsMost } as const
          return [
            {
              work: 'timeline page of 100,000 events, p50',
              value: percentile(tookMs, 0.5),
              unit: 'ms',
              target: most,
            },
            { work: 'timeline page of 100,000 events, p95', value: percentile(tookMs, 0.95), unit: 'ms' },
          ]
        },
        close: () => stopProduct(product),
      }
    },
  }
}

async function plant(call: Call): Promise<string> {
  for (let sent = 0; sent < eventsOfPerson; sent += eventsPerBatch) {
    const events = Array.from({ length: eventsPerBatch }, () => login('the-one'))
    await call(batch.path, { batch: events })
  }
  const body = { user_id: 'the-one', anonymous_id: 'the-one-device', traits: { plan: 'pro' } }
  const { person_id } = await call<{ person_id: string }>(identify.path, body)
  // Until all of them are loaded.
  for (let events = 0; events < eventsOfPerson; ) {
    await wait(pollMs)
    events = (await call<{ events: number }>(`/v1/identity/person/${person_id}`)).events
  }
  return person_id
}

/** A batch every tenth of a second, whatever the answers take. */
export function keepSending(
  call: Call,
  eventsASecond: number,
): { stop: () => Promise<{ perSecond: number; p95Ms: number }> } {
  const perTurn = eventsASecond / 10
  const beganMs = performance.now()
  const times: number[] = []
  const underWay = new Set<Promise<void>>()
  let number = 0
  const timer = setInterval(() => {
    const events = Array.from({ length: perTurn }, () => login(`other-${number++}`))
    const sentMs = performance.now()
    // A call that fails is load that did not arrive; the figure says so.
    const sending = call(batch.path, { batch: events })
      .then(
        () => void times.push(performance.now() - sentMs),
        () => {},
      )
      .finally(() => underWay.delete(sending))
    underWay.add(sending)
  }, 100)
  return {
    async stop() {
      clearInterval(timer)
      await Promise.all(underWay)
      const seconds = (performance.now() - beganMs) / 1_000
      return { perSecond: (times.length * perTurn) / seconds, p95Ms: percentile(times, 0.95) }
    },
  }
}

export async function followed(call: Call, { id }: SubjectRequest): Promise<SubjectRequest> {
  const endMs = performance.now() + requestMsMax
  for (;;) {
    const request = await call<SubjectRequest>(getSubjectRequest.path.replace(':id', id)).catch(() => null)
    if (request?.status === 'completed') return request
    if (request?.status === 'failed') throw new Error(`request ${id} failed: ${request.error}`)
    if (performance.now() > endMs) throw new Error(`request ${id} is at ${request?.progress.step} still`)
    await wait(pollMs)
  }
}

export function secondsOf({ received_at, completed_at }: SubjectRequest): number {
  return (Date.parse(completed_at ?? '') - Date.parse(received_at)) / 1_000
}
