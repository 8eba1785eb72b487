import type { Expectation } from '../expectation.ts'

const s = 1_785_542_400
const ms = s * 1000
const iso = '2026-08-01T00:00:00.000Z'

const clerk = (type: string, data: object) => ({ type, timestamp: ms, data })
const clerkUser = {
  id: 'user_1',
  external_id: null,
  first_name: 'Ada',
  last_name: 'Lovelace',
  primary_email_address_id: 'idn_2',
  email_addresses: [
    { id: 'idn_1', email_address: 'old@example.com' },
    { id: 'idn_2', email_address: 'ada@example.com' },
  ],
  external_accounts: [{ provider: 'oauth_google' }],
}
const workos = (event: string, data: object) => ({ id: `event_${event}`, event, created_at: iso, data })
const log = (type: string, data: object = {}) => ({
  log_id: `90_${type}`,
  data: {
    type,
    date: iso,
    user_id: 'auth0|1',
    user_name: 'ada@example.com',
    connection: 'google-oauth2',
    ip: '203.0.113.9',
    ...data,
  },
})
const intercom = (topic: string, item: object) => ({
  id: `notif_${topic}`,
  topic,
  created_at: s,
  data: { item },
})
const calendly = (event: string, payload: object) => ({ event, created_at: iso, payload })
const invitee = {
  uri: 'https://api.calendly.com/scheduled_events/A/invitees/B',
  email: 'Ada@Example.com',
  name: 'Ada',
  questions_and_answers: [{}, {}],
  scheduled_event: { event_type: 'https://api.calendly.com/event_types/C', name: 'Demo' },
  tracking: { utm_source: 'news', utm_medium: null },
}
const calcom = (triggerEvent: string, payload: object) => ({ triggerEvent, createdAt: iso, payload })
const calcomBooking = {
  type: 'demo',
  eventTitle: 'Demo',
  eventTypeId: 7,
  uid: 'bFJeNb2uX8ANpT3JL5EfXw',
  price: 0,
  currency: 'usd',
  attendees: [{ email: 'Ada@Example.com', name: 'Ada', timeZone: 'Europe/London' }],
  responses: {
    name: { label: 'your_name', value: 'Ada' },
    email: { label: 'email_address', value: 'Ada@Example.com' },
    notes: { label: 'additional_notes' },
  },
}
const githubPlan = (name: string, cents: number) => ({
  account: { id: 18404719 },
  billing_cycle: 'monthly',
  unit_count: 3,
  on_free_trial: false,
  plan: { name, monthly_price_in_cents: cents, yearly_price_in_cents: cents * 10, price_model: 'per-unit' },
})
const segment = (type: string, more: object) => ({
  type,
  messageId: `m-${type}`,
  userId: 'u_1',
  anonymousId: 'anon-1',
  originalTimestamp: iso,
  context: { ip: '203.0.113.9' },
  ...more,
})

export const peopleCases: Expectation[] = [
  {
    provider: 'clerk',
    about: 'a new user',
    headers: { 'svix-id': 'msg_c1' },
    body: clerk('user.created', clerkUser),
    events: [
      { event: '$signup', user_id: 'user_1', properties: { method: 'google' } },
      {
        event: '$identify',
        properties: { user_id: 'user_1', email: 'ada@example.com', name: 'Ada Lovelace' },
      },
    ],
  },
  {
    provider: 'clerk',
    about: 'a session that begins',
    body: clerk('session.created', { id: 'sess_1', user_id: 'user_1', user: { two_factor_enabled: true } }),
    events: [
      { event: '$login', properties: { method: 'clerk' }, lacks: ['two_factor'] },
      { event: '$session_start', properties: { session_id: 'sess_1' } },
    ],
  },
  {
    provider: 'clerk',
    about: 'a session that ends',
    body: clerk('session.ended', { id: 'sess_1', user_id: 'user_1', created_at: ms - 60_000 }),
    events: [{ event: '$session_end', properties: { session_id: 'sess_1', duration_ms: 60_000 } }],
  },
  {
    provider: 'clerk',
    about: 'an invitation',
    body: clerk('organizationInvitation.created', { id: 'orginv_1', inviter_user_id: 'user_1' }),
    events: [
      { event: '$invite', user_id: 'user_1', properties: { channel: 'email', invite_code: 'orginv_1' } },
    ],
  },
  {
    provider: 'clerk',
    about: 'a paid plan',
    body: clerk('subscriptionItem.active', {
      id: 'subi_1',
      payer: { user_id: 'user_1' },
      plan: { slug: 'pro', is_default: false },
      plan_period: 'month',
      amount: { amount: 1000, amount_formatted: '10.00', currency: 'USD' },
    }),
    events: [
      { event: '$subscribe', properties: { plan: 'pro', amount: 10, currency: 'USD', interval: 'month' } },
    ],
  },
  {
    provider: 'clerk',
    about: 'the free plan that everyone starts on',
    body: clerk('subscriptionItem.active', { id: 'subi_2', plan: { slug: 'free', is_default: true } }),
    left: 'no_rule',
  },
  {
    provider: 'clerk',
    about: 'the payment of a renewal',
    body: clerk('paymentAttempt.updated', {
      payment_id: 'p_1',
      status: 'paid',
      charge_type: 'recurring',
      payer: { user_id: 'user_1' },
      totals: { grand_total: { amount: 1000, currency: 'USD' } },
    }),
    events: [{ event: '$purchase', properties: { amount: 10, order_id: 'p_1', renewal: true } }],
  },
  {
    provider: 'workos',
    about: 'a new user',
    body: workos('user.created', { id: 'user_w', email: 'w@example.com', first_name: 'W' }),
    events: [
      { event: '$signup', user_id: 'user_w', properties: { method: 'workos' } },
      { event: '$identify', properties: { user_id: 'user_w', email: 'w@example.com', name: 'W' } },
    ],
  },
  {
    provider: 'workos',
    about: 'a login',
    body: workos('authentication.sso_succeeded', { type: 'sso', user_id: 'user_w' }),
    events: [{ event: '$login', user_id: 'user_w', properties: { method: 'sso' } }],
  },
  {
    provider: 'workos',
    about: 'the second factor of a login that was reported',
    body: workos('authentication.mfa_succeeded', { type: 'mfa', user_id: 'user_w' }),
    left: 'told_elsewhere',
  },
  {
    provider: 'workos',
    about: 'a session that ends',
    body: workos('session.revoked', { id: 's_1', user_id: 'user_w', created_at: '2026-07-31T23:00:00Z' }),
    events: [{ event: '$session_end', properties: { session_id: 's_1', duration_ms: 3_600_000 } }],
  },
  {
    provider: 'workos',
    about: 'an invitation',
    body: workos('invitation.created', { id: 'inv_1', inviter_user_id: 'user_w' }),
    events: [{ event: '$invite', user_id: 'user_w', properties: { channel: 'email', invite_code: 'inv_1' } }],
  },
  {
    provider: 'auth0',
    about: 'a signup, a login with a second factor, an exchanged token and a deleted user, in one delivery',
    body: [
      log('ss'),
      log('s', { details: { prompts: [{ name: 'prompt-authenticate' }, { name: 'mfa' }] } }),
      log('seacft'),
      log('sdu'),
    ],
    events: [
      {
        event: '$signup',
        user_id: 'auth0|1',
        properties: { method: 'google-oauth2' },
        context: { ip: '203.0.113.9' },
      },
      { event: '$login', properties: { method: 'google-oauth2', two_factor: true } },
      { event: '$churn', properties: { reason: 'account_deleted' } },
    ],
    left: 'no_rule',
  },
  {
    provider: 'standard',
    about: 'one of our own names',
    body: { type: '$purchase', timestamp: iso, user_id: 'u_1', data: { amount: 5, currency: 'EUR' } },
    events: [{ event: '$purchase', user_id: 'u_1', properties: { amount: 5, currency: 'EUR' } }],
  },
  {
    provider: 'standard',
    about: 'a name of its own',
    body: { type: 'invoice.created', data: {} },
    left: 'no_rule',
  },
  {
    provider: 'sendgrid',
    about: 'a click and a delivery',
    body: [
      {
        event: 'click',
        sg_event_id: 'sg1',
        timestamp: s,
        email: 'Ada@example.com',
        url: 'https://shop.example/sale',
        ip: '203.0.113.9',
      },
      { event: 'delivered', sg_event_id: 'sg2', timestamp: s, email: 'ada@example.com' },
    ],
    events: [
      {
        event: '$click',
        // SHA-256 of ada@example.com.
        anonymous_id: 'email:b5fc85e55755f9e0d030a10ab4429b6b',
        properties: { element: 'https://shop.example/sale', channel: 'email' },
      },
    ],
    left: 'no_rule',
  },
  {
    provider: 'resend',
    about: 'a click',
    headers: { 'svix-id': 'msg_r1' },
    body: {
      type: 'email.clicked',
      created_at: iso,
      data: {
        email_id: 'em_1',
        to: ['ada@example.com'],
        click: { link: 'https://shop.example', ipAddress: '203.0.113.9' },
      },
    },
    events: [{ event: '$click', properties: { element: 'https://shop.example', message_id: 'em_1' } }],
  },
  {
    provider: 'resend',
    about: 'a contact',
    headers: { 'svix-id': 'msg_r2' },
    body: {
      type: 'contact.created',
      created_at: iso,
      data: { id: 'ct_1', email: 'a@example.com', first_name: 'A' },
    },
    events: [
      {
        event: '$identify',
        anonymous_id: 'resend:ct_1',
        properties: { user_id: 'ct_1', email: 'a@example.com' },
      },
    ],
  },
  {
    provider: 'hubspot',
    about: 'a new contact, a changed address, a changed score and a deal, in one delivery',
    body: [
      {
        eventId: 1,
        subscriptionId: 2,
        portalId: 3,
        objectId: 4,
        occurredAt: ms,
        subscriptionType: 'contact.creation',
      },
      {
        eventId: 2,
        subscriptionId: 2,
        portalId: 3,
        objectId: 4,
        occurredAt: ms,
        subscriptionType: 'contact.propertyChange',
        propertyName: 'email',
        propertyValue: 'h@example.com',
      },
      {
        eventId: 3,
        subscriptionId: 2,
        portalId: 3,
        objectId: 4,
        occurredAt: ms,
        subscriptionType: 'contact.propertyChange',
        propertyName: 'score',
        propertyValue: '9',
      },
      {
        eventId: 4,
        subscriptionId: 2,
        portalId: 3,
        objectId: 9,
        occurredAt: ms,
        subscriptionType: 'deal.creation',
      },
    ],
    events: [
      { event: '$identify', event_id: 'hubspot:change:3:2:1:4:1785542400000', properties: { user_id: '4' } },
      { event: '$identify', anonymous_id: 'hubspot:4', properties: { user_id: '4', email: 'h@example.com' } },
    ],
    left: 'no_rule',
  },
  {
    provider: 'intercom',
    about: 'a new user',
    body: intercom('contact.user.created', {
      id: 'ic_1',
      external_id: 'u_6',
      email: 'i@example.com',
      name: 'I',
    }),
    events: [
      { event: '$signup', user_id: 'u_6', anonymous_id: 'intercom:ic_1', properties: { method: 'intercom' } },
      { event: '$identify', properties: { user_id: 'u_6', email: 'i@example.com', name: 'I' } },
    ],
  },
  {
    provider: 'intercom',
    about: 'a rating',
    body: intercom('conversation.rating.added', {
      conversation_rating: { rating: 4, remark: 'good', contact: { id: 'ic_1' } },
    }),
    events: [{ event: '$feedback', properties: { score: 4, comment: 'good', type: 'csat' } }],
  },
  {
    provider: 'intercom',
    about: 'an event of the customer’s own',
    body: intercom('event.created', { event_name: 'invited-friend', user_id: 'u_6', metadata: { count: 2 } }),
    events: [{ event: 'invited-friend', user_id: 'u_6', properties: { count: 2 } }],
  },
  {
    provider: 'intercom',
    about: 'a ping',
    body: { ...intercom('ping', {}), type: 'notification_event' },
    left: 'handshake',
  },
  {
    provider: 'typeform',
    about: 'a response with a score',
    body: {
      event_id: 'tf_1',
      event_type: 'form_response',
      form_response: {
        form_id: 'f_1',
        token: 'tok_1',
        submitted_at: iso,
        hidden: { user_id: 'u_8' },
        definition: {
          title: 'NPS',
          fields: [
            { id: 'q1', type: 'nps', title: 'How likely?' },
            { id: 'q2', type: 'number' },
          ],
        },
        answers: [
          { type: 'number', number: 9, field: { id: 'q1' } },
          { type: 'number', number: 42, field: { id: 'q2' } },
          { type: 'email', email: 't@example.com', field: { id: 'q3' } },
        ],
      },
    },
    events: [
      {
        event: '$form_submit',
        user_id: 'u_8',
        event_id: 'typeform:response:tok_1',
        properties: { form_id: 'f_1', form_name: 'NPS', field_count: 3 },
      },
      { event: '$feedback', properties: { score: 9, type: 'nps' } },
    ],
  },
  {
    provider: 'typeform',
    about: 'a form that was left half-way',
    body: { event_id: 'tf_2', event_type: 'form_response_partial', form_response: { form_id: 'f_1' } },
    left: 'not_final',
  },
  {
    provider: 'calendly',
    about: 'a paid booking',
    body: calendly('invitee.created', {
      ...invitee,
      payment: { successful: true, amount: 59.9, currency: 'EUR', external_id: 'ch_9' },
    }),
    events: [
      {
        event: '$form_submit',
        properties: { form_id: 'https://api.calendly.com/event_types/C', form_name: 'Demo', field_count: 2 },
        context: { campaign: { source: 'news' } },
      },
      { event: '$identify', properties: { email: 'Ada@Example.com', name: 'Ada' } },
      { event: '$purchase', properties: { amount: 59.9, currency: 'EUR', order_id: 'ch_9' } },
    ],
  },
  {
    provider: 'calendly',
    about: 'another time for a booking that was counted',
    body: calendly('invitee.created', { ...invitee, old_invitee: 'https://api.calendly.com/x' }),
    left: 'told_elsewhere',
  },
  {
    provider: 'calendly',
    about: 'a cancellation',
    body: calendly('invitee.canceled', invitee),
    left: 'no_rule',
  },
  {
    provider: 'calcom',
    about: 'a booking',
    body: calcom('BOOKING_CREATED', calcomBooking),
    events: [
      { event: '$form_submit', properties: { form_id: '7', form_name: 'Demo', field_count: 2 } },
      { event: '$identify', properties: { email: 'Ada@Example.com', name: 'Ada' } },
    ],
  },
  {
    provider: 'calcom',
    about: 'that a booking was paid, in the smallest unit',
    body: calcom('BOOKING_PAID', {
      ...calcomBooking,
      price: 5990,
      currency: 'eur',
      paymentId: 12,
      metadata: { identifier: 'cal.com', externalId: 'pi_9' },
    }),
    events: [{ event: '$purchase', properties: { amount: 59.9, currency: 'EUR', order_id: 'pi_9' } }],
  },
  {
    provider: 'calcom',
    about: 'a payment in a currency without minor units',
    body: calcom('BOOKING_PAID', { ...calcomBooking, price: 5000, currency: 'ugx' }),
    events: [
      {
        event: '$purchase',
        properties: { amount: 5000, currency: 'UGX', order_id: 'bFJeNb2uX8ANpT3JL5EfXw' },
      },
    ],
  },
  {
    provider: 'calcom',
    about: 'a routing form',
    body: calcom('FORM_SUBMITTED', {
      formId: 'f-1',
      formName: 'Sales',
      responses: { email: { value: 'ada@example.com' }, size: { value: '10' }, note: { value: '' } },
    }),
    events: [{ event: '$form_submit', properties: { form_id: 'f-1', form_name: 'Sales', field_count: 2 } }],
  },
  {
    provider: 'calcom',
    about: 'another time for a booking that was counted',
    body: calcom('BOOKING_RESCHEDULED', calcomBooking),
    left: 'told_elsewhere',
  },
  {
    provider: 'calcom',
    about: 'a cancellation',
    body: calcom('BOOKING_CANCELLED', calcomBooking),
    left: 'no_rule',
  },
  {
    provider: 'calcom',
    about: 'a booking without its id',
    body: calcom('BOOKING_CREATED', { attendees: [] }),
    left: 'incomplete',
  },
  {
    provider: 'github',
    about: 'a purchase in the marketplace, by unit',
    headers: { 'x-github-event': 'marketplace_purchase', 'x-github-delivery': 'gh1' },
    body: {
      action: 'purchased',
      effective_date: '2026-08-01T00:00:00+00:00',
      marketplace_purchase: githubPlan('Pro', 1099),
    },
    events: [
      {
        event: '$subscribe',
        anonymous_id: 'github:18404719',
        properties: { plan: 'Pro', amount: 32.97, currency: 'USD', interval: 'month', trial: false },
      },
    ],
  },
  {
    provider: 'github',
    about: 'a smaller plan',
    headers: { 'x-github-event': 'marketplace_purchase' },
    body: {
      action: 'changed',
      effective_date: '2026-08-01T00:00:00+00:00',
      marketplace_purchase: githubPlan('Solo', 100),
      previous_marketplace_purchase: githubPlan('Pro', 1099),
    },
    events: [
      {
        event: '$upgrade',
        properties: { from_plan: 'Pro', to_plan: 'Solo', amount: 3, direction: 'downgrade' },
      },
    ],
  },
  {
    provider: 'github',
    about: 'a single donation and the end of another',
    headers: { 'x-github-event': 'sponsorship' },
    body: {
      action: 'created',
      sponsorship: {
        node_id: 'sp_1',
        created_at: iso,
        sponsor: { id: 5 },
        tier: { name: '$5 once', monthly_price_in_cents: 500, is_one_time: true },
      },
    },
    events: [{ event: '$purchase', properties: { amount: 5, currency: 'USD', order_id: 'sp_1' } }],
  },
  {
    provider: 'github',
    about: 'a body that does not fit the unsigned header',
    headers: { 'x-github-event': 'sponsorship' },
    body: { action: 'created', release: {} },
    left: 'unexpected_shape',
  },
  {
    provider: 'github',
    about: 'a ping',
    headers: { 'x-github-event': 'ping' },
    body: { zen: 'x' },
    left: 'handshake',
  },
  {
    provider: 'segment',
    about: 'an order in its own words, with its own ids',
    body: segment('track', {
      event: 'Order Completed',
      properties: {
        order_id: 'so_1',
        revenue: 25.5,
        currency: 'EUR',
        coupon: 'x',
        products: [{ sku: 'A', quantity: 1, price: 25.5 }],
      },
    }),
    events: [
      {
        event: '$purchase',
        event_id: 'm-track',
        user_id: 'u_1',
        anonymous_id: 'anon-1',
        ts: iso,
        properties: {
          amount: 25.5,
          currency: 'EUR',
          order_id: 'so_1',
          items: [{ sku: 'A', qty: 1 }],
          coupon: 'x',
        },
        context: { ip: '203.0.113.9' },
      },
    ],
  },
  {
    provider: 'segment',
    about: 'a person',
    body: segment('identify', { traits: { email: 's@example.com', name: 'S', plan: 'pro' } }),
    events: [
      { event: '$identify', properties: { user_id: 'u_1', email: 's@example.com', name: 'S', plan: 'pro' } },
    ],
  },
  {
    provider: 'segment',
    about: 'a page',
    body: segment('page', { name: 'Home', properties: { url: 'https://shop.example/', title: 'Shop' } }),
    events: [{ event: '$pageview', properties: { url: 'https://shop.example/', title: 'Shop' } }],
  },
  {
    provider: 'segment',
    about: 'an event of the customer’s own',
    body: segment('track', { event: 'Coupon Scratched', properties: { x: 1 } }),
    events: [{ event: 'Coupon Scratched', properties: { x: 1 } }],
  },
]
