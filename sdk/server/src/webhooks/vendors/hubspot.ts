import { concat, readBase64 } from '../bytes.ts'
import { identify, mapped, type Normalised, unmapped } from '../normal-form.ts'
import { readJson, textAt, timeAt } from '../payload.ts'
import { findSigner, isStamp, literalKey, readStampMs, requireUrl, withTime } from '../schemes.ts'
import { compositeId, readObjects, type Vendor, type VendorEvent } from '../vendor.ts'
import { malformedHeader, mismatch, missingHeader, type Signed, type Verification } from '../verification.ts'

const signatureHeader = 'x-hubspot-signature-v3'
const timeHeader = 'x-hubspot-request-timestamp'
const toleranceS = 300

/** Only version 3: versions 1 and 2, which HubSpot still sends too, are plain hashes without a time. */
async function verify(signed: Signed): Promise<Verification> {
  const url = requireUrl(signed)
  if (typeof url !== 'string') return url
  const sent = signed.header(signatureHeader)
  const time = signed.header(timeHeader)
  if (sent === undefined) return missingHeader(signatureHeader)
  if (time === undefined) return missingHeader(timeHeader)
  const signature = readBase64(sent)
  if (signature === null) return malformedHeader(signatureHeader)
  if (!isStamp(time)) return malformedHeader(timeHeader)
  const message = concat('POST', url, signed.body, time)
  const secretIndex = await findSigner(signed.secrets, literalKey, 'SHA-256', message, [signature])
  return secretIndex === null ? mismatch : withTime(signed, secretIndex, readStampMs(time, 'ms'), toleranceS)
}

export const hubspot: Vendor = {
  provider: 'hubspot',
  normalise,
  verify,
  read: (body) =>
    readObjects(readJson(body), (item) => ({
      // `eventId` alone may repeat.
      id: compositeId(item, 'portalId', 'subscriptionId', 'eventId', 'objectId', 'occurredAt'),
      type: textAt(item, 'subscriptionType') ?? 'unknown',
      occurredAt: timeAt(item, 'occurredAt', 'ms') ?? null,
    })),
}

const traitNames: Readonly<Record<string, string>> = {
  email: 'email',
  firstname: 'first_name',
  lastname: 'last_name',
  lifecyclestage: 'lifecycle_stage',
}

/** Deliveries contain ids and single changes, never the record: no amount of a deal, no name of a contact. */
function normalise({ id, type, occurredAt, payload }: VendorEvent): Normalised {
  const contactId = textAt(payload, 'objectId')
  if (type !== 'contact.creation' && type !== 'contact.propertyChange') return unmapped('no_rule')
  if (contactId === undefined) return unmapped('incomplete')
  const trait = traitNames[textAt(payload, 'propertyName') ?? '']
  const value = textAt(payload, 'propertyValue')
  if (type === 'contact.propertyChange' && (trait === undefined || value === undefined))
    return unmapped('no_rule')
  const traits = trait === undefined ? {} : { [trait]: value }
  const who = { vendorId: contactId, email: trait === 'email' ? value : undefined }
  return mapped(identify(`change:${id}`, who, occurredAt, traits))
}
