import { flagAt, textAt, timeAt } from '../payload.ts'
import { stampedHmac } from '../schemes.ts'
import { readObject, type Vendor } from '../vendor.ts'

export const stripe: Vendor = {
  provider: 'stripe',
  // The secret's letters are the key, `whsec_` included: nothing is decoded, unlike in Standard Webhooks.
  verify: stampedHmac({
    header: 'stripe-signature',
    separator: ',',
    timeName: 't',
    signatureName: 'v1',
    joint: '.',
    unit: 's',
    toleranceS: 300,
  }),
  read: (body) =>
    readObject(body, (payload) => ({
      id: textAt(payload, 'id') ?? null,
      type: textAt(payload, 'type') ?? 'unknown',
      occurredAt: timeAt(payload, 'created', 's') ?? timeAt(payload, 'created', 'iso') ?? null,
      isTest: flagAt(payload, 'livemode') === false,
    })),
}
