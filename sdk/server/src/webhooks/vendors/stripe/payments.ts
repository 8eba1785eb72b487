import { fromMinor, type Money } from '../../money.ts'
import { known, mapped, type Normalised, unmapped, withMoney } from '../../normal-form.ts'
import { at, flagAt, textAt } from '../../payload.ts'
import { orderOf, referenceAt, whoOf } from './fields.ts'
import { ofPayment, referencesOf } from './payment-parts.ts'

export function purchase(session: unknown, occurredAt: number | null): Normalised {
  if (textAt(session, 'payment_status') === 'unpaid') return unmapped('not_final')
  const mode = textAt(session, 'mode')
  const references = referencesOf(session, 'payment_intent', 'invoice', 'id')
  if (mode === 'subscription')
    return { ...unmapped('told_elsewhere'), payment: { references, role: 'elsewhere' } }
  if (mode !== 'payment') return unmapped('no_rule')
  const money = fromMinor('stripe', at(session, 'amount_total'), at(session, 'currency'))
  const made = withMoney(money, (total) => ({
    event: '$purchase',
    key: `checkout:${textAt(session, 'id')}`,
    who: whoOf(session),
    occurredAt,
    properties: known({ ...total, order_id: orderOf(session, 'payment_intent', 'id') }),
  }))
  return ofPayment(made, references, 'report')
}

export function refund(object: unknown, occurredAt: number | null): Normalised {
  const status = textAt(object, 'status')
  if (status !== 'succeeded' && status !== 'pending') return unmapped('not_final')
  const money = fromMinor('stripe', at(object, 'amount'), at(object, 'currency'))
  return refunded(object, money, occurredAt, textAt(object, 'id') ?? null)
}

/** The sum of all refunds of the charge so far. */
export function refundedCharge(object: unknown, occurredAt: number | null): Normalised {
  const money = fromMinor('stripe', at(object, 'amount_refunded'), at(object, 'currency'))
  return refunded(object, money, occurredAt, null)
}

function refunded(
  object: unknown,
  money: Money | null,
  occurredAt: number | null,
  id: string | null,
): Normalised {
  if (money === null) return unmapped('amount_unknown')
  const names = id === null ? ['payment_intent', 'id', 'invoice'] : ['payment_intent', 'charge']
  const made = mapped({
    event: '$refund',
    key: `refund:${id}`,
    who: whoOf(object),
    occurredAt,
    properties: known({ ...money, order_id: orderOf(object, ...names), reason: textAt(object, 'reason') }),
  })
  const references = referencesOf(object, ...names)
  if (references.length === 0) return id === null ? unmapped('incomplete') : made
  // The metadata of a charge is that of the payment, whose order is known better by what counted it.
  const orderId = id === null ? undefined : textAt(object, 'metadata.order_id')
  return { ...made, payment: { references, role: 'refund', refund: { id, money, orderId } } }
}

/** Every invoice of a subscription but a renewal belongs to its start or to a change of plan. */
export function invoicePayment(invoice: unknown, occurredAt: number | null): Normalised {
  const references = [
    ...referencesOf(invoice, 'payment_intent', 'id', 'charge'),
    ...referencesOf(at(invoice, 'payments.data.0.payment'), 'payment_intent', 'charge'),
  ]
  const subscriptionId =
    referenceAt(invoice, 'parent.subscription_details.subscription') ?? referenceAt(invoice, 'subscription')
  const isRenewal = textAt(invoice, 'billing_reason') === 'subscription_cycle'
  if (!isRenewal && (subscriptionId !== undefined || textAt(invoice, 'billing_reason') !== 'manual'))
    return { ...unmapped('told_elsewhere'), payment: { references, role: 'elsewhere' } }
  const made = withMoney(
    fromMinor('stripe', at(invoice, 'amount_paid'), at(invoice, 'currency')),
    (money) => ({
      event: '$purchase',
      key: `invoice:${textAt(invoice, 'id')}`,
      who: whoOf(invoice),
      occurredAt,
      properties: known({
        ...money,
        order_id: isRenewal ? textAt(invoice, 'id') : orderOf(invoice, 'id'),
        renewal: isRenewal ? true : undefined,
        subscription_id: subscriptionId,
      }),
    }),
  )
  // A checkout may write an invoice, too; then the checkout counts.
  return ofPayment(made, references, isRenewal ? 'report' : 'fallback')
}

export function intent(object: unknown, occurredAt: number | null): Normalised {
  const amount = at(object, 'amount_received') ?? at(object, 'amount')
  return fallback(object, amount, referencesOf(object, 'id', 'invoice', 'latest_charge'), occurredAt)
}

/** A charge that is only authorised is captured later, or never. */
export function charge(object: unknown, occurredAt: number | null): Normalised {
  if (flagAt(object, 'captured') === false) return unmapped('not_final')
  const amount = at(object, 'amount_captured') ?? at(object, 'amount')
  return fallback(object, amount, referencesOf(object, 'payment_intent', 'invoice', 'id'), occurredAt)
}

function fallback(
  object: unknown,
  amount: unknown,
  named: readonly string[],
  occurredAt: number | null,
): Normalised {
  // Since 2025 a payment names its invoice here, if at all.
  const invoice = textAt(object, 'payment_details.order_reference')
  const references = invoice?.startsWith('in_') === true ? [...named, invoice] : named
  const [first] = references
  if (first === undefined) return unmapped('incomplete')
  const made = withMoney(fromMinor('stripe', amount, at(object, 'currency')), (money) => ({
    event: '$purchase',
    key: `payment:${first}`,
    who: whoOf(object),
    occurredAt,
    properties: known({ ...money, order_id: textAt(object, 'metadata.order_id') ?? first }),
  }))
  return ofPayment(made, references, 'fallback')
}
