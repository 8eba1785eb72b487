import type { Expectation } from '../expectation.ts'

const s = 1_785_542_400
const ms = s * 1000
const iso = '2026-08-01T00:00:00.000Z'
const dayMs = 86_400_000

const paddle = (type: string, data: object) => ({
  event_id: `evt_${type}`,
  event_type: type,
  occurred_at: iso,
  data,
})
const paddleItem = {
  quantity: 2,
  price: { id: 'pri_1', unit_price: { amount: '1000', currency_code: 'USD' } },
}
const lemon = (name: string, id: string, attributes: object) => ({
  meta: { event_name: name, custom_data: { user_id: 'u_9' } },
  data: { type: 'x', id, attributes: { updated_at: iso, created_at: iso, ...attributes } },
})
const polar = (type: string, data: object) => ({ type, timestamp: iso, data })
const cat = (event: object) => ({
  event: {
    id: 'rc-1',
    event_timestamp_ms: ms,
    app_user_id: 'u_3',
    environment: 'PRODUCTION',
    product_id: 'pro_monthly',
    transaction_id: 't_2',
    original_transaction_id: 't_1',
    purchased_at_ms: ms,
    expiration_at_ms: ms + 30 * dayMs,
    currency: 'JPY',
    price: 4.99,
    price_in_purchased_currency: 650,
    subscriber_attributes: { $email: { value: 'cat@example.com' } },
    ...event,
  },
})
const bee = (type: string, content: object) => ({
  id: `ev_${type}`,
  event_type: type,
  occurred_at: s,
  content,
})
const beeSubscription = {
  id: 'bs_1',
  customer_id: 'bc_1',
  status: 'active',
  currency_code: 'USD',
  billing_period_unit: 'month',
  started_at: s,
  subscription_items: [{ item_type: 'plan', item_price_id: 'basic-USD', amount: 1200 }],
}

export const subscriptionCases: Expectation[] = [
  {
    provider: 'paddle',
    about: 'a one-off transaction',
    body: paddle('transaction.completed', {
      id: 'txn_1',
      origin: 'web',
      subscription_id: null,
      customer_id: 'ctm_1',
      custom_data: { user_id: 'u_5' },
      currency_code: 'JPY',
      discount_id: 'dsc_1',
      items: [paddleItem],
      details: { totals: { grand_total: '1999' } },
    }),
    events: [
      {
        event: '$purchase',
        event_id: 'paddle:transaction:txn_1',
        user_id: 'u_5',
        anonymous_id: 'paddle:ctm_1',
        properties: {
          amount: 1999,
          currency: 'JPY',
          order_id: 'txn_1',
          coupon: 'dsc_1',
          items: [{ sku: 'pri_1', qty: 2 }],
        },
      },
    ],
  },
  {
    provider: 'paddle',
    about: 'the first transaction of a subscription',
    body: paddle('transaction.completed', { id: 'txn_2', origin: 'web', subscription_id: 'sub_1' }),
    left: 'told_elsewhere',
  },
  {
    provider: 'paddle',
    about: 'a renewal',
    body: paddle('transaction.completed', {
      id: 'txn_3',
      origin: 'subscription_recurring',
      subscription_id: 'sub_1',
      currency_code: 'USD',
      details: { totals: { grand_total: '2000' } },
    }),
    events: [{ event: '$purchase', properties: { amount: 20, renewal: true, subscription_id: 'sub_1' } }],
  },
  {
    provider: 'paddle',
    about: 'a new subscription',
    body: paddle('subscription.created', {
      id: 'sub_1',
      status: 'trialing',
      customer_id: 'ctm_1',
      billing_cycle: { interval: 'month' },
      items: [paddleItem],
    }),
    events: [
      {
        event: '$subscribe',
        event_id: 'paddle:subscription:sub_1:started',
        properties: { plan: 'pri_1', amount: 20, currency: 'USD', interval: 'month', trial: true },
      },
    ],
  },
  {
    provider: 'paddle',
    about: 'the end of a subscription',
    body: paddle('subscription.canceled', {
      id: 'sub_1',
      started_at: '2026-07-01T00:00:00Z',
      canceled_at: iso,
      items: [paddleItem],
    }),
    events: [{ event: '$churn', properties: { reason: 'unspecified', plan: 'pri_1', tenure_days: 31 } }],
  },
  {
    provider: 'paddle',
    about: 'an approved refund',
    body: paddle('adjustment.updated', {
      id: 'adj_1',
      action: 'refund',
      status: 'approved',
      transaction_id: 'txn_1',
      currency_code: 'USD',
      totals: { total: '500' },
      reason: 'error',
    }),
    events: [{ event: '$refund', properties: { amount: 5, order_id: 'txn_1', reason: 'error' } }],
  },
  {
    provider: 'paddle',
    about: 'a refund that waits for approval',
    body: paddle('adjustment.created', { id: 'adj_1', action: 'refund', status: 'pending_approval' }),
    left: 'not_final',
  },
  {
    provider: 'lemonsqueezy',
    about: 'a paid order',
    body: lemon('order_created', '5', {
      status: 'paid',
      total: 999,
      total_formatted: '$9.99',
      currency: 'USD',
      user_email: 'l@example.com',
      first_order_item: { variant_id: 3, quantity: 1 },
    }),
    events: [
      {
        event: '$purchase',
        user_id: 'u_9',
        properties: { amount: 9.99, currency: 'USD', order_id: '5', items: [{ sku: '3', qty: 1 }] },
      },
    ],
  },
  {
    provider: 'lemonsqueezy',
    about: 'a subscription whose price is in another delivery',
    body: lemon('subscription_created', '7', { variant_name: 'Pro', order_id: 5, status: 'active' }),
    left: 'incomplete',
  },
  {
    provider: 'lemonsqueezy',
    about: 'a renewal',
    body: lemon('subscription_payment_success', '71', {
      billing_reason: 'renewal',
      subscription_id: 7,
      total: 999,
      currency: 'USD',
    }),
    events: [{ event: '$purchase', properties: { amount: 9.99, renewal: true, subscription_id: '7' } }],
  },
  {
    provider: 'lemonsqueezy',
    about: 'a refund',
    body: lemon('order_refunded', '5', { refunded_amount: 100, currency: 'USD' }),
    events: [{ event: '$refund', properties: { amount: 1, currency: 'USD', order_id: '5' } }],
  },
  {
    provider: 'lemonsqueezy',
    about: 'the intention to end',
    body: lemon('subscription_cancelled', '7', {}),
    left: 'not_final',
  },
  {
    provider: 'lemonsqueezy',
    about: 'the end',
    body: lemon('subscription_expired', '7', {
      variant_name: 'Pro',
      created_at: '2026-07-02T00:00:00Z',
      ends_at: iso,
    }),
    events: [{ event: '$churn', properties: { reason: 'expired', plan: 'Pro', tenure_days: 30 } }],
  },
  {
    provider: 'lemonsqueezy',
    about: 'an order of the test mode',
    body: lemon('order_created', '6', { status: 'paid', total: 1, currency: 'USD', test_mode: true }),
    left: 'test',
  },
  {
    provider: 'polar',
    about: 'a paid order',
    headers: { 'webhook-id': 'msg_1' },
    body: polar('order.paid', {
      id: 'o_1',
      billing_reason: 'purchase',
      total_amount: 1000,
      currency: 'usd',
      customer_id: 'pc_1',
      customer: { external_id: 'u_4', email: 'p@example.com' },
      items: [{ product_price_id: 'pp_1' }],
      discount: { code: 'SUMMER' },
    }),
    events: [
      {
        event: '$purchase',
        user_id: 'u_4',
        anonymous_id: 'polar:pc_1',
        properties: {
          amount: 10,
          currency: 'USD',
          order_id: 'o_1',
          coupon: 'SUMMER',
          items: [{ sku: 'pp_1', qty: 1 }],
        },
      },
    ],
  },
  {
    provider: 'polar',
    about: 'the first order of a subscription',
    body: polar('order.paid', {
      id: 'o_2',
      billing_reason: 'subscription_create',
      total_amount: 1,
      currency: 'usd',
    }),
    left: 'told_elsewhere',
  },
  {
    provider: 'polar',
    about: 'an active subscription',
    body: polar('subscription.active', {
      id: 'ps_1',
      status: 'active',
      amount: 2500,
      currency: 'usd',
      recurring_interval: 'month',
      started_at: iso,
      product: { name: 'Team' },
    }),
    events: [
      {
        event: '$subscribe',
        event_id: 'polar:subscription:ps_1:started',
        properties: { plan: 'Team', amount: 25, currency: 'USD', interval: 'month', trial: false },
      },
    ],
  },
  {
    provider: 'polar',
    about: 'a revoked subscription',
    body: polar('subscription.revoked', {
      id: 'ps_1',
      started_at: '2026-07-30T00:00:00Z',
      ended_at: iso,
      customer_cancellation_reason: 'unused',
      product: { name: 'Team' },
    }),
    events: [{ event: '$churn', properties: { reason: 'unused', plan: 'Team', tenure_days: 2 } }],
  },
  {
    provider: 'polar',
    about: 'a refund',
    body: polar('refund.created', {
      id: 'pr_1',
      status: 'succeeded',
      amount: 250,
      currency: 'usd',
      order_id: 'o_1',
    }),
    events: [{ event: '$refund', properties: { amount: 2.5, order_id: 'o_1' } }],
  },
  {
    provider: 'revenuecat',
    about: 'a first purchase, in the currency it was paid in',
    body: cat({ type: 'INITIAL_PURCHASE', period_type: 'NORMAL' }),
    events: [
      {
        event: '$subscribe',
        event_id: 'revenuecat:subscription:t_1:started',
        user_id: 'u_3',
        properties: { plan: 'pro_monthly', amount: 650, currency: 'JPY', interval: 'month', trial: false },
      },
    ],
  },
  {
    provider: 'revenuecat',
    about: 'a renewal of a person whom the app does not name',
    body: cat({ type: 'RENEWAL', app_user_id: '$RCAnonymousID:8069', is_trial_conversion: true }),
    events: [
      {
        event: '$purchase',
        anonymous_id: 'revenuecat:$RCAnonymousID:8069',
        properties: { amount: 650, order_id: 't_2', renewal: true, trial_conversion: true },
        lacks: ['user_id'],
      },
    ],
  },
  {
    provider: 'revenuecat',
    about: 'a refund, as a negative price',
    body: cat({ type: 'CANCELLATION', cancel_reason: 'CUSTOMER_SUPPORT', price_in_purchased_currency: -650 }),
    events: [{ event: '$refund', properties: { amount: 650, currency: 'JPY', order_id: 't_2' } }],
  },
  {
    provider: 'revenuecat',
    about: 'the intention to end',
    body: cat({ type: 'CANCELLATION', cancel_reason: 'UNSUBSCRIBE' }),
    left: 'not_final',
  },
  {
    provider: 'revenuecat',
    about: 'another product',
    body: cat({ type: 'PRODUCT_CHANGE', new_product_id: 'pro_yearly' }),
    events: [{ event: '$upgrade', properties: { from_plan: 'pro_monthly', to_plan: 'pro_yearly' } }],
  },
  {
    provider: 'revenuecat',
    about: 'another product that the store does not name',
    body: cat({ type: 'PRODUCT_CHANGE' }),
    left: 'incomplete',
  },
  {
    provider: 'revenuecat',
    about: 'the end',
    body: cat({
      type: 'EXPIRATION',
      expiration_reason: 'UNSUBSCRIBE',
      purchased_at_ms: ms - 30 * dayMs,
      expiration_at_ms: ms,
    }),
    events: [
      { event: '$churn', properties: { reason: 'unsubscribe', plan: 'pro_monthly', tenure_days: 30 } },
    ],
  },
  {
    provider: 'revenuecat',
    about: 'a purchase in the sandbox',
    body: cat({ type: 'RENEWAL', environment: 'SANDBOX' }),
    left: 'test',
  },
  { provider: 'revenuecat', about: 'a test of the endpoint', body: cat({ type: 'TEST' }), left: 'handshake' },
  {
    provider: 'chargebee',
    about: 'a new subscription',
    body: bee('subscription_created', {
      subscription: beeSubscription,
      customer: { id: 'bc_1', email: 'b@example.com' },
    }),
    events: [
      {
        event: '$subscribe',
        event_id: 'chargebee:con_1:subscription:bs_1:started',
        anonymous_id: 'chargebee:bc_1',
        properties: { plan: 'basic-USD', amount: 12, currency: 'USD', interval: 'month', trial: false },
      },
    ],
  },
  {
    provider: 'chargebee',
    about: 'a subscription of the older catalog, with an exact price next to the rounded one',
    body: bee('subscription_created', {
      subscription: {
        id: 'bs_2',
        status: 'in_trial',
        currency_code: 'KWD',
        plan_id: 'gold',
        plan_amount: 1234,
        plan_amount_in_decimal: '12.345',
      },
    }),
    events: [
      { event: '$subscribe', properties: { plan: 'gold', amount: 12.345, currency: 'KWD', trial: true } },
    ],
  },
  {
    provider: 'chargebee',
    about: 'a one-off payment',
    body: bee('payment_succeeded', {
      transaction: { id: 'bt_1', amount: 900, currency_code: 'USD' },
      invoice: { id: 'bi_1', recurring: false },
    }),
    events: [{ event: '$purchase', properties: { amount: 9, order_id: 'bi_1' } }],
  },
  {
    provider: 'chargebee',
    about: 'the first payment of a subscription',
    body: bee('payment_succeeded', {
      transaction: { id: 'bt_2', amount: 1200, currency_code: 'USD' },
      invoice: { id: 'bi_2', recurring: true, first_invoice: true },
      subscription: beeSubscription,
    }),
    left: 'told_elsewhere',
  },
  {
    provider: 'chargebee',
    about: 'the first payment after a trial, which cost nothing',
    body: bee('payment_succeeded', {
      transaction: { id: 'bt_3', amount: 1200, currency_code: 'USD' },
      invoice: { id: 'bi_3', recurring: true, first_invoice: true },
      subscription: { ...beeSubscription, trial_end: s },
    }),
    events: [{ event: '$purchase', properties: { amount: 12, renewal: true } }],
  },
  {
    provider: 'chargebee',
    about: 'a refund',
    body: bee('payment_refunded', {
      transaction: { id: 'bt_4', amount: 300, currency_code: 'USD' },
      invoice: { id: 'bi_1' },
      credit_note: { reason_code: 'product_unsatisfactory' },
    }),
    events: [
      { event: '$refund', properties: { amount: 3, order_id: 'bi_1', reason: 'product_unsatisfactory' } },
    ],
  },
  {
    provider: 'chargebee',
    about: 'the end',
    body: bee('subscription_cancelled', {
      subscription: {
        ...beeSubscription,
        started_at: s - 5 * 86_400,
        cancelled_at: s,
        cancel_reason_code: 'price',
      },
    }),
    events: [{ event: '$churn', properties: { reason: 'price', plan: 'basic-USD', tenure_days: 5 } }],
  },
]
