import { type Static, Type } from 'typebox'
import { accessProblems, lookupProblems } from '../../problems.ts'
import { route } from '../../route.ts'
import { Nullable, OneOf, Time } from '../../shapes.ts'
import { reads, writes } from './access.ts'
import { acceptedModels } from './models.ts'
import { settings } from './policy-settings.ts'

export const AttributionPolicy = Type.Object({
  version: Type.Integer({ description: '0 until a policy is set' }),
  ...settings,
  created_at: Nullable(Time),
})
export type AttributionPolicy = Static<typeof AttributionPolicy>
export type PolicySettings = Omit<AttributionPolicy, 'version' | 'created_at'>

const PolicyPreview = Type.Object({
  dry_run: Type.Literal(true),
  policy: AttributionPolicy,
  period: Type.Object({ from: Time, to: Time }),
  outcomes: Type.Object({ before: Type.Integer(), after: Type.Integer() }),
  channels: Type.Array(
    Type.Object({
      channel: Type.String(),
      before: Type.Number(),
      after: Type.Number(),
      change: Type.Number(),
    }),
  ),
})

export const getAttributionPolicy = route({
  ...reads,
  id: 'getAttributionPolicy',
  method: 'GET',
  path: '/v1/attribution/policy',
  summary: 'The live attribution policy, or an earlier version',
  query: Type.Object(
    { version: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000 })) },
    { additionalProperties: false },
  ),
  success: { status: 200, body: AttributionPolicy },
  problems: lookupProblems,
})

export const setAttributionPolicy = route({
  ...writes,
  id: 'setAttributionPolicy',
  method: 'POST',
  path: '/v1/attribution/policy',
  summary: 'Define or update the attribution policy',
  description:
    'What is left out keeps its value. Every change is a new version. With `dry_run` nothing is kept, and the answer ' +
    'is the change of credit per channel over the last 30 days.',
  body: Type.Object(
    {
      ...Type.Partial(Type.Object(settings)).properties,
      model: Type.Optional(OneOf(acceptedModels)),
      dry_run: Type.Optional(Type.Boolean()),
    },
    { additionalProperties: false },
  ),
  success: { status: 201, body: AttributionPolicy },
  otherSuccess: { status: 200, body: PolicyPreview },
  audit: { action: 'attribution_policy.changed', details: ['version', 'model'] },
  problems: accessProblems,
})
