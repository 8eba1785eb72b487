import { concat } from '../bytes.ts'
import { textAt, timeAt } from '../payload.ts'
import { bodyHmac, requireUrl } from '../schemes.ts'
import { readObject, type Vendor } from '../vendor.ts'

export const square: Vendor = {
  provider: 'square',
  // The older header x-square-signature (SHA-1) is not read.
  verify: bodyHmac({
    headers: ['x-square-hmacsha256-signature'],
    encoding: 'base64',
    digest: 'SHA-256',
    message: (signed) => {
      const url = requireUrl(signed)
      return typeof url === 'string' ? concat(url, signed.body) : url
    },
  }),
  read: (body) =>
    readObject(body, (payload) => {
      const type = textAt(payload, 'type') ?? 'unknown'
      return {
        id: textAt(payload, 'event_id') ?? null,
        type,
        occurredAt: timeAt(payload, 'created_at', 'iso') ?? null,
        isHandshake: type === 'webhooks.test_notification',
      }
    }),
}
