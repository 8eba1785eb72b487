import { concat, readBase64, readHex } from '../bytes.ts'
import { fromMinor } from '../money.ts'
import { known, type Normalised, unmapped, withMoney } from '../normal-form.ts'
import { at, isPayload, listAt, type Payload, readJson, textAt, timeAt } from '../payload.ts'
import { findSigner, type KeysOf } from '../schemes.ts'
import { unreadable, type Vendor, type VendorEvent, vendorEvent } from '../vendor.ts'
import { mismatch, refuse, type Signed, type Verification } from '../verification.ts'

/**
 * Only these are signed, in this order; everything else in the notification may have been changed by anyone.
 */
const signedFields = [
  'pspReference',
  'originalReference',
  'merchantAccountCode',
  'merchantReference',
  'amount.value',
  'amount.currency',
  'eventCode',
  'success',
] as const

const notHex = 'The HMAC key of Adyen is a hexadecimal number, as the Customer Area shows it.'

const hexKey: KeysOf = (secret) => {
  const key = readHex(secret.trim())
  return key === null ? [] : [key]
}

/** The signature is in the body, one for each item, and all of them have to be valid. */
async function verify({ body, secrets }: Signed): Promise<Verification> {
  if (secrets.some((secret) => hexKey(secret).length === 0)) return refuse('secret_unreadable', notHex)
  const items = itemsOf(readJson(body))
  if (items.length === 0) return unreadable
  let secretIndex = 0
  for (const item of items) {
    const sent = textAt(item, 'additionalData.hmacSignature')
    if (sent === undefined)
      return refuse('header_missing', 'additionalData.hmacSignature is missing in an item.')
    const signature = readBase64(sent)
    const message = concat(signedFields.map((field) => signedText(at(item, field))).join(':'))
    const signer =
      signature === null ? null : await findSigner(secrets, hexKey, 'SHA-256', message, [signature])
    if (signer === null) return mismatch
    secretIndex = Math.max(secretIndex, signer)
  }
  return { ok: true, secretIndex, signedAt: null }
}

function itemsOf(payload: unknown): readonly Payload[] {
  const items = listAt(payload, 'notificationItems').map((item) => at(item, 'NotificationRequestItem'))
  return items.every(isPayload) ? items.filter(isPayload) : []
}

function describe(item: Payload, isLive: unknown): VendorEvent {
  const [eventCode, psp, success] = ['eventCode', 'pspReference', 'success'].map((name) => textAt(item, name))
  return vendorEvent(item, {
    id: eventCode === undefined || psp === undefined ? null : `${eventCode}:${psp}:${success ?? ''}`,
    type: eventCode ?? 'unknown',
    occurredAt: timeAt(item, 'eventDate', 'iso') ?? null,
    // A text, not a flag.
    isTest: isLive === 'false',
  })
}

export const adyen: Vendor = {
  provider: 'adyen',
  normalise,
  secretRefusal: (secret) => (hexKey(secret).length === 0 ? notHex : null),
  verify,
  read: (body) => {
    const payload = readJson(body)
    const items = itemsOf(payload)
    return items.length === 0 ? unreadable : items.map((item) => describe(item, at(payload, 'live')))
  },
}

/** An authorised payment counts; its capture reports the same money again. */
function normalise({ type, occurredAt, payload }: VendorEvent): Normalised {
  if (type === 'CAPTURE') return unmapped('told_elsewhere')
  if (!['AUTHORISATION', 'REFUND', 'CHARGEBACK'].includes(type)) return unmapped('no_rule')
  if (textAt(payload, 'success') !== 'true') return unmapped('not_final')
  const psp = textAt(payload, 'pspReference')
  const reference = textAt(payload, 'merchantReference')
  const money = fromMinor('adyen', at(payload, 'amount.value'), at(payload, 'amount.currency'))
  // The shopper is named in an unsigned part, so the order is used as their id.
  const who = { vendorId: reference === undefined ? undefined : `order-${reference}` }
  if (type === 'AUTHORISATION') {
    return withMoney(money, (total) => ({
      event: '$purchase',
      key: `payment:${psp}`,
      who,
      occurredAt,
      properties: known({ ...total, order_id: reference ?? psp }),
    }))
  }
  return withMoney(money, (total) => ({
    event: '$refund',
    key: `${type.toLowerCase()}:${psp}`,
    who,
    occurredAt,
    properties: known({
      ...total,
      order_id: reference ?? textAt(payload, 'originalReference'),
      reason: type === 'CHARGEBACK' ? 'chargeback' : textAt(payload, 'reason'),
    }),
  }))
}

/** Adyen signs texts and numbers; of anything else no signature can be right. */
const signedText = (value: unknown) =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
