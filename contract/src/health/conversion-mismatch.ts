import { Type } from 'typebox'
import { lookupProblems } from '../problems.ts'
import { route } from '../route.ts'
import { Dictionary, Nullable, OneOf, paging, Rate, Time } from '../shapes.ts'
import { reads, scope } from './access.ts'

const Sighting = Nullable(
  Type.Object({
    event_id: Type.String(),
    at: Time,
    amount: Nullable(Type.Number()),
    currency: Type.String(),
  }),
)
export const orderFindings = [
  'browser_missing',
  'server_missing',
  'webhook_missing',
  'amount_differs',
  'currency_differs',
  'late',
  'counted_twice_by_platform',
] as const

export const Order = Type.Object({
  order_id: Type.String(),
  amounts: Type.Array(Type.Object({ amount: Type.Number(), currency: Type.String() }), {
    maxItems: 10,
    description:
      'The different amounts under which it was seen, the earliest first; more than one where they differ',
  }),
  browser: Sighting,
  server: Sighting,
  webhook: Sighting,
  gap_ms: Nullable(Type.Integer({ description: 'Between the first sighting and the last' })),
  platform: OneOf(['single', 'deduplicated', 'counted_twice'], {
    description:
      'What an ad platform that compares name and event id within 48 hours makes of browser and server',
  }),
  findings: Type.Array(OneOf(orderFindings)),
})

export const getConversionMismatch = route({
  ...reads,
  id: 'getConversionMismatch',
  fresh: 'snake',
  method: 'GET',
  path: '/v1/health/conversions',
  summary: 'Orders reconciled over browser, server and payment webhook',
  query: Type.Object(
    { ...scope, limit: paging.limit, finding: Type.Optional(OneOf(orderFindings)) },
    { additionalProperties: false },
  ),
  success: {
    status: 200,
    body: Type.Object({
      period: Type.Object({ from: Time, to: Time }),
      orders: Type.Integer(),
      consistent: Type.Integer(),
      findings: Dictionary(Type.Integer()),
      server_coverage: Nullable(
        Type.Number({ description: 'Orders the server sent, to those the browser sent' }),
      ),
      id_overlap: Nullable(Rate),
      is_mismatch: Type.Boolean({
        description: 'Coverage beyond 0.75–1.25, or overlap below 0.85, on 100 orders',
      }),
      data: Type.Array(Order),
    }),
  },
  problems: lookupProblems,
})
