import { textAt, timeAt } from '../payload.ts'
import { stampedHmac } from '../schemes.ts'
import { readObject, type Vendor } from '../vendor.ts'

export const paddle: Vendor = {
  provider: 'paddle',
  // Paddle's own SDK allows 5 s, which a delivery that waits in any queue misses; ids tell repeats anyway.
  verify: stampedHmac({
    header: 'paddle-signature',
    separator: ';',
    timeName: 'ts',
    signatureName: 'h1',
    joint: ':',
    unit: 's',
    toleranceS: 300,
  }),
  read: (body) =>
    readObject(body, (payload) => ({
      id: textAt(payload, 'event_id') ?? null,
      type: textAt(payload, 'event_type') ?? 'unknown',
      occurredAt: timeAt(payload, 'occurred_at', 'iso') ?? null,
    })),
}
