import {
  known,
  mapped,
  type Normalised,
  type NormalisedEvent,
  tenureDays,
  unmapped,
  withMoney,
} from '../../normal-form.ts'
import { at, firstText, textAt, timeAt } from '../../payload.ts'
import { planOf, priceOf, whoOf } from './fields.ts'
import { ofPayment, referencesOf } from './payment-parts.ts'

export function subscribe(subscription: unknown, occurredAt: number | null): Normalised {
  const status = textAt(subscription, 'status')
  // The first payment has not succeeded yet; an update follows when it has.
  if (status === 'incomplete' || status === 'incomplete_expired') return unmapped('not_final')
  const item = at(subscription, 'items.data.0')
  const plan = planOf(item)
  if (plan === undefined) return unmapped('incomplete')
  const made = withMoney(priceOf(item), (price) => ({
    event: '$subscribe',
    key: `subscription:${textAt(subscription, 'id')}:started`,
    who: whoOf(subscription),
    occurredAt,
    properties: known({
      plan,
      ...price,
      interval: textAt(item, 'price.recurring.interval'),
      trial: status === 'trialing',
      subscription_id: textAt(subscription, 'id'),
    }),
  }))
  return ofPayment(made, referencesOf(subscription, 'latest_invoice'), 'elsewhere')
}

export function change(
  subscription: unknown,
  before: unknown,
  id: string | null,
  occurredAt: number | null,
): Normalised {
  if (textAt(before, 'status') === 'incomplete') return subscribe(subscription, occurredAt)
  const [oldItem, newItem] = [at(before, 'items.data.0'), at(subscription, 'items.data.0')]
  const [fromPlan, toPlan] = [planOf(oldItem), planOf(newItem)]
  if (fromPlan === undefined || toPlan === undefined || fromPlan === toPlan) return unmapped('no_rule')
  const [oldPrice, newPrice] = [priceOf(oldItem), priceOf(newItem)]
  const isLower =
    oldPrice !== null && newPrice?.currency === oldPrice.currency && newPrice.amount < oldPrice.amount
  return mapped({
    event: '$upgrade',
    key: `subscription:${textAt(subscription, 'id')}:plan:${id}`,
    who: whoOf(subscription),
    occurredAt,
    properties: known({
      from_plan: fromPlan,
      to_plan: toPlan,
      ...newPrice,
      direction: isLower ? 'downgrade' : undefined,
      subscription_id: textAt(subscription, 'id'),
    }),
  })
}

export function churn(subscription: unknown, occurredAt: number | null): NormalisedEvent {
  const endedAt = timeAt(subscription, 'ended_at', 's') ?? timeAt(subscription, 'canceled_at', 's')
  const startedAt = timeAt(subscription, 'start_date', 's') ?? timeAt(subscription, 'created', 's')
  return {
    event: '$churn',
    key: `subscription:${textAt(subscription, 'id')}:ended`,
    who: whoOf(subscription),
    occurredAt: endedAt ?? occurredAt,
    properties: known({
      reason:
        firstText(subscription, 'cancellation_details.feedback', 'cancellation_details.reason') ??
        'unspecified',
      comment: textAt(subscription, 'cancellation_details.comment'),
      plan: planOf(at(subscription, 'items.data.0')),
      tenure_days: tenureDays(startedAt, endedAt),
      subscription_id: textAt(subscription, 'id'),
    }),
  }
}
