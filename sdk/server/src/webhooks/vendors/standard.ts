import { mapped, type Normalised, unmapped } from '../normal-form.ts'
import { firstText, isPayload, timeAt } from '../payload.ts'
import { isStandardName } from '../standard-names.ts'
import { standardSecretRefusal, standardWebhooks } from '../standard-webhooks.ts'
import { readObject, type Vendor, type VendorEvent } from '../vendor.ts'

/** Any sender of Standard Webhooks: customers of Svix, and a customer's own services. */
export const standard: Vendor = {
  provider: 'standard',
  normalise,
  secretRefusal: standardSecretRefusal,
  isRelay: true,
  verify: standardWebhooks({ brands: ['webhook', 'svix'] }),
  read: (body, header) =>
    readObject(body, (payload) => ({
      id: header('webhook-id') ?? header('svix-id') ?? null,
      type: firstText(payload, 'type', 'event_type') ?? 'unknown',
      occurredAt: timeAt(payload, 'timestamp', 'iso') ?? null,
    })),
}

/** A sender that uses one of our own names means that event; the gate validates it like any other. */
function normalise({ id, type, occurredAt, payload }: VendorEvent): Normalised {
  if (!isStandardName(type)) return unmapped('no_rule')
  const properties = isPayload(payload.data) ? payload.data : {}
  const who = {
    userId: firstText(payload, 'user_id', 'data.user_id'),
    vendorId: firstText(payload, 'anonymous_id', 'data.anonymous_id'),
    email: firstText(payload, 'data.email'),
  }
  return mapped({ event: type, key: `${id}`, who, occurredAt, properties })
}
