import { concat, readBase64 } from '../bytes.ts'
import { readJson, textAt, timeAt } from '../payload.ts'
import { isStamp, readStampMs, withTime } from '../schemes.ts'
import { verifyP256 } from '../signing.ts'
import { readObjects, type Vendor } from '../vendor.ts'
import {
  malformedHeader,
  mismatch,
  missingHeader,
  refuse,
  type Signed,
  type Verification,
} from '../verification.ts'

const signatureHeader = 'x-twilio-email-event-webhook-signature'
const timeHeader = 'x-twilio-email-event-webhook-timestamp'
/** The vendor states none; this is what nearly all others use. */
const toleranceS = 300

/** The "secret" is the public key of the endpoint. */
async function verify(signed: Signed): Promise<Verification> {
  const sent = signed.header(signatureHeader)
  const time = signed.header(timeHeader)
  if (sent === undefined) return missingHeader(signatureHeader)
  if (time === undefined) return missingHeader(timeHeader)
  const signature = readBase64(sent)
  if (signature === null) return malformedHeader(signatureHeader)
  if (!isStamp(time)) return malformedHeader(timeHeader)
  const message = concat(time, signed.body)
  let isReadable = false
  for (const [index, publicKey] of signed.secrets.entries()) {
    const answer = await verifyP256(publicKey, signature, message)
    if (answer === 'signed') return withTime(signed, index, readStampMs(time, 's'), toleranceS)
    isReadable ||= answer === 'not signed'
  }
  return isReadable
    ? mismatch
    : refuse('secret_unreadable', 'Configure the verification key of the event webhook as SendGrid shows it.')
}

export const sendgrid: Vendor = {
  provider: 'sendgrid',
  verify,
  read: (body) =>
    readObjects(readJson(body), (item) => ({
      id: textAt(item, 'sg_event_id') ?? null,
      type: textAt(item, 'event') ?? 'unknown',
      occurredAt: timeAt(item, 'timestamp', 's') ?? null,
    })),
}
