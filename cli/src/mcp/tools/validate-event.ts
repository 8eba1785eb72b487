import { OneOf, outcomes, ValidationResult, validateEvents } from '@assay/contract'
import { Type } from 'typebox'
import { tool } from '../tool.ts'

const eventsMax = 20

export const validateEvent = tool({
  name: 'validate_event',
  title: 'Validate an event',
  description:
    'The verdict of the gate on one or several events, as /v1/track gives it: accept, warn, quarantine or reject, ' +
    'with every issue and what to do about it. Nothing is stored. Use it on the payload of a tracking call that you ' +
    'wrote or found.',
  input: Type.Object(
    {
      events: Type.Array(Type.Record(Type.String(), Type.Unknown()), {
        minItems: 1,
        maxItems: eventsMax,
        description: 'Each as it would be sent: {event, user_id or anonymous_id, properties}',
      }),
      site_id: Type.Optional(Type.String({ maxLength: 64, description: 'Site whose mapping rules apply' })),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    outcome: OneOf(outcomes, { description: 'The worst' }),
    results: Type.Array(ValidationResult),
  }),
  effect: 'reads',
  run: ({ events, site_id }, { client }) =>
    client.call(validateEvents, { body: { batch: events, ...(site_id !== undefined && { site_id }) } }),
})
