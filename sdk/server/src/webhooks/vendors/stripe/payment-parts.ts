import { type Normalised, type Payment, unmapped } from '../../normal-form.ts'
import { at } from '../../payload.ts'
import { referenceAt } from './fields.ts'

/** Which payment paid which invoice: since 2025 neither of the two says so. */
export function link(object: unknown): Normalised {
  const references = [
    ...referencesOf(at(object, 'payment'), 'payment_intent', 'charge'),
    ...referencesOf(object, 'invoice'),
  ]
  return { ...unmapped('told_elsewhere'), payment: { references, role: 'link' } }
}

/** Ids of Stripe have letters, digits and underscores; anything else names no payment. */
export function referencesOf(object: unknown, ...names: readonly string[]): string[] {
  return names.map((name) => referenceAt(object, name) ?? '').filter((text) => /^\w{1,255}$/.test(text))
}

export function ofPayment(
  made: Normalised,
  references: readonly string[],
  role: Payment['role'],
): Normalised {
  return made.events.length === 0 || references.length === 0
    ? made
    : { ...made, payment: { references, role } }
}
