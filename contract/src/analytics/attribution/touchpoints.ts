import { type Static, Type } from 'typebox'
import { lookupProblems } from '../../problems.ts'
import { route } from '../../route.ts'
import { Nullable, OneOf, PersonReference, Time } from '../../shapes.ts'
import { reads } from './access.ts'
import { attributionLimits, exclusionReasons } from './models.ts'

export const Touchpoint = Type.Object({
  id: Type.String({ description: 'The event that it was' }),
  at: Time,
  site_id: Type.String(),
  channel: Type.String(),
  source: Type.String(),
  medium: Type.String(),
  campaign: Type.String(),
  click_id_type: Type.String(),
  referrer_host: Type.String(),
  person_id: Type.String({ description: 'The original person of the event' }),
})
export type Touchpoint = Static<typeof Touchpoint>

export const Excluded = Type.Object({
  touchpoint: Touchpoint,
  reason: OneOf(exclusionReasons),
  duplicate_of: Nullable(Type.String()),
})

export const getTouchpoints = route({
  ...reads,
  scope: 'identity:read',
  id: 'getTouchpoints',
  fresh: 'snake',
  method: 'GET',
  path: '/v1/attribution/touchpoints/:personId',
  summary: 'Touchpoints considered for a person',
  description: `The latest ${attributionLimits.touchpointsMax}, as the live policy sees them now: what it would leave out says why.`,
  params: Type.Object({ personId: PersonReference }),
  success: {
    status: 200,
    body: Type.Object({
      person_id: Type.String(),
      policy_version: Type.Integer(),
      considered: Type.Array(Touchpoint),
      excluded: Type.Array(Excluded),
    }),
  },
  problems: lookupProblems,
})
