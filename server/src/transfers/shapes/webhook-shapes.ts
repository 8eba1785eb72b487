import { deliveryStatuses, identifierCharactersMax, webhookLimits, webhookProviders } from '@assay/contract'
import { Type } from 'typebox'
import { shaped } from '../import/json-check.ts'
import {
  both,
  bytes,
  emptied,
  flag,
  id,
  matching,
  named,
  nullable,
  oneOf,
  plain,
  text,
  time,
  workspace,
} from '../import/value-checks.ts'
import { Finite, int4, openMax, site } from './column-checks.ts'
import { type TableShape, textList } from './table-shape.ts'

/** A body of a vendor, which is one request at most. */
const payloadCharactersMax = 4 * 1024 * 1024
const Words = Type.Optional(Type.String({ maxLength: 1_000 }))
const Memory = Type.Object(
  {
    plan: Words,
    planAsOf: Type.Optional(Finite),
    price: Type.Optional(Type.Object({ amount: Type.Number(), currency: Type.String({ maxLength: 20 }) })),
    interval: Words,
    isTrial: Type.Optional(Type.Boolean()),
    startedAt: Type.Optional(Finite),
    who: Type.Optional(Type.Object({ userId: Words, vendorId: Words, email: Words })),
    refunded: Type.Optional(Type.Number()),
    subscriptionId: Words,
  },
  { additionalProperties: false },
)

/** Vendors that are connected, and what came from them. */
export const webhookShapes: Readonly<Record<string, TableShape>> = {
  webhook_connections: {
    rowsMax: webhookLimits.connectionsMax,
    names: { as: 'connections', columns: ['id'] },
    columns: {
      id: id('con'),
      workspace_id: workspace,
      site_id: site,
      provider: oneOf(webhookProviders),
      registered_url: nullable(both(matching(/^https?:\/\/[^\s\0]+$/, 'an address'), text(2_000))),
      include_test: flag,
      secrets: emptied,
      created_at: time,
      rotated_at: nullable(time),
    },
  },
  webhook_deliveries: {
    open: { values: ['waiting'], rowsMax: openMax },
    columns: {
      id: id('whd'),
      workspace_id: workspace,
      connection_id: id('con'),
      site_id: site,
      provider: oneOf(webhookProviders),
      vendor_id: nullable(text(500)),
      body_hash: bytes(32, 32),
      item: int4,
      type: text(500),
      status: oneOf(deliveryStatuses),
      reason: nullable(plain(200)),
      event_ids: textList(text(identifierCharactersMax), 1_000),
      repeats: int4,
      occurred_at: nullable(time),
      received_at: time,
      due_at: nullable(time),
      waits_for: nullable(text(600)),
      payload: nullable(
        shaped(Type.Object({}), { charactersMax: payloadCharactersMax, isAnyCharacter: true }),
      ),
    },
  },
  webhook_memory: {
    columns: {
      connection_id: named('connections'),
      key: text(600, 1),
      memory: shaped(Memory),
      updated_at: time,
    },
  },
}
