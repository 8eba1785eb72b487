import { Type } from 'typebox'
import { eventPropertiesMax } from '../maxima.ts'
import { lookupProblems } from '../problems.ts'
import { route } from '../route.ts'
import { Dictionary, OneOf, Rate } from '../shapes.ts'
import { reads } from './access.ts'

const Given = Type.Union([
  Type.String({ minLength: 1, maxLength: 200, description: 'The id of a stored event' }),
  Type.Object({
    event_id: Type.Optional(Type.String({ maxLength: 200 })),
    event: Type.String({ minLength: 1, maxLength: 200 }),
    ts: Type.Optional(Type.String({ maxLength: 40 })),
    person_id: Type.Optional(Type.String({ maxLength: 200 })),
    user_id: Type.Optional(Type.String({ maxLength: 200 })),
    anonymous_id: Type.Optional(Type.String({ maxLength: 200 })),
    source: Type.Optional(Type.String({ maxLength: 200 })),
    properties: Type.Optional(Dictionary(Type.Unknown(), { maxProperties: eventPropertiesMax })),
  }),
])

export const checkDuplicate = route({
  ...reads,
  id: 'checkDuplicate',
  method: 'POST',
  holdsEvents: true,
  path: '/v1/health/dedup-check',
  summary: 'Ask whether two records look like duplicates',
  body: Type.Object({ a: Given, b: Given }, { additionalProperties: false }),
  success: {
    status: 200,
    body: Type.Object({
      duplicate: Type.Boolean(),
      verdict: OneOf(['duplicate', 'likely', 'distinct']),
      score: Rate,
      reasons: Type.Array(Type.String()),
      parts: Type.Object({ properties: Rate, identity: Rate, time: Rate, source: Rate }),
    }),
  },
  problems: lookupProblems,
})
