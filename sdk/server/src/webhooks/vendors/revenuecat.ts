import { textAt, timeAt } from '../payload.ts'
import { authorizationSecret, stampedHmac } from '../schemes.ts'
import { readObject, type Vendor } from '../vendor.ts'

const header = 'x-revenuecat-webhook-signature'

const bySignature = stampedHmac({
  header,
  separator: ',',
  timeName: 't',
  signatureName: 'v1',
  joint: '.',
  unit: 's',
  toleranceS: 300,
})
const byAuthorization = authorizationSecret((secret) => [secret])

export const revenuecat: Vendor = {
  provider: 'revenuecat',
  // Signing is an option of the vendor's. Where a signature is sent it has to be right; the secret alone does not do.
  verify: (signed) => (signed.header(header) === undefined ? byAuthorization(signed) : bySignature(signed)),
  read: (body) =>
    readObject(body, (payload) => {
      const type = textAt(payload, 'event.type') ?? 'unknown'
      return {
        id: textAt(payload, 'event.id') ?? null,
        type,
        occurredAt: timeAt(payload, 'event.event_timestamp_ms', 'ms') ?? null,
        isTest: textAt(payload, 'event.environment') === 'SANDBOX',
        isHandshake: type === 'TEST',
      }
    }),
}
