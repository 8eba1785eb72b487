import { planNames, type RuleTarget } from './rule-target.ts'

const amountNames = [
  'total',
  'order_total',
  'grand_total',
  'total_price',
  'revenue',
  'value',
  '$revenue',
  'price',
]
const currencyNames = ['currency_code', 'currencyCode']
const orderNames = ['transaction_id', 'orderId', 'transactionId', 'order_number', 'Order ID']

export const purchase: RuleTarget = {
  target: '$purchase',
  names: {
    seed: ['order_completed'],
    kin: [
      'transaction',
      'buy_item',
      'checkout_success',
      'checkout_completed',
      'checkout_complete',
      'purchase_completed',
      'purchase_complete',
      'purchase_success',
      'purchased',
      'order_placed',
      'order_complete',
      'order_paid',
      'transaction_completed',
      'payment_completed',
      'payment_succeeded',
      'bought',
    ],
    ga4: ['purchase', 'in_app_purchase', 'ecommerce_purchase'],
    segment: ['Completed Order'],
    mixpanel: ['Item Purchased', 'Purchase Made'],
    amplitude: ['Complete Purchase', 'revenue_amount'],
  },
  synonyms: {
    amount: amountNames,
    currency: currencyNames,
    order_id: orderNames,
    items: ['products', 'line_items', 'lineItems', 'Items'],
    coupon: ['coupon_code', 'promo_code', 'discount_code', 'couponCode'],
  },
}

export const upgrade: RuleTarget = {
  target: '$upgrade',
  names: {
    seed: ['plan_upgraded'],
    kin: ['upgrade', 'upgraded', 'subscription_upgraded', 'account_upgraded'],
    mixpanel: ['Plan Upgrade'],
    amplitude: ['Upgrade Plan'],
  },
  synonyms: {
    from_plan: ['previous_plan', 'old_plan', 'fromPlan', 'previousPlan', 'oldPlan'],
    to_plan: ['new_plan', 'toPlan', 'newPlan', 'plan'],
    amount: ['revenue', 'value', 'price'],
    currency: currencyNames,
  },
}

export const subscribe: RuleTarget = {
  target: '$subscribe',
  names: {
    seed: ['subscription_started'],
    kin: ['subscribe', 'subscribed', 'subscription_created', 'subscription_activated', 'new_subscription'],
    ga4: ['app_store_subscription_convert'],
    mixpanel: ['Subscription Purchase'],
    amplitude: ['Start Subscription'],
  },
  synonyms: {
    plan: [...planNames, 'product_id'],
    amount: ['total', 'revenue', 'value', 'price', '$revenue'],
    currency: currencyNames,
    interval: ['billing_interval', 'billing_period', 'billing_cycle', 'billingInterval'],
    trial: ['is_trial', 'isTrial'],
  },
}

export const refund: RuleTarget = {
  target: '$refund',
  names: {
    kin: ['refunded', 'refund_issued', 'refund_created', 'payment_refunded', 'transaction_refunded'],
    ga4: ['refund', 'app_store_refund'],
    segment: ['Order Refunded'],
  },
  synonyms: {
    amount: ['refund_amount', 'refundAmount', ...amountNames],
    currency: currencyNames,
    order_id: orderNames,
    reason: ['refund_reason', 'refundReason'],
  },
}
