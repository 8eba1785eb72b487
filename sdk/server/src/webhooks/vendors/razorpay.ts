import { textAt, timeAt } from '../payload.ts'
import { bodyHmac } from '../schemes.ts'
import { readObject, type Vendor } from '../vendor.ts'

export const razorpay: Vendor = {
  provider: 'razorpay',
  verify: bodyHmac({ headers: ['x-razorpay-signature'], encoding: 'hex', digest: 'SHA-256' }),
  read: (body, header) =>
    readObject(body, (payload) => ({
      id: header('x-razorpay-event-id') ?? null,
      type: textAt(payload, 'event') ?? 'unknown',
      occurredAt: timeAt(payload, 'created_at', 's') ?? null,
    })),
}
