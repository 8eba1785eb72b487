import { type Static, Type } from 'typebox'
import { lookupProblems } from '../problems.ts'
import { route } from '../route.ts'
import { Dictionary, Time } from '../shapes.ts'
import { PropertyRuleShape } from './contracts/contract-fields.ts'
import type { PropertyRule } from './event-contract.ts'

/** Names proposed at a time: a sample of events is read for each. */
export const proposalsMax = 50
/** Newest events that a proposal is based on, stored and quarantined ones each. */
export const proposalSampleMax = 500
const proposalDaysMax = 30

/** A contract derived from observed events; `contract` can be sent to POST /v1/registry/events unchanged. */
export const Proposal = Type.Object({
  key: Type.String(),
  sent_names: Type.Array(Type.String(), { description: 'The spellings that came' }),
  events: Type.Integer({ description: 'Events of this name in the days asked about' }),
  quarantined: Type.Integer({ description: 'Those among them that were quarantined' }),
  last_seen_at: Time,
  sampled: Type.Integer({ description: 'Events that the contract was made from' }),
  draft_version: Type.Union([Type.String(), Type.Null()], {
    description: 'A draft exists already; publish or change it',
  }),
  contract: Type.Object({
    key: Type.String(),
    // Outgoing values were made by the registry itself, to any depth.
    properties: Type.Unsafe<Readonly<Record<string, PropertyRule>>>(Dictionary(PropertyRuleShape)),
    additional: Type.Literal('accept'),
  }),
  left_out: Type.Array(Type.Object({ property: Type.String(), reason: Type.String() }), {
    description: 'Properties that no rule fits',
  }),
})
export type Proposal = Static<typeof Proposal>

export const listProposals = route({
  plane: 'control',
  tag: 'Registry',
  access: 'read',
  scope: 'events:read',
  rate: 'controlRead',
  id: 'listProposals',
  method: 'GET',
  path: '/v1/registry/proposals',
  summary: 'Contracts proposed from events that came unregistered',
  description:
    'The most frequent names first. Types are those that came (a property of several types gets the one that holds ' +
    `all its values), required is what every event of at least 10 had, enums and ranges need at least 50. At most ` +
    `${proposalSampleMax} stored and as many quarantined events are read a name.`,
  query: Type.Object(
    {
      site_id: Type.Optional(Type.String({ maxLength: 64 })),
      key: Type.Optional(Type.String({ minLength: 1, maxLength: 255, description: 'Only this name' })),
      days: Type.Optional(Type.Integer({ minimum: 1, maximum: proposalDaysMax, default: 7 })),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: proposalsMax, default: 20 })),
    },
    { additionalProperties: false },
  ),
  success: { status: 200, body: Type.Object({ days: Type.Integer(), data: Type.Array(Proposal) }) },
  problems: lookupProblems,
})

export const proposalRoutes = [listProposals] as const
