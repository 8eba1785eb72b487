import { isRecord, toSnakeCase } from '@assay/contract'
import type { NormalisedEvent, VendorEvent } from '@assay/server/webhooks'

/**
 * What a delivery without a rule of ours is offered to the gate as: `stripe_payout_paid`. It counts when the workspace
 * registered a contract or made a mapping rule of that name, and is kept in the list otherwise.
 */
export function candidateOf(provider: string, event: VendorEvent, key: string): NormalisedEvent {
  return {
    event: toSnakeCase(`${provider}_${event.type.replaceAll(/[./:]/g, '_')}`),
    key: `raw:${event.id ?? key}`,
    who: whoOf(event.payload),
    occurredAt: event.occurredAt,
    properties: prune(subjectOf(event.payload), depthMax),
  }
}

/** What the event is about, where vendors wrap it: Stripe in `data.object`, many in `data`. */
function subjectOf(payload: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const data = isRecord(payload.data) ? payload.data : payload
  return isRecord(data.object) ? data.object : data
}

function whoOf(payload: Readonly<Record<string, unknown>>): NormalisedEvent['who'] {
  const subject = subjectOf(payload)
  const text = (...names: readonly string[]) =>
    names.map((name) => subject[name] ?? payload[name]).find((value) => typeof value === 'string')
  return { userId: text('user_id', 'userId'), vendorId: text('customer', 'customer_id', 'contact_id') }
}

/** Well within what the gate takes: deeper parts of a payload are nothing to count by. */
const depthMax = 3
const membersMax = 60
const listMax = 20

function prune(record: Readonly<Record<string, unknown>>, depth: number): Record<string, unknown> {
  const kept = Object.entries(record).slice(0, membersMax)
  return Object.fromEntries(
    kept.map(([name, value]) => [name, pruned(value, depth)]).filter(([, value]) => value !== undefined),
  )
}

function pruned(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value ?? undefined
  if (depth <= 1) return undefined
  return Array.isArray(value)
    ? value.slice(0, listMax).map((one) => pruned(one, depth - 1) ?? null)
    : prune({ ...value }, depth - 1)
}
