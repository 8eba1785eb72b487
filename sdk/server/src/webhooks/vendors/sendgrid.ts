import { concat, readBase64 } from '../bytes.ts'
import { known, mapped, type Normalised, unmapped } from '../normal-form.ts'
import { firstText, readJson, textAt, timeAt } from '../payload.ts'
import { isStamp, readStampMs, withTime } from '../schemes.ts'
import { isP256Key, verifyP256 } from '../signature.ts'
import { readObjects, type Vendor, type VendorEvent } from '../vendor.ts'
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

const notKey = 'Configure the verification key of the event webhook as SendGrid shows it.'

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
  return isReadable ? mismatch : refuse('secret_unreadable', notKey)
}

export const sendgrid: Vendor = {
  provider: 'sendgrid',
  normalise,
  secretRefusal: async (secret) => ((await isP256Key(secret)) ? null : notKey),
  verify,
  read: (body) =>
    readObjects(readJson(body), (item) => ({
      id: textAt(item, 'sg_event_id') ?? null,
      type: textAt(item, 'event') ?? 'unknown',
      occurredAt: timeAt(item, 'timestamp', 's') ?? null,
    })),
}

/** Opens, deliveries and bounces are actions of the mail, not of a person. */
function normalise({ id, type, occurredAt, payload }: VendorEvent): Normalised {
  const url = textAt(payload, 'url')
  if (type !== 'click') return unmapped('no_rule')
  if (url === undefined) return unmapped('incomplete')
  return mapped({
    event: '$click',
    key: `click:${id}`,
    // Custom arguments of a mail are next to the vendor's own fields.
    who: { userId: firstText(payload, 'user_id', 'unique_args.user_id'), email: textAt(payload, 'email') },
    occurredAt,
    properties: known({ element: url, url, channel: 'email', message_id: textAt(payload, 'sg_message_id') }),
    context: known({ ip: textAt(payload, 'ip'), userAgent: textAt(payload, 'useragent') }),
  })
}
