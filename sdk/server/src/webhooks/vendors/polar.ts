import { textAt, timeAt } from '../payload.ts'
import { literalOrDecodedKey, standardWebhooks } from '../standard-webhooks.ts'
import { readObject, type Vendor } from '../vendor.ts'

export const polar: Vendor = {
  provider: 'polar',
  verify: standardWebhooks({ brands: ['webhook'], keysOf: literalOrDecodedKey }),
  read: (body, header) =>
    readObject(body, (payload) => ({
      id: header('webhook-id') ?? null,
      type: textAt(payload, 'type') ?? 'unknown',
      occurredAt: timeAt(payload, 'timestamp', 'iso') ?? timeAt(payload, 'data.created_at', 'iso') ?? null,
    })),
}
