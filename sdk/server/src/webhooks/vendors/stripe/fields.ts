import { fromMinor, type Money } from '../../money.ts'
import type { Who } from '../../normal-form.ts'
import { at, firstText, textAt } from '../../payload.ts'

/** A reference is an id, or the whole object where the customer asked for it. */
export function referenceAt(object: unknown, name: string): string | undefined {
  return textAt(object, name) ?? textAt(object, `${name}.id`)
}

export function whoOf(object: unknown): Who {
  return {
    userId: firstText(object, 'client_reference_id', 'metadata.user_id', 'metadata.userId'),
    vendorId: referenceAt(object, 'customer'),
    email: firstText(
      object,
      'customer_details.email',
      'customer_email',
      'receipt_email',
      'billing_details.email',
    ),
  }
}

export const planOf = (item: unknown) =>
  firstText(item, 'price.lookup_key', 'price.nickname', 'price.id', 'plan.id')

/** Fractions of a cent are sent as text next to an empty integer. */
export function priceOf(item: unknown): Money | null {
  const unit = at(item, 'price.unit_amount') ?? at(item, 'price.unit_amount_decimal')
  return fromMinor('stripe', unit, at(item, 'price.currency'), at(item, 'quantity') ?? 1)
}

export const orderOf = (object: unknown, ...others: readonly string[]) =>
  textAt(object, 'metadata.order_id') ??
  others.map((name) => referenceAt(object, name)).find((reference) => reference !== undefined)
