import { textAt, timeAt } from '../payload.ts'
import { stampedHmac } from '../schemes.ts'
import { readObject, type Vendor } from '../vendor.ts'

export const workos: Vendor = {
  provider: 'workos',
  // Milliseconds, where nearly everybody else has seconds; the vendor's own tolerance is three minutes.
  verify: stampedHmac({
    header: 'workos-signature',
    separator: ',',
    timeName: 't',
    signatureName: 'v1',
    joint: '.',
    unit: 'ms',
    toleranceS: 180,
  }),
  read: (body) =>
    readObject(body, (payload) => ({
      id: textAt(payload, 'id') ?? null,
      type: textAt(payload, 'event') ?? 'unknown',
      occurredAt: timeAt(payload, 'created_at', 'iso') ?? null,
    })),
}
