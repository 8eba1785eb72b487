import { flagAt, textAt, timeAt } from '../payload.ts'
import { bodyHmac } from '../schemes.ts'
import { compositeId, readObject, type Vendor } from '../vendor.ts'

export const lemonsqueezy: Vendor = {
  provider: 'lemonsqueezy',
  verify: bodyHmac({ headers: ['x-signature'], encoding: 'hex', digest: 'SHA-256' }),
  read: (body) =>
    readObject(body, (payload) => ({
      // There is no id of the event itself; what it is about and when that changed is as good.
      id: compositeId(payload, 'meta.event_name', 'data.type', 'data.id', 'data.attributes.updated_at'),
      // The header X-Event-Name says the same, but is not signed.
      type: textAt(payload, 'meta.event_name') ?? 'unknown',
      occurredAt:
        timeAt(payload, 'data.attributes.updated_at', 'iso') ??
        timeAt(payload, 'data.attributes.created_at', 'iso') ??
        null,
      isTest:
        flagAt(payload, 'meta.test_mode') === true || flagAt(payload, 'data.attributes.test_mode') === true,
    })),
}
