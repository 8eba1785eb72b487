import { isRecord, Problem, type WebhookDelivery, type WebhookReceipt } from '@assay/contract'
import type { VendorEvent } from '@assay/server/webhooks'
import type { Control } from '../store/control.ts'
import { type DeliveryFilter, type DeliveryRow, selectDelivery } from './delivery-store.ts'

/** A number of days that leaves time to notice; after it, ids and bodies are forgotten too. */
export const keptDays = 90

export async function requireDelivery(
  control: Control,
  workspaceId: string,
  id: string,
): Promise<DeliveryRow> {
  const row = id.includes('\0') ? null : await selectDelivery(control, workspaceId, id)
  if (row === null) throw new Problem('not-found', { detail: 'There is no such delivery.' })
  return row
}

export function toDelivery(row: DeliveryRow): WebhookDelivery {
  return {
    id: row.id,
    connection_id: row.connection_id,
    provider: row.provider,
    site_id: row.site_id,
    vendor_id: row.vendor_id,
    type: row.type,
    status: row.status,
    reason: row.reason,
    event_ids: row.event_ids,
    repeats: row.repeats,
    occurred_at: row.occurred_at?.toISOString() ?? null,
    received_at: row.received_at.toISOString(),
  }
}

export function receiptOf(
  rows: readonly Pick<DeliveryRow, 'event_ids'>[],
  duplicate: boolean,
): WebhookReceipt {
  return { received: true, event_ids: [...new Set(rows.flatMap((row) => row.event_ids))], duplicate }
}

type ListQuery = {
  connection_id?: string
  provider?: string
  status?: string
  type?: string
  from?: string
  to?: string
}

export function readFilter(query: ListQuery): DeliveryFilter {
  return {
    connectionId: query.connection_id ?? null,
    provider: query.provider ?? null,
    status: query.status ?? null,
    type: query.type ?? null,
    from: readTime('from', query.from),
    to: readTime('to', query.to),
  }
}

function readTime(field: string, text: string | undefined): Date | null {
  if (text === undefined) return null
  const time = new Date(text)
  if (/^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(time.getTime())) return time
  const message = 'must be a time such as 2026-08-01T00:00:00Z'
  throw new Problem('invalid-parameter', { detail: `${field} ${message}.`, errors: [{ field, message }] })
}

export const unreadableType = 'unreadable'

/** Signed, but not what this vendor sends: kept as it came. */
export function unreadableEvent(body: Uint8Array): VendorEvent {
  const text = Buffer.from(body).toString('utf8').replaceAll('\0', '\ufffd')
  const base = { id: null, occurredAt: null, isTest: false, isHandshake: false }
  return { ...base, type: unreadableType, payload: { text } }
}

export function storedEvent(row: DeliveryRow): VendorEvent {
  const payload: unknown = JSON.parse(row.payload ?? '{}')
  return {
    id: row.vendor_id,
    type: row.type,
    occurredAt: row.occurred_at?.getTime() ?? null,
    isTest: false,
    isHandshake: false,
    payload: isRecord(payload) ? payload : {},
  }
}

/** No vendor's id or type is longer; an index of Postgres takes 2,700 bytes. */
const textLengthMax = 500

/** Postgres takes no text with this character. */
export function storable(text: string | null): string | null {
  return text === null ? null : text.replaceAll('\0', '\ufffd').slice(0, textLengthMax)
}
