import { textAt, timeAt } from '../payload.ts'
import { standardWebhooks } from '../standard-webhooks.ts'
import { readObject, type Vendor } from '../vendor.ts'

export const resend: Vendor = {
  provider: 'resend',
  verify: standardWebhooks({ brands: ['svix'] }),
  read: (body, header) =>
    readObject(body, (payload) => ({
      id: header('svix-id') ?? null,
      type: textAt(payload, 'type') ?? 'unknown',
      occurredAt: timeAt(payload, 'created_at', 'iso') ?? null,
    })),
}
