import { textAt, timeAt } from '../payload.ts'
import { bodyHmac } from '../schemes.ts'
import { readObject, type Vendor } from '../vendor.ts'

export const typeform: Vendor = {
  provider: 'typeform',
  // Looks like GitHub's header, but the signature is base64.
  verify: bodyHmac({
    headers: ['typeform-signature'],
    prefix: 'sha256=',
    encoding: 'base64',
    digest: 'SHA-256',
  }),
  read: (body) =>
    readObject(body, (payload) => ({
      id: textAt(payload, 'event_id') ?? null,
      type: textAt(payload, 'event_type') ?? 'unknown',
      occurredAt: timeAt(payload, 'form_response.submitted_at', 'iso') ?? null,
    })),
}
