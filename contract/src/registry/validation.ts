import { Type } from 'typebox'
import { Issue, ingestLimits } from '../ingest/ingest.ts'
import { lookupProblems } from '../problems.ts'
import { route } from '../route.ts'
import { OneOf } from '../shapes.ts'
import { reads } from './access.ts'
import { outcomes } from './event-contract.ts'

export const ValidationResult = Type.Object({
  index: Type.Integer(),
  outcome: OneOf(outcomes),
  name: Type.String(),
  contract_version: Type.Union([Type.String(), Type.Null()]),
  issues: Type.Array(Issue),
  properties: Type.Unknown({ description: 'As they would be stored' }),
})

export const validateEvents = route({
  ...reads,
  id: 'validateEvents',
  method: 'POST',
  holdsEvents: true,
  path: '/v1/registry/validate',
  summary: 'Judge one event or a batch; nothing is stored',
  description:
    'As a secret key would be judged. Send {event: {…}}, {batch: [{…}]}, or the event itself as the body.',
  body: Type.Object(
    {
      event: Type.Optional(
        Type.Unknown({
          description: 'One event, as /v1/track takes it; or its name, when the body is the event',
        }),
      ),
      batch: Type.Optional(Type.Array(Type.Unknown(), { maxItems: ingestLimits.batchEventsMax })),
      site_id: Type.Optional(Type.String({ maxLength: 64 })),
    },
    { additionalProperties: true },
  ),
  success: {
    status: 200,
    body: Type.Object({
      outcome: OneOf(outcomes, { description: 'The worst of all' }),
      results: Type.Array(ValidationResult),
    }),
  },
  problems: lookupProblems,
})
