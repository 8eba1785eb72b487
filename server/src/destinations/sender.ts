import { destinationLimits } from '@assay/contract'
import { type Deliver, deliveryFault } from '../http/outbound-address.ts'
import type { Clock, NewId } from '../platform/clock.ts'
import type { ItemFailure } from '../platform/items.ts'
import { RecentMap } from '../platform/recent-map.ts'
import { hourMs } from '../platform/units.ts'
import type { Control } from '../store/control.ts'
import type { Destinations, Target } from './destinations.ts'
import {
  type DispatchRow,
  finishDispatch,
  insertDispatches,
  selectDispatch,
  selectDueDestinations,
  takeDispatches,
} from './dispatch-store.ts'
import { signedHeaders } from './signature.ts'
import { markFailing, markGone } from './store.ts'

type SendingOptions = {
  control: Control
  destinations: Destinations
  deliver: Deliver
  now: Clock
  newId: NewId
}

export type Sending = {
  /** Begins with everything that is due; a receiver that is slow only keeps its own others waiting. */
  work: (onFailure: ItemFailure) => Promise<void>
  /** Sends a test and waits for the answer. */
  test: (target: Target) => Promise<DispatchRow>
  /** Resolves when nothing is under way. */
  settled: () => Promise<void>
  /** Begins nothing more, and waits for what is under way. */
  stop: () => Promise<void>
}

/** Calls to one receiver at a time; of each person one. */
const atOnce = 8
/** Longer than a call can take. */
const takenMs = 30_000
const pauseMsFirst = 5_000
const pauseMsMax = 3_600_000
/** A receiver that fails like this is asked with one call at a time until one succeeds. */
const failuresInARow = 5
const goneStatus = 410
/** Receivers that fail at the moment; one that is forgotten counts as sound. */
const failingMax = 10_000

export function createSending(options: SendingOptions): Sending {
  const { control, destinations, now, newId } = options
  // bounded: by the destinations to which something is being sent.
  const busy = new Map<string, Promise<void>>()
  /** Failures since the last success, by destination. */
  const failures = new RecentMap<number>(failingMax)
  let isStopping = false

  async function sendAll(target: Target): Promise<void> {
    for (;;) {
      const nowMs = now()
      const isDoubtful = (failures.get(target.id) ?? 0) >= failuresInARow
      const until = new Date(nowMs + takenMs)
      const due = await takeDispatches(control, target.id, new Date(nowMs), until, isDoubtful ? 1 : atOnce)
      if (due.length === 0) return
      const outcomes = await Promise.all(due.map((row) => send(options, target, row)))
      const failed = outcomes.filter((isDelivered) => !isDelivered).length
      if (failed === 0) failures.delete(target.id)
      else failures.set(target.id, (failures.get(target.id) ?? 0) + failed)
      if (isStopping || failed === due.length) return
    }
  }

  return {
    async work(onFailure) {
      if (!destinations.hasAny()) return
      for (const id of await selectDueDestinations(control, new Date(now()))) {
        const target = destinations.find(id)
        if (target === undefined || busy.has(id) || isStopping) continue
        const sending = sendAll(target).finally(() => void busy.delete(id))
        busy.set(id, sending)
        // Of the store, or of this receiver; what was taken is due again later.
        sending.catch((error: unknown) => onFailure(error, id))
      }
    },
    async test(target) {
      const id = newId('msg')
      const at = new Date(now())
      const row = { id, workspace_id: target.workspace_id, destination_id: target.id, subject: `test ${id}` }
      const body = JSON.stringify({ type: 'test', timestamp: at, data: { destination_id: target.id } })
      const made = { ...row, kind: 'test' as const, type: 'test', person_id: '', body }
      // Not scheduled: it is sent here and now, once.
      await insertDispatches(control, [made], { at, dueAt: new Date(now() + hourMs), until: at })
      const inserted = await selectDispatch(control, id)
      if (inserted === null) throw new Error('the destination is gone')
      await send(options, target, { ...inserted, attempts: 1 })
      return (await selectDispatch(control, id)) ?? inserted
    },
    settled: async () => void (await Promise.allSettled(busy.values())),
    async stop() {
      isStopping = true
      await Promise.allSettled(busy.values())
    },
  }
}

/** Answers whether the receiver took it. */
async function send(
  { control, destinations, deliver, now }: SendingOptions,
  target: Target,
  row: DispatchRow,
): Promise<boolean> {
  const headers = signedHeaders(target.secrets, row.id, now(), row.body)
  const answer = await deliver(target.url, headers, row.body).catch((error: unknown) => error)
  const status = typeof answer === 'number' ? answer : null
  const endedAt = new Date(now())
  if (status !== null && status >= 200 && status < 300) {
    const delivered = { status: 'delivered', response_status: status, error: null, next_at: null } as const
    await finishDispatch(control, row.id, { ...delivered, delivered_at: endedAt })
    if (row.kind !== 'test') await markFailing(control, target.id, null)
    return true
  }
  const nextMs = endedAt.getTime() + pauseOf(row.attempts)
  const isOver = nextMs > row.retry_until.getTime()
  await finishDispatch(control, row.id, {
    status: isOver ? 'dead' : 'pending',
    response_status: status,
    error: deliveryFault(answer),
    next_at: isOver ? null : new Date(nextMs),
    delivered_at: null,
  })
  if (row.kind === 'test') return false
  await markFailing(control, target.id, endedAt)
  if (status === goneStatus) {
    await markGone(control, target.id)
    await destinations.changed(target.workspace_id)
  }
  return false
}

/** 5 s, 10 s, 20 s … an hour. */
export function pauseOf(attempts: number): number {
  return Math.min(pauseMsMax, pauseMsFirst * 2 ** Math.max(0, attempts - 1))
}

/** When a delivery that fails from now on is given up. */
export const retryUntil = (nowMs: number): Date => new Date(nowMs + destinationLimits.retryHours * hourMs)
