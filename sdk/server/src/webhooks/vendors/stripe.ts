import { identify, mapped, type Normalised, type NormalisedEvent, unmapped } from '../normal-form.ts'
import { at, flagAt, textAt, timeAt } from '../payload.ts'
import { stampedHmac } from '../schemes.ts'
import { readObject, type Vendor, type VendorEvent } from '../vendor.ts'
import { whoOf } from './stripe/fields.ts'
import { link } from './stripe/payment-parts.ts'
import { charge, intent, invoicePayment, purchase, refund, refundedCharge } from './stripe/payments.ts'
import { change, churn, subscribe } from './stripe/subscriptions.ts'

export const stripe: Vendor = {
  provider: 'stripe',
  normalise,
  // The secret's characters are the key, `whsec_` included: nothing is decoded, unlike in Standard Webhooks.
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

function normalise({ id, type, occurredAt, payload }: VendorEvent): Normalised {
  const object = at(payload, 'data.object')
  // A thin event names its object without its content.
  if (object === undefined) return unmapped('no_rule')
  switch (type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
      return purchase(object, occurredAt)
    case 'customer.subscription.created':
      return subscribe(object, occurredAt)
    case 'customer.subscription.updated':
      return change(object, at(payload, 'data.previous_attributes'), id, occurredAt)
    case 'customer.subscription.deleted':
      return mapped(churn(object, occurredAt))
    case 'refund.created':
    case 'refund.updated':
    case 'charge.refund.updated':
      return refund(object, occurredAt)
    case 'charge.refunded':
      return refundedCharge(object, occurredAt)
    case 'invoice.paid':
      return invoicePayment(object, occurredAt)
    case 'payment_intent.succeeded':
      return intent(object, occurredAt)
    case 'charge.succeeded':
    case 'charge.captured':
      return charge(object, occurredAt)
    case 'invoice_payment.paid':
      return link(object)
    case 'customer.created':
    case 'customer.updated':
      return mapped(person(object, id, occurredAt))
    // Another name of what is handled above.
    case 'invoice.payment_succeeded':
      return unmapped('told_elsewhere')
    default:
      return unmapped('no_rule')
  }
}

function person(customer: unknown, id: string | null, occurredAt: number | null): NormalisedEvent {
  const who = { ...whoOf(customer), vendorId: textAt(customer, 'id'), email: textAt(customer, 'email') }
  return identify(`identify:${id}`, who, occurredAt, { email: who.email, name: textAt(customer, 'name') })
}
