import { textAt, timeAt } from '../payload.ts'
import { standardWebhooks } from '../standard-webhooks.ts'
import { readObject, type Vendor } from '../vendor.ts'

export const clerk: Vendor = {
  provider: 'clerk',
  verify: standardWebhooks({ brands: ['svix'] }),
  read: (body, header) =>
    readObject(body, (payload) => ({
      id: header('svix-id') ?? null,
      type: textAt(payload, 'type') ?? 'unknown',
      occurredAt: timeAt(payload, 'timestamp', 'ms') ?? null,
    })),
}
