import { firstText, readJson, textAt, timeAt } from '../payload.ts'
import { bodyHmac } from '../schemes.ts'
import { readObject, type Vendor } from '../vendor.ts'
import { refuse, type Signed, type Verification } from '../verification.ts'

const ofSingleEvent = bodyHmac({ headers: ['x-signature'], encoding: 'hex', digest: 'SHA-1' })

/** In a batch only the first event is signed; anybody could have added the others. */
async function verify(signed: Signed): Promise<Verification> {
  if (Array.isArray(readJson(signed.body))) {
    return refuse(
      'batch_not_signed',
      'Turn batching off in the webhook destination: Segment signs the first event only.',
    )
  }
  return ofSingleEvent(signed)
}

export const segment: Vendor = {
  provider: 'segment',
  verify,
  read: (body) =>
    readObject(body, (payload) => ({
      id: textAt(payload, 'messageId') ?? null,
      type: firstText(payload, 'type') ?? 'unknown',
      occurredAt: timeAt(payload, 'originalTimestamp', 'iso') ?? timeAt(payload, 'timestamp', 'iso') ?? null,
    })),
}
