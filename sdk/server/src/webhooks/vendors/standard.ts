import { firstText, timeAt } from '../payload.ts'
import { standardWebhooks } from '../standard-webhooks.ts'
import { readObject, type Vendor } from '../vendor.ts'

/** Anybody who speaks Standard Webhooks: customers of Svix, and a customer's own services. */
export const standard: Vendor = {
  provider: 'standard',
  verify: standardWebhooks({ brands: ['webhook', 'svix'] }),
  read: (body, header) =>
    readObject(body, (payload) => ({
      id: header('webhook-id') ?? header('svix-id') ?? null,
      type: firstText(payload, 'type', 'event_type') ?? 'unknown',
      occurredAt: timeAt(payload, 'timestamp', 'iso') ?? null,
    })),
}
