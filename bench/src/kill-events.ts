import type { Random } from '../../server/src/demo/traffic/random.ts'
import { dayMs } from '../../server/src/platform/units.ts'
import type { SentEvent } from './kill-ledger.ts'

type MadeEvent = { readonly sent: SentEvent; readonly wire: Readonly<Record<string, unknown>> }

/** One request. Where its answer never came it is sent again after the next start, as every SDK does. */
export type KillCall = {
  readonly path: '/v1/track' | '/v1/batch'
  readonly key: 'secretKey' | 'publicKey'
  readonly events: readonly MadeEvent[]
}

const batchEventsMax = 40
/** Older than even a secret key may send: such events are quarantined. */
const heldAgeMs = 60 * dayMs
const people = 50

/**
 * Single events, batches, identifies, purchases with order ids and quarantined ones; `run` distinguishes
 * runs.
 */
export function makeKillCalls(random: Random, run: string, now: () => number): () => KillCall {
  let count = 0
  const draw = (below: number) => Math.floor(random() * below)

  function makeEvent(): MadeEvent {
    count += 1
    const id = `kill-${run}-${count}`
    const note = `note-${run}-${count}-${'x'.repeat(draw(200))}`
    const base = { event_id: id, user_id: `user-${draw(people)}`, ts: new Date(now()).toISOString() }
    const sentAs = (name: string, table: SentEvent['table'] = 'events') => ({ id, name, table, note })
    const search = { ...base, event: '$search', properties: { query: note } }
    switch (draw(8)) {
      case 0:
        return {
          sent: sentAs('$purchase'),
          wire: { ...base, event: '$purchase', properties: purchase(note) },
        }
      case 1:
        return { sent: sentAs('$identify'), wire: { ...base, type: 'identify', traits: { nickname: note } } }
      case 2: {
        const ts = new Date(now() - heldAgeMs).toISOString()
        return { sent: sentAs('$search', 'quarantine'), wire: { ...search, ts } }
      }
      default:
        return { sent: sentAs('$search'), wire: search }
    }
  }

  const purchase = (orderId: string) => ({ amount: 1 + draw(500), currency: 'EUR', order_id: orderId })

  return () => {
    const key = draw(3) === 0 ? 'publicKey' : 'secretKey'
    if (draw(3) === 0) return { path: '/v1/track', key, events: [makeEvent()] }
    return { path: '/v1/batch', key, events: Array.from({ length: 1 + draw(batchEventsMax) }, makeEvent) }
  }
}
