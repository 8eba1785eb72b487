import { textAt, timeAt } from '../payload.ts'
import { stampedHmac } from '../schemes.ts'
import { compositeId, readObject, type Vendor } from '../vendor.ts'

export const calendly: Vendor = {
  provider: 'calendly',
  // Three minutes are the vendor's own sample.
  verify: stampedHmac({
    header: 'calendly-webhook-signature',
    separator: ',',
    timeName: 't',
    signatureName: 'v1',
    joint: '.',
    unit: 's',
    toleranceS: 180,
  }),
  read: (body) =>
    readObject(body, (payload) => ({
      id:
        compositeId(payload, 'event', 'payload.uri', 'payload.updated_at') ??
        compositeId(payload, 'event', 'payload.uri'),
      type: textAt(payload, 'event') ?? 'unknown',
      occurredAt: timeAt(payload, 'created_at', 'iso') ?? null,
    })),
}
