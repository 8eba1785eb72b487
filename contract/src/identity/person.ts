import { type Static, Type } from 'typebox'
import { consentRegimes } from '../gate/consent.ts'
import { Categories } from '../privacy/consent.ts'
import { lookupProblems } from '../problems.ts'
import { route } from '../route.ts'
import { Dictionary, Nullable, OneOf, Time } from '../shapes.ts'
import { reads } from './access.ts'
import { confidences } from './identity-limits.ts'
import { NamedIdentifier, PersonId, personParams } from './identity-shapes.ts'

export const Person = Type.Object({
  person_id: PersonId,
  requested_id: Type.String({ description: 'As asked for; another one when that person was merged' }),
  merged_ids: Type.Array(PersonId, { description: 'Other original ids of this person' }),
  identifiers: Type.Array(
    Type.Object({
      ...NamedIdentifier.properties,
      person_id: Type.String({ description: 'Original person of this identifier' }),
      confidence: OneOf(confidences),
      source: Type.String({
        description: 'What tied it to the person: event, identify, alias, resolve, merge',
      }),
      first_seen_at: Time,
    }),
  ),
  traits: Dictionary(Type.Unknown()),
  trait_sources: Dictionary(Type.Object({ person_id: PersonId, source: Type.String(), set_at: Time })),
  first_seen_at: Nullable(Time),
  last_seen_at: Nullable(Time),
  events: Type.Integer(),
  site_ids: Type.Array(Type.String(), { description: 'Sites with events of this person' }),
  consent: Type.Object(
    {
      record: Nullable(
        Type.Object({
          id: Type.String(),
          source: Type.String(),
          regime: Nullable(OneOf(consentRegimes)),
          gpc: Type.Boolean(),
          effective_at: Time,
          expires_at: Nullable(Time),
        }),
      ),
      regimes: Type.Object({ gdpr: Categories, kvkk: Categories, ccpa: Categories }),
    },
    {
      description: 'The effective consent by the latest record, or else by the regime of the requesting site',
    },
  ),
})
export type Person = Static<typeof Person>

export const getPerson = route({
  ...reads,
  id: 'getPerson',
  method: 'GET',
  path: '/v1/identity/person/:id',
  summary: 'Read a person',
  description: 'An id that was merged answers the person that it is part of now.',
  params: personParams,
  success: { status: 200, body: Person },
  problems: lookupProblems,
})
