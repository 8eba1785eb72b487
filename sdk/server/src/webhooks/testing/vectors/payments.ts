import type { Expectation } from '../expectation.ts'

/** 2026-08-01T00:00:00Z */
const s = 1_785_542_400
const iso = '2026-08-01T00:00:00.000Z'
const dayS = 86_400

const stripe = (type: string, object: object, previous?: object) => ({
  id: `evt_${type}`,
  object: 'event',
  type,
  created: s,
  livemode: true,
  data: { object, ...(previous && { previous_attributes: previous }) },
})
const stripeItem = (id: string, unitAmount: number, quantity = 1) => ({
  quantity,
  price: { id, unit_amount: unitAmount, currency: 'eur', recurring: { interval: 'month' } },
})
const subscription = (status: string, item: object) => ({
  id: 'sub_1',
  status,
  customer: 'cus_1',
  created: s - 40 * dayS,
  start_date: s - 40 * dayS,
  ended_at: s,
  items: { data: [item] },
  cancellation_details: { feedback: 'too_expensive', comment: 'hm' },
})
const session = {
  id: 'cs_1',
  mode: 'payment',
  payment_status: 'paid',
  amount_total: 1999,
  currency: 'eur',
  payment_intent: 'pi_1',
  customer: 'cus_1',
  client_reference_id: 'u_17',
  customer_details: { email: 'ada@example.com' },
}

export const stripeCases: Expectation[] = [
  {
    provider: 'stripe',
    about: 'a paid checkout',
    body: stripe('checkout.session.completed', session),
    events: [
      {
        event: '$purchase',
        user_id: 'u_17',
        anonymous_id: 'stripe:cus_1',
        event_id: 'stripe:checkout:cs_1',
        ts: iso,
        properties: { amount: 19.99, currency: 'EUR', order_id: 'pi_1' },
      },
    ],
  },
  {
    provider: 'stripe',
    about: 'a checkout whose payment is under way',
    body: stripe('checkout.session.completed', { ...session, payment_status: 'unpaid' }),
    left: 'not_final',
  },
  {
    provider: 'stripe',
    about: 'the checkout of a subscription, which the subscription reports',
    body: stripe('checkout.session.completed', { ...session, mode: 'subscription' }),
    left: 'told_elsewhere',
  },
  {
    provider: 'stripe',
    about: 'a new subscription, by quantity',
    body: stripe('customer.subscription.created', subscription('active', stripeItem('price_pro', 1050, 3))),
    events: [
      {
        event: '$subscribe',
        event_id: 'stripe:subscription:sub_1:started',
        anonymous_id: 'stripe:cus_1',
        properties: { plan: 'price_pro', amount: 31.5, currency: 'EUR', interval: 'month', trial: false },
      },
    ],
  },
  {
    provider: 'stripe',
    about: 'a subscription whose first payment is open',
    body: stripe('customer.subscription.created', subscription('incomplete', stripeItem('price_pro', 1050))),
    left: 'not_final',
  },
  {
    provider: 'stripe',
    about: 'that the first payment came through: the same start',
    body: stripe('customer.subscription.updated', subscription('active', stripeItem('price_pro', 1050)), {
      status: 'incomplete',
    }),
    events: [{ event: '$subscribe', event_id: 'stripe:subscription:sub_1:started' }],
  },
  {
    provider: 'stripe',
    about: 'a larger plan',
    body: stripe('customer.subscription.updated', subscription('active', stripeItem('price_max', 9900)), {
      items: { data: [stripeItem('price_pro', 1050)] },
    }),
    events: [
      {
        event: '$upgrade',
        properties: { from_plan: 'price_pro', to_plan: 'price_max', amount: 99, currency: 'EUR' },
        lacks: ['direction'],
      },
    ],
  },
  {
    provider: 'stripe',
    about: 'a smaller plan',
    body: stripe('customer.subscription.updated', subscription('active', stripeItem('price_pro', 1050)), {
      items: { data: [stripeItem('price_max', 9900)] },
    }),
    events: [{ event: '$upgrade', properties: { from_plan: 'price_max', direction: 'downgrade' } }],
  },
  {
    provider: 'stripe',
    about: 'the end of a subscription',
    body: stripe('customer.subscription.deleted', subscription('canceled', stripeItem('price_pro', 1050))),
    events: [
      {
        event: '$churn',
        properties: { reason: 'too_expensive', comment: 'hm', plan: 'price_pro', tenure_days: 40 },
      },
    ],
  },
  {
    provider: 'stripe',
    about: 'a refund',
    body: stripe('refund.created', {
      id: 're_1',
      amount: 500,
      currency: 'eur',
      status: 'succeeded',
      payment_intent: 'pi_1',
      reason: 'requested_by_customer',
    }),
    events: [
      {
        event: '$refund',
        event_id: 'stripe:refund:re_1',
        properties: { amount: 5, currency: 'EUR', order_id: 'pi_1', reason: 'requested_by_customer' },
      },
    ],
  },
  {
    provider: 'stripe',
    about: 'the sum of all refunds, which would count them again',
    body: stripe('charge.refunded', { id: 'ch_1', amount_refunded: 500, currency: 'eur' }),
    left: 'told_elsewhere',
    needsMemory: true,
  },
  {
    provider: 'stripe',
    about: 'a payment, which a checkout or an invoice may report as well',
    body: stripe('payment_intent.succeeded', { id: 'pi_9', amount_received: 500, currency: 'eur' }),
    left: 'told_elsewhere',
    needsMemory: true,
  },
  {
    provider: 'stripe',
    about: 'a charge, which a payment may report as well',
    body: stripe('charge.succeeded', { id: 'ch_9', amount: 500, captured: true, currency: 'eur' }),
    left: 'told_elsewhere',
    needsMemory: true,
  },
  {
    provider: 'stripe',
    about: 'a charge that is not captured',
    body: stripe('charge.succeeded', { id: 'ch_8', amount: 500, captured: false, currency: 'eur' }),
    left: 'not_final',
  },
  {
    provider: 'stripe',
    about: 'which payment paid which invoice',
    body: stripe('invoice_payment.paid', {
      id: 'inpay_1',
      invoice: 'in_9',
      payment: { type: 'payment_intent', payment_intent: 'pi_9' },
    }),
    left: 'told_elsewhere',
  },
  {
    provider: 'stripe',
    about: 'a renewal',
    body: stripe('invoice.paid', {
      id: 'in_2',
      amount_paid: 1050,
      currency: 'eur',
      billing_reason: 'subscription_cycle',
      customer: 'cus_1',
      parent: { subscription_details: { subscription: 'sub_1' } },
    }),
    events: [
      {
        event: '$purchase',
        event_id: 'stripe:invoice:in_2',
        properties: { amount: 10.5, order_id: 'in_2', renewal: true, subscription_id: 'sub_1' },
      },
    ],
  },
  {
    provider: 'stripe',
    about: 'the first invoice of a subscription',
    body: stripe('invoice.paid', {
      id: 'in_1',
      amount_paid: 1050,
      currency: 'eur',
      billing_reason: 'subscription_create',
    }),
    left: 'told_elsewhere',
  },
  {
    provider: 'stripe',
    about: 'a customer',
    body: stripe('customer.created', { id: 'cus_1', email: 'ada@example.com', name: 'Ada' }),
    events: [
      {
        event: '$identify',
        anonymous_id: 'stripe:cus_1',
        properties: { user_id: 'cus_1', email: 'ada@example.com', name: 'Ada' },
      },
    ],
  },
  {
    provider: 'stripe',
    about: 'a thin event',
    body: {
      id: 'evt_thin',
      object: 'v2.core.event',
      type: 'v1.billing.meter.error_report_triggered',
      created: iso,
    },
    left: 'no_rule',
  },
  {
    provider: 'stripe',
    about: 'something from the test mode',
    body: { ...stripe('checkout.session.completed', session), livemode: false },
    left: 'test',
  },
]

const order = {
  id: 450789469,
  name: '#1001',
  total_price: '598.94',
  currency: 'USD',
  processed_at: iso,
  email: 'bob@example.com',
  customer: { id: 207119551 },
  discount_codes: [{ code: 'TENOFF' }],
  line_items: [{ sku: 'IPOD-1', quantity: 2 }],
}
const refund = (transactions: object[]) => ({
  id: 509562969,
  order_id: 450789469,
  note: 'broken',
  created_at: iso,
  transactions,
})
const shop = (topic: string) => ({ 'x-shopify-topic': topic, 'x-shopify-event-id': `e-${topic}` })

export const shopCases: Expectation[] = [
  {
    provider: 'shopify',
    about: 'a paid order',
    headers: shop('orders/paid'),
    body: order,
    events: [
      {
        event: '$purchase',
        event_id: 'shopify:order:450789469:paid',
        anonymous_id: 'shopify:207119551',
        properties: {
          amount: 598.94,
          currency: 'USD',
          order_id: '450789469',
          coupon: 'TENOFF',
          items: [{ sku: 'IPOD-1', qty: 2 }],
        },
      },
    ],
  },
  {
    provider: 'shopify',
    about: 'an order that is only placed',
    headers: shop('orders/create'),
    body: order,
    left: 'told_elsewhere',
  },
  {
    provider: 'shopify',
    about: 'a body that does not fit the topic in the unsigned header',
    headers: shop('orders/paid'),
    body: { id: 1, email: 'x@example.com' },
    left: 'unexpected_shape',
  },
  {
    provider: 'shopify',
    about: 'a refund in parts, without the rest of floating point',
    headers: shop('refunds/create'),
    body: refund([
      { kind: 'refund', status: 'success', amount: '0.10', currency: 'USD' },
      { kind: 'refund', status: 'success', amount: '0.20', currency: 'USD' },
      { kind: 'refund', status: 'failure', amount: '99.00', currency: 'USD' },
      { kind: 'void', amount: '5.00', currency: 'USD' },
    ]),
    events: [{ event: '$refund', properties: { amount: 0.3, order_id: '450789469', reason: 'broken' } }],
  },
  {
    provider: 'shopify',
    about: 'a refund in two currencies',
    headers: shop('refunds/create'),
    body: refund([
      { kind: 'refund', amount: '1.00', currency: 'USD' },
      { kind: 'refund', amount: '1.00', currency: 'EUR' },
    ]),
    left: 'amount_unknown',
  },
  {
    provider: 'shopify',
    about: 'a new customer',
    headers: shop('customers/create'),
    body: { id: 7, email: 'bob@example.com', first_name: 'Bob', last_name: 'Norman', created_at: iso },
    events: [
      { event: '$signup', properties: { method: 'shopify' } },
      { event: '$identify', properties: { user_id: '7', email: 'bob@example.com', name: 'Bob Norman' } },
    ],
  },
  {
    provider: 'woocommerce',
    about: 'a paid order with a refund: each of them once, whichever delivery reports it',
    headers: { 'x-wc-webhook-topic': 'order.updated' },
    body: {
      id: 727,
      status: 'completed',
      total: '29.35',
      currency: 'USD',
      date_paid_gmt: '2026-08-01T00:00:00',
      date_modified_gmt: '2026-08-01T00:30:00',
      customer_id: 0,
      billing: { email: 'John.Doe@Example.com' },
      line_items: [{ sku: '', product_id: 93, quantity: 2 }],
      coupon_lines: [{ code: 'ten' }],
      refunds: [{ id: 728, total: '-10.00', reason: 'late' }],
    },
    events: [
      {
        event: '$purchase',
        event_id: 'woocommerce:con_1:order:727:paid',
        ts: iso,
        properties: { amount: 29.35, order_id: '727', coupon: 'ten', items: [{ sku: '93', qty: 2 }] },
      },
      {
        event: '$refund',
        event_id: 'woocommerce:con_1:refund:728',
        properties: { amount: 10, currency: 'USD', order_id: '727', reason: 'late' },
      },
    ],
  },
  {
    provider: 'woocommerce',
    about: 'an order that is not paid',
    headers: { 'x-wc-webhook-topic': 'order.created' },
    body: { id: 1, status: 'pending', total: '1.00', currency: 'USD', line_items: [], date_paid_gmt: null },
    left: 'not_final',
  },
  {
    provider: 'woocommerce',
    about: 'a deleted order',
    headers: { 'x-wc-webhook-topic': 'order.deleted' },
    body: { id: 1 },
    left: 'no_rule',
  },
  {
    provider: 'woocommerce',
    about: 'a new customer',
    headers: { 'x-wc-webhook-topic': 'customer.created' },
    body: { id: 25, email: 'jo@example.com', first_name: 'Jo', date_modified_gmt: '2026-08-01T00:00:00' },
    events: [{ event: '$signup' }, { event: '$identify', properties: { user_id: '25', name: 'Jo' } }],
  },
]

const adyen = (item: object) => ({
  live: 'true',
  notificationItems: [
    {
      NotificationRequestItem: {
        pspReference: '7914073381342284',
        merchantAccountCode: 'Shop',
        merchantReference: 'order-1',
        amount: { value: 1130, currency: 'EUR' },
        eventDate: '2026-08-01T00:00:00+00:00',
        success: 'true',
        additionalData: { shopperReference: 'forged' },
        ...item,
      },
    },
  ],
})

export const processorCases: Expectation[] = [
  {
    provider: 'adyen',
    about: 'an authorised payment; the shopper in the unsigned part is not believed',
    body: adyen({ eventCode: 'AUTHORISATION' }),
    events: [
      {
        event: '$purchase',
        event_id: 'adyen:payment:7914073381342284',
        anonymous_id: 'adyen:order-order-1',
        properties: { amount: 11.3, currency: 'EUR', order_id: 'order-1' },
        lacks: ['user_id'],
      },
    ],
  },
  {
    provider: 'adyen',
    about: 'a refused payment',
    body: adyen({ eventCode: 'AUTHORISATION', success: 'false' }),
    left: 'not_final',
  },
  { provider: 'adyen', about: 'a capture', body: adyen({ eventCode: 'CAPTURE' }), left: 'told_elsewhere' },
  {
    provider: 'adyen',
    about: 'a refund and a chargeback',
    body: {
      live: 'true',
      notificationItems: [
        ...adyen({ eventCode: 'REFUND', reason: 'returned' }).notificationItems,
        ...adyen({ eventCode: 'CHARGEBACK', pspReference: 'x2' }).notificationItems,
      ],
    },
    events: [
      { event: '$refund', properties: { amount: 11.3, order_id: 'order-1', reason: 'returned' } },
      { event: '$refund', properties: { reason: 'chargeback' } },
    ],
  },
  {
    provider: 'adyen',
    about: 'something from the test environment',
    body: { ...adyen({ eventCode: 'AUTHORISATION' }), live: 'false' },
    left: 'test',
  },
  {
    provider: 'square',
    about: 'a completed payment',
    body: {
      type: 'payment.updated',
      event_id: 'e1',
      created_at: iso,
      data: {
        object: {
          payment: {
            id: 'pay_1',
            status: 'COMPLETED',
            order_id: 'ord_1',
            customer_id: 'C1',
            total_money: { amount: 100, currency: 'USD' },
          },
        },
      },
    },
    events: [
      {
        event: '$purchase',
        event_id: 'square:payment:pay_1:completed',
        anonymous_id: 'square:C1',
        properties: { amount: 1, currency: 'USD', order_id: 'ord_1' },
      },
    ],
  },
  {
    provider: 'square',
    about: 'an amount beyond what JSON carries exactly',
    body: {
      type: 'payment.updated',
      event_id: 'e2',
      created_at: iso,
      data: {
        object: {
          payment: {
            id: 'pay_2',
            status: 'COMPLETED',
            total_money: { amount: 2 ** 54, currency: 'USD' },
          },
        },
      },
    },
    left: 'amount_unknown',
  },
  {
    provider: 'square',
    about: 'a refund',
    body: {
      type: 'refund.updated',
      event_id: 'e3',
      created_at: iso,
      data: {
        object: {
          refund: {
            id: 'ref_1',
            status: 'COMPLETED',
            payment_id: 'pay_1',
            amount_money: { amount: 55, currency: 'USD' },
            reason: 'x',
          },
        },
      },
    },
    events: [{ event: '$refund', properties: { amount: 0.55, order_id: 'pay_1', reason: 'x' } }],
  },
  {
    provider: 'square',
    about: 'a subscription with a price of its own',
    body: {
      type: 'subscription.created',
      event_id: 'e4',
      created_at: iso,
      data: {
        object: {
          subscription: {
            id: 'sub_1',
            status: 'ACTIVE',
            customer_id: 'C1',
            plan_variation_id: 'P1',
            price_override_money: { amount: 1500, currency: 'JPY' },
          },
        },
      },
    },
    events: [{ event: '$subscribe', properties: { plan: 'P1', amount: 1500, currency: 'JPY' } }],
  },
  {
    provider: 'square',
    about: 'a subscription at the price of the catalog, which is not sent',
    body: {
      type: 'subscription.created',
      event_id: 'e5',
      created_at: iso,
      data: { object: { subscription: { id: 'sub_2', status: 'ACTIVE', plan_variation_id: 'P1' } } },
    },
    left: 'amount_unknown',
  },
  {
    provider: 'square',
    about: 'a cancelled subscription',
    body: {
      type: 'subscription.updated',
      event_id: 'e6',
      created_at: iso,
      data: {
        object: {
          subscription: {
            id: 'sub_1',
            status: 'CANCELED',
            plan_variation_id: 'P1',
            start_date: '2026-07-01',
            canceled_date: '2026-08-01',
          },
        },
      },
    },
    events: [{ event: '$churn', properties: { reason: 'canceled', plan: 'P1', tenure_days: 31 } }],
  },
  {
    provider: 'square',
    about: 'a test notification',
    body: { type: 'webhooks.test_notification', event_id: 'e7', created_at: iso, data: {} },
    left: 'handshake',
  },
  {
    provider: 'razorpay',
    about: 'a captured payment',
    headers: { 'x-razorpay-event-id': 'rzp1' },
    body: {
      event: 'payment.captured',
      created_at: s,
      payload: {
        payment: {
          entity: {
            id: 'pay_1',
            amount: 50_000,
            currency: 'INR',
            order_id: 'order_1',
            email: 'a@b.co',
            notes: [],
          },
        },
      },
    },
    events: [{ event: '$purchase', properties: { amount: 500, currency: 'INR', order_id: 'order_1' } }],
  },
  {
    provider: 'razorpay',
    about: 'the payment of an invoice, which the subscription reports',
    body: {
      event: 'payment.captured',
      created_at: s,
      payload: { payment: { entity: { id: 'pay_2', amount: 1, currency: 'INR', invoice_id: 'inv_1' } } },
    },
    left: 'told_elsewhere',
  },
  {
    provider: 'razorpay',
    about: 'the first charge of a subscription',
    body: {
      event: 'subscription.charged',
      created_at: s,
      payload: {
        subscription: {
          entity: { id: 'sub_1', plan_id: 'plan_1', paid_count: 1, start_at: s, notes: { user_id: 'u_1' } },
        },
        payment: { entity: { id: 'pay_3', amount: 29_900, currency: 'INR' } },
      },
    },
    events: [
      { event: '$subscribe', user_id: 'u_1', properties: { plan: 'plan_1', amount: 299, currency: 'INR' } },
    ],
  },
  {
    provider: 'razorpay',
    about: 'a later charge',
    body: {
      event: 'subscription.charged',
      created_at: s,
      payload: {
        subscription: { entity: { id: 'sub_1', plan_id: 'plan_1', paid_count: 2 } },
        payment: { entity: { id: 'pay_4', amount: 29_900, currency: 'INR' } },
      },
    },
    events: [{ event: '$purchase', properties: { amount: 299, renewal: true, subscription_id: 'sub_1' } }],
  },
  {
    provider: 'razorpay',
    about: 'a refund and the end of a subscription',
    body: {
      event: 'refund.processed',
      created_at: s,
      payload: {
        refund: {
          entity: {
            id: 'rf_1',
            amount: 100,
            currency: 'INR',
            payment_id: 'pay_1',
            notes: { comment: 'late' },
          },
        },
      },
    },
    events: [{ event: '$refund', properties: { amount: 1, order_id: 'pay_1', reason: 'late' } }],
  },
  {
    provider: 'razorpay',
    about: 'a cancelled subscription',
    body: {
      event: 'subscription.cancelled',
      created_at: s,
      payload: {
        subscription: { entity: { id: 'sub_1', plan_id: 'plan_1', start_at: s - 10 * dayS, ended_at: s } },
      },
    },
    events: [{ event: '$churn', properties: { reason: 'cancelled', plan: 'plan_1', tenure_days: 10 } }],
  },
]
