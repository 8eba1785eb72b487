import { readUtf8, utf8 } from '../bytes.ts'
import { fromMajor, positive } from '../money.ts'
import {
  fullName,
  identify,
  known,
  mapped,
  type Normalised,
  type NormalisedEvent,
  toItem,
  unmapped,
  type Who,
} from '../normal-form.ts'
import { at, firstText, listAt, type Payload, textAt, timeAt } from '../payload.ts'
import { bodyHmac, type KeysOf } from '../schemes.ts'
import { compositeId, readObject, type Vendor, type VendorEvent } from '../vendor.ts'

const entities: readonly (readonly [RegExp, string])[] = [
  [/&lt;|&#0?60;/g, '<'],
  [/&gt;|&#0?62;/g, '>'],
  [/&quot;|&#0?34;|&#x22;/g, '"'],
  [/&#0?39;|&#x27;/g, "'"],
  // Last, so that its result is not decoded a second time.
  [/&amp;|&#0?38;/g, '&'],
]

/**
 * WordPress stores a secret with `&` or quotes as HTML and signs with its plain form; either may have been
 * copied.
 */
const plainOrEncodedKey: KeysOf = (secret) => {
  const plain = entities.reduce((text, [entity, character]) => text.replace(entity, character), secret)
  return plain === secret ? [utf8(secret)] : [utf8(secret), utf8(plain)]
}

/** Sent once when the webhook is saved, without a signature. */
const ping = /^webhook_id=\d+$/

export const woocommerce: Vendor = {
  provider: 'woocommerce',
  normalise,
  hasLocalIds: true,
  verify: bodyHmac({
    headers: ['x-wc-webhook-signature'],
    encoding: 'base64',
    digest: 'SHA-256',
    keysOf: plainOrEncodedKey,
  }),
  isHandshake: (body, header) =>
    header('x-wc-webhook-signature') === undefined && ping.test(readUtf8(body)?.trim() ?? ''),
  read: (body, header) =>
    readObject(body, (payload) => {
      const topic = header('x-wc-webhook-topic') ?? 'unknown'
      // The delivery id changes with every redelivery, so the object and its time of change are used as id.
      const state = compositeId(payload, 'id', 'date_modified_gmt')
      return {
        id: state === null ? null : `${topic}:${state}`,
        type: topic,
        occurredAt:
          timeAt(payload, 'date_modified_gmt', 'iso') ?? timeAt(payload, 'date_created_gmt', 'iso') ?? null,
      }
    }),
}

function normalise({ type, occurredAt, payload }: VendorEvent): Normalised {
  // The topic is not signed, so the body has to look like it.
  const isOrder = textAt(payload, 'total') !== undefined && Array.isArray(payload.line_items)
  switch (type) {
    case 'order.created':
    case 'order.updated':
      return isOrder ? order(payload, occurredAt) : unmapped('unexpected_shape')
    case 'customer.created':
    case 'customer.updated':
      return textAt(payload, 'email') !== undefined && !isOrder
        ? customer(payload, occurredAt, type === 'customer.created')
        : unmapped('unexpected_shape')
    default:
      return unmapped('no_rule')
  }
}

const paidStatuses = ['processing', 'completed', 'refunded']

/** An order is sent again with every change; keys make sure that payment and refunds count once. */
function order(payload: Payload, occurredAt: number | null): Normalised {
  const paidAt = timeAt(payload, 'date_paid_gmt', 'iso')
  if (paidAt === undefined || !paidStatuses.includes(textAt(payload, 'status') ?? ''))
    return unmapped('not_final')
  const id = textAt(payload, 'id')
  const currency = at(payload, 'currency')
  const total = fromMajor(at(payload, 'total'), currency)
  const refunds = listAt(payload, 'refunds').map((refund) => ({
    refund,
    money: positive(fromMajor(at(refund, 'total'), currency)),
  }))
  if (id === undefined) return unmapped('incomplete')
  if (total === null || refunds.some(({ money }) => money === null)) return unmapped('amount_unknown')
  const customerId = textAt(payload, 'customer_id')
  const who: Who = {
    // Guests are customer 0.
    vendorId: customerId === '0' ? undefined : customerId,
    email: textAt(payload, 'billing.email'),
  }
  const purchase: NormalisedEvent = {
    event: '$purchase',
    key: `order:${id}:paid`,
    who,
    occurredAt: paidAt,
    properties: known({
      ...total,
      order_id: id,
      items: listAt(payload, 'line_items').map((line) =>
        toItem(line, firstText(line, 'sku', 'variation_id', 'product_id'), 'quantity'),
      ),
      coupon: textAt(payload, 'coupon_lines.0.code'),
    }),
  }
  return mapped(
    purchase,
    ...refunds.map(({ refund, money }) => ({
      event: '$refund',
      key: `refund:${textAt(refund, 'id')}`,
      who,
      occurredAt,
      properties: known({ ...money, order_id: id, reason: textAt(refund, 'reason') }),
    })),
  )
}

function customer(payload: Payload, occurredAt: number | null, isNew: boolean): Normalised {
  const id = textAt(payload, 'id')
  const who: Who = { vendorId: id, email: textAt(payload, 'email') }
  const name = fullName(textAt(payload, 'first_name'), textAt(payload, 'last_name'))
  const key = `customer:${id}:${textAt(payload, 'date_modified_gmt') ?? occurredAt}`
  const person = identify(key, who, occurredAt, { email: who.email, name })
  if (!isNew) return mapped(person)
  const properties = { method: 'woocommerce' }
  return mapped({ event: '$signup', key: `customer:${id}:signup`, who, occurredAt, properties }, person)
}
