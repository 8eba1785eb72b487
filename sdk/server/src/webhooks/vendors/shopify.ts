import { fromMajor, sumMajor } from '../money.ts'
import {
  fullName,
  identify,
  known,
  mapped,
  type Normalised,
  toItem,
  unmapped,
  type Who,
  withMoney,
} from '../normal-form.ts'
import { at, firstText, listAt, textAt, timeAt } from '../payload.ts'
import { bodyHmac } from '../schemes.ts'
import { type Header, readObject, type Vendor, type VendorEvent } from '../vendor.ts'

/**
 * Deliveries of the newer "Events" use the same names without `X-`, sometimes in addition to the old ones.
 */
function shopHeader(header: Header, name: string): string | undefined {
  return header(`shopify-${name}`) ?? header(`x-shopify-${name}`)
}

export const shopify: Vendor = {
  provider: 'shopify',
  normalise,
  verify: bodyHmac({
    headers: ['shopify-hmac-sha256', 'x-shopify-hmac-sha256'],
    encoding: 'base64',
    digest: 'SHA-256',
  }),
  read: (body, header) =>
    readObject(body, (payload) => {
      const topic = shopHeader(header, 'topic') ?? 'unknown'
      // One action of a merchant fans out to several topics with the same event id.
      const eventId = shopHeader(header, 'event-id') ?? shopHeader(header, 'webhook-id')
      return {
        id: eventId === undefined ? null : `${topic}:${eventId}`,
        type: topic,
        occurredAt: timeAt(payload, 'processed_at', 'iso') ?? timeAt(payload, 'created_at', 'iso') ?? null,
        isTest: payload.test === true,
      }
    }),
}

function normalise({ type, occurredAt, payload }: VendorEvent): Normalised {
  const id = textAt(payload, 'id')
  // The topic is not signed, so the body has to look like it.
  const isOrder = textAt(payload, 'total_price') !== undefined && Array.isArray(payload.line_items)
  switch (type) {
    case 'orders/paid':
      return id !== undefined && isOrder ? purchase(payload, id, occurredAt) : unmapped('unexpected_shape')
    case 'refunds/create':
      return id !== undefined && Array.isArray(payload.transactions)
        ? refund(payload, id, occurredAt)
        : unmapped('unexpected_shape')
    case 'customers/create':
    case 'customers/update':
      return id !== undefined && !isOrder && !('transactions' in payload)
        ? customer(payload, id, occurredAt, type === 'customers/create')
        : unmapped('unexpected_shape')
    case 'orders/create':
    case 'orders/updated':
    case 'order_transactions/create':
      return unmapped('told_elsewhere')
    default:
      return unmapped('no_rule')
  }
}

function purchase(order: unknown, id: string, occurredAt: number | null): Normalised {
  const who: Who = {
    vendorId: textAt(order, 'customer.id'),
    email: firstText(order, 'email', 'customer.email', 'contact_email'),
  }
  const items = listAt(order, 'line_items').map((line) =>
    toItem(line, firstText(line, 'sku', 'variant_id', 'product_id'), 'quantity'),
  )
  return withMoney(fromMajor(at(order, 'total_price'), at(order, 'currency')), (money) => ({
    event: '$purchase',
    key: `order:${id}:paid`,
    who,
    occurredAt,
    properties: known({
      ...money,
      order_id: id,
      order_name: textAt(order, 'name'),
      items,
      coupon: textAt(order, 'discount_codes.0.code'),
    }),
  }))
}

/** A refund without money, such as a return to stock, is not a refund. */
function refund(object: unknown, id: string, occurredAt: number | null): Normalised {
  const paid = listAt(object, 'transactions').filter(
    (transaction) => textAt(transaction, 'kind') === 'refund' && textAt(transaction, 'status') !== 'failure',
  )
  if (paid.length === 0) return unmapped('no_rule')
  const currencies = new Set(paid.map((transaction) => textAt(transaction, 'currency')))
  const amounts = paid.map((transaction) => at(transaction, 'amount'))
  const money = currencies.size === 1 ? sumMajor(amounts, [...currencies][0]) : null
  return withMoney(money, (total) => ({
    event: '$refund',
    key: `refund:${id}`,
    who: { vendorId: textAt(object, 'customer.id') ?? orderAsPerson(object) },
    occurredAt,
    properties: known({ ...total, order_id: textAt(object, 'order_id'), reason: textAt(object, 'note') }),
  }))
}

/** A refund names no customer; refunds of one order are at least grouped. */
function orderAsPerson(object: unknown): string | undefined {
  const orderId = textAt(object, 'order_id')
  return orderId === undefined ? undefined : `order-${orderId}`
}

function customer(object: unknown, id: string, occurredAt: number | null, isNew: boolean): Normalised {
  const who: Who = { vendorId: id, email: textAt(object, 'email') }
  const name = fullName(textAt(object, 'first_name'), textAt(object, 'last_name'))
  const person = identify(`customer:${id}:${textAt(object, 'updated_at') ?? occurredAt}`, who, occurredAt, {
    email: who.email,
    name,
  })
  if (!isNew) return mapped(person)
  const signup = {
    event: '$signup',
    key: `customer:${id}:signup`,
    who,
    occurredAt,
    properties: { method: 'shopify' },
  }
  return mapped(signup, person)
}
