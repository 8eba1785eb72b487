import { timeAt } from '../payload.ts'
import { bodyHmac } from '../schemes.ts'
import { type Header, readObject, type Vendor } from '../vendor.ts'

/** Deliveries of the newer "Events" bear the same names without `X-`, sometimes beside the old ones. */
function shopHeader(header: Header, name: string): string | undefined {
  return header(`shopify-${name}`) ?? header(`x-shopify-${name}`)
}

export const shopify: Vendor = {
  provider: 'shopify',
  verify: bodyHmac({
    headers: ['shopify-hmac-sha256', 'x-shopify-hmac-sha256'],
    encoding: 'base64',
    digest: 'SHA-256',
  }),
  read: (body, header) =>
    readObject(body, (payload) => {
      const topic = shopHeader(header, 'topic') ?? 'unknown'
      // One act of a merchant fans out to several topics with the same event id.
      const eventId = shopHeader(header, 'event-id') ?? shopHeader(header, 'webhook-id')
      return {
        id: eventId === undefined ? null : `${topic}:${eventId}`,
        type: topic,
        occurredAt: timeAt(payload, 'processed_at', 'iso') ?? timeAt(payload, 'created_at', 'iso') ?? null,
        isTest: payload.test === true,
      }
    }),
}
