import { textAt, timeAt } from '../payload.ts'
import { bodyHmac } from '../schemes.ts'
import { readObject, type Vendor } from '../vendor.ts'

export const intercom: Vendor = {
  provider: 'intercom',
  verify: bodyHmac({ headers: ['x-hub-signature'], prefix: 'sha1=', encoding: 'hex', digest: 'SHA-1' }),
  read: (body) =>
    readObject(body, (payload) => {
      const topic = textAt(payload, 'topic') ?? 'unknown'
      return {
        id: textAt(payload, 'id') ?? null,
        type: topic,
        occurredAt: timeAt(payload, 'created_at', 's') ?? null,
        isHandshake: topic === 'ping',
      }
    }),
}
