import { type Static, Type } from 'typebox'
import { accessProblems, lookupProblems } from '../problems.ts'
import { route } from '../route.ts'
import { OneOf, paging, SnakePage, Time } from '../shapes.ts'
import { webhookProviders } from './webhook-providers.ts'

export const webhookLimits = {
  secretsMax: 5,
  /** The longest secret, SendGrid's PEM-encoded public key, has about 180 characters. */
  secretLengthMax: 1_000,
  connectionsMax: 100,
  /**
   * Deliveries of a connection that gave no event: the newest are kept, and all are deleted after 90 days.
   */
  keptMax: 10_000,
  keptBytesMax: 67_108_864,
  /** No vendor nests half as deep. */
  depthMax: 64,
  /** Chargebee retries for three days, which is the longest we know of. */
  keepPreviousHoursMax: 30 * 24,
} as const

const Provider = OneOf(webhookProviders)

/** Where a vendor delivers, and the secrets that verify its deliveries, which are never shown again. */
export const WebhookConnection = Type.Object({
  id: Type.String(),
  provider: Provider,
  site_id: Type.String(),
  url: Type.String({ description: 'The address to register at the vendor' }),
  registered_url: Type.Union([Type.String(), Type.Null()]),
  include_test: Type.Boolean(),
  secrets_in_force: Type.Integer({ description: 'More than one while a rotation is under way' }),
  created_at: Time,
  rotated_at: Type.Union([Time, Type.Null()]),
})
export type WebhookConnection = Static<typeof WebhookConnection>

const secrets = Type.Array(
  Type.String({ minLength: 1, maxLength: webhookLimits.secretLengthMax, pattern: '\\S' }),
  {
    minItems: 1,
    maxItems: webhookLimits.secretsMax,
    description: 'As the vendor shows them; for Chargebee user:password, for SendGrid the verification key',
  },
)
const byId = Type.Object({ id: Type.String({ maxLength: 64 }) })
const common = { plane: 'control', tag: 'Webhooks' } as const

export const createWebhookConnection = route({
  id: 'createWebhookConnection',
  method: 'POST',
  path: '/v1/webhooks/connections',
  ...common,
  access: 'write',
  scope: 'webhooks:write',
  rate: 'controlWrite',
  summary: 'Let a vendor deliver its webhooks',
  description:
    'The answer holds the address to register at the vendor. Secrets are encrypted at rest. Square and HubSpot sign ' +
    'the address: give `registered_url` where they reach this product by another one than `url`.',
  body: Type.Object(
    {
      provider: Provider,
      site_id: Type.String({ maxLength: 64 }),
      secrets,
      registered_url: Type.Optional(Type.String({ maxLength: 2_000, pattern: '^https?://[^\\s\\u0000]+$' })),
      include_test: Type.Optional(
        Type.Boolean({ default: false, description: 'Count what comes from a test mode or a sandbox too' }),
      ),
    },
    { additionalProperties: false },
  ),
  success: { status: 201, body: WebhookConnection },
  problems: [...lookupProblems, 'conflict'],
  audit: { action: 'webhook_connection.created', details: ['provider', 'site_id', 'include_test'] },
})

export const listWebhookConnections = route({
  id: 'listWebhookConnections',
  method: 'GET',
  path: '/v1/webhooks/connections',
  ...common,
  access: 'read',
  scope: 'webhooks:read',
  rate: 'controlRead',
  summary: 'List webhook connections, newest first',
  query: Type.Object(paging, { additionalProperties: false }),
  success: { status: 200, body: SnakePage(WebhookConnection) },
  problems: accessProblems,
})

export const rotateWebhookSecrets = route({
  id: 'rotateWebhookSecrets',
  method: 'POST',
  path: '/v1/webhooks/connections/:id/rotate',
  ...common,
  access: 'write',
  scope: 'webhooks:write',
  rate: 'controlWrite',
  summary: 'Set new secrets',
  description:
    'The previous ones stay valid for a while, since vendors retry old deliveries under the old secret.',
  params: byId,
  body: Type.Object(
    {
      secrets,
      keep_previous_hours: Type.Optional(
        Type.Number({ minimum: 0, maximum: webhookLimits.keepPreviousHoursMax, default: 24 }),
      ),
    },
    { additionalProperties: false },
  ),
  success: { status: 200, body: WebhookConnection },
  problems: lookupProblems,
  audit: { action: 'webhook_connection.rotated', details: ['provider', 'keep_previous_hours'] },
})

export const deleteWebhookConnection = route({
  id: 'deleteWebhookConnection',
  method: 'DELETE',
  path: '/v1/webhooks/connections/:id',
  ...common,
  access: 'write',
  scope: 'webhooks:write',
  rate: 'controlWrite',
  summary: 'Take no more deliveries',
  description: 'What was delivered stays listed, and its events stay counted.',
  params: byId,
  success: { status: 204, body: null },
  problems: lookupProblems,
  audit: { action: 'webhook_connection.deleted' },
})

/**
 * - `accepted`: events were stored or quarantined. `rejected`: the gate refused all of them.
 * - `unmapped`: it gave no event, and `reason` says why. `waiting`: it may belong to a subscription.
 * - `test`, `handshake`: no action of a customer.
 */
export const deliveryStatuses = ['accepted', 'rejected', 'unmapped', 'waiting', 'test', 'handshake'] as const
export type DeliveryStatus = (typeof deliveryStatuses)[number]

/** One fact from a vendor. A delivery over HTTP may contain several. */
export const WebhookDelivery = Type.Object({
  id: Type.String(),
  connection_id: Type.String(),
  provider: Provider,
  site_id: Type.String(),
  vendor_id: Type.Union([Type.String(), Type.Null()], { description: 'The vendor’s own id of it' }),
  type: Type.String({ description: 'As the vendor calls it' }),
  status: OneOf(deliveryStatuses),
  reason: Type.Union([Type.String(), Type.Null()]),
  event_ids: Type.Array(Type.String()),
  repeats: Type.Integer({ description: 'How often it came again' }),
  occurred_at: Type.Union([Time, Type.Null()]),
  received_at: Time,
})
export type WebhookDelivery = Static<typeof WebhookDelivery>

const filterText = Type.Optional(Type.String({ minLength: 1, maxLength: 200, pattern: '^[^\\u0000]*$' }))

export const listWebhookDeliveries = route({
  id: 'listWebhookDeliveries',
  method: 'GET',
  path: '/v1/webhooks/deliveries',
  ...common,
  access: 'read',
  scope: 'webhooks:read',
  rate: 'controlRead',
  summary: 'What vendors delivered, newest first',
  description: 'Kept for 90 days. from is included, to is not.',
  query: Type.Object(
    {
      ...paging,
      cursor: filterText,
      connection_id: filterText,
      provider: Type.Optional(Provider),
      status: Type.Optional(OneOf(deliveryStatuses)),
      type: filterText,
      from: Type.Optional(Type.String({ maxLength: 40, description: 'RFC 3339' })),
      to: Type.Optional(Type.String({ maxLength: 40, description: 'RFC 3339' })),
    },
    { additionalProperties: false },
  ),
  success: { status: 200, body: SnakePage(WebhookDelivery) },
  problems: accessProblems,
})

export const getWebhookDelivery = route({
  id: 'getWebhookDelivery',
  method: 'GET',
  path: '/v1/webhooks/deliveries/:id',
  ...common,
  access: 'read',
  scope: 'webhooks:read',
  rate: 'controlRead',
  summary: 'One delivery, with what was sent where no event was made of it',
  params: byId,
  success: {
    status: 200,
    body: Type.Intersect([WebhookDelivery, Type.Object({ payload: Type.Unknown() })]),
  },
  problems: lookupProblems,
})

export const WebhookReceipt = Type.Object({
  received: Type.Literal(true),
  event_ids: Type.Array(Type.String()),
  duplicate: Type.Boolean({ description: 'All of it was delivered before' }),
})
export type WebhookReceipt = Static<typeof WebhookReceipt>

export const replayWebhookDelivery = route({
  id: 'replayWebhookDelivery',
  method: 'POST',
  path: '/v1/webhooks/deliveries/:id/replay',
  ...common,
  access: 'write',
  scope: 'webhooks:write',
  rate: 'controlWrite',
  summary: 'Process a delivery again',
  description:
    'After you registered a contract or made a mapping rule for `<provider>_<type>`, such as `stripe_payout_paid`.',
  params: byId,
  success: { status: 200, body: WebhookReceipt },
  problems: [...lookupProblems, 'conflict'],
  audit: { action: 'webhook_delivery.replayed' },
})

export const receiveWebhook = route({
  id: 'receiveWebhook',
  method: 'POST',
  path: '/v1/webhook/:provider',
  plane: 'data',
  access: 'vendor',
  rate: 'ingest',
  tag: 'Ingest',
  summary: 'Receive a vendor webhook',
  description:
    'Verified on the raw bytes with the secrets of the connection. Idempotent on the vendor’s id and on the body. ' +
    'What no rule maps is kept and listed.',
  params: Type.Object({ provider: Type.String({ maxLength: 64 }) }),
  query: Type.Object({ connection: Type.Optional(Type.String({ maxLength: 64 })) }),
  body: Type.Unknown(),
  rawBody: true,
  success: { status: 200, body: WebhookReceipt },
  problems: ['unauthenticated', 'not-found'],
})

export const webhookRoutes = [
  createWebhookConnection,
  listWebhookConnections,
  rotateWebhookSecrets,
  deleteWebhookConnection,
  listWebhookDeliveries,
  getWebhookDelivery,
  replayWebhookDelivery,
  receiveWebhook,
] as const
