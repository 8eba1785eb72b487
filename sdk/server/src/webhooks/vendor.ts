import type { Normalised } from './normal-form.ts'
import { at, isPayload, type Payload, readJson } from './payload.ts'
import { type Provider, type Refused, refuse, type Signed, type Verify } from './verification.ts'

/** One fact from a vendor. A delivery contains one, with some vendors several. */
export type VendorEvent = {
  /** The vendor's own id, the same on every redelivery; null where the vendor has none. */
  id: string | null
  /** As the vendor calls it: `checkout.session.completed`. */
  type: string
  occurredAt: number | null
  /** From a test mode or a sandbox: no customer did this. */
  isTest: boolean
  /** Signed, but only to test the endpoint. */
  isHandshake: boolean
  payload: Payload
}

export type Header = Signed['header']

export type Vendor = {
  provider: Provider
  verify: Verify
  /** The events of a verified delivery. */
  read: (body: Uint8Array, header: Header) => readonly VendorEvent[] | Refused
  /** An unsigned call that only tests the endpoint: it expects 200 and contains nothing. */
  isHandshake?: (body: Uint8Array, header: Header) => boolean
  /** Its standard events. Pure: the same input always gives the same result. */
  normalise: (event: VendorEvent) => Normalised
  /** Why this cannot be a secret of this vendor; null when it can. */
  secretRefusal?: (secret: string) => string | null | Promise<string | null>
  /** Its ids are unique within one account only: order 17 of one shop is not that of another. */
  hasLocalIds?: boolean
  /** It only forwards what the customer tracked, with the customer's own ids. */
  isRelay?: boolean
}

export type VendorEventParts = Partial<VendorEvent> & Pick<VendorEvent, 'type'>

export function vendorEvent(payload: Payload, parts: VendorEventParts): VendorEvent {
  return {
    id: parts.id ?? null,
    type: parts.type,
    occurredAt: parts.occurredAt ?? null,
    isTest: parts.isTest ?? false,
    isHandshake: parts.isHandshake ?? false,
    payload,
  }
}

export const unreadable: Refused = refuse(
  'body_unreadable',
  'The delivery is signed, but its body is not the JSON this vendor sends.',
)

/** A body that is one JSON object; `describe` returns nothing for other shapes. */
export function readObject(
  body: Uint8Array,
  describe: (payload: Payload) => VendorEventParts | null,
): readonly VendorEvent[] | Refused {
  const payload = readJson(body)
  if (!isPayload(payload)) return unreadable
  const parts = describe(payload)
  return parts === null ? unreadable : [vendorEvent(payload, parts)]
}

/** Several JSON objects; one invalid object makes the whole body invalid, since the signature covers all. */
export function readObjects(
  items: unknown,
  describe: (payload: Payload) => VendorEventParts | null,
): readonly VendorEvent[] | Refused {
  if (!Array.isArray(items)) return unreadable
  const events: VendorEvent[] = []
  for (const item of items) {
    const parts = isPayload(item) ? describe(item) : null
    if (parts === null) return unreadable
    events.push(vendorEvent(item, parts))
  }
  return events
}

/** An id from several parts, for vendors that have none; null when one is missing. */
export function compositeId(payload: unknown, ...paths: readonly string[]): string | null {
  const parts = paths.map((path) => at(payload, path))
  const isWhole = parts.every((part) => typeof part === 'string' || typeof part === 'number')
  return isWhole ? parts.join(':') : null
}
