import { type Static, Type } from 'typebox'
import { Issue } from '../ingest/ingest.ts'
import { eventPropertiesMax, siteIdCharactersMax } from '../maxima.ts'
import { lookupProblems } from '../problems.ts'
import { outcomes } from '../registry/event-contract.ts'
import { route } from '../route.ts'
import { Dictionary, OneOf } from '../shapes.ts'
import { identifierCharactersMax } from './identifier.ts'
import { confidences } from './identity-limits.ts'
import { PersonId } from './identity-shapes.ts'

const Binding = Type.Object({
  person_id: PersonId,
  merged: Type.Boolean({ description: 'Two people became one' }),
  confidence: OneOf(confidences),
  ledger_entry_id: Type.Optional(Type.String()),
})
/** The effect of an identify or alias call on people. */
export type Binding = Static<typeof Binding>

const Bound = Type.Object({
  ...Binding.properties,
  event_id: Type.String(),
  outcome: OneOf(outcomes, {
    description: 'The verdict of the gate. Quarantined: nothing is bound until the event is released',
  }),
  duplicate: Type.Boolean({ description: 'The event_id was known, so nothing was bound again' }),
  issues: Type.Array(Issue),
})
export type Bound = Static<typeof Bound>

const sends = {
  plane: 'data',
  access: 'send',
  scope: 'events:send',
  rate: 'ingest',
  tag: 'Ingest',
  rawBody: true,
} as const
const bindProblems = [...lookupProblems, 'identity-conflict', 'identity-limit', 'contract-violation'] as const

const envelope = {
  event_id: Type.Optional(Type.String({ description: 'The same when you try again: it counts once' })),
  ts: Type.Optional(Type.Unknown({ description: 'When it was said' })),
  context: Type.Optional(Dictionary(Type.Unknown())),
  site_id: Type.Optional(Type.String({ maxLength: siteIdCharactersMax })),
}

const PlainIdentifier = Type.String({ maxLength: identifierCharactersMax })

export const identify = route({
  ...sends,
  id: 'identify',
  method: 'POST',
  path: '/v1/identify',
  summary: 'Bind an anonymous id to a person, and say what is known of them',
  description:
    'Takes `anonymous_id`, `user_id` or `person_id`, and `traits`; also the spellings of Segment-style SDKs. A link ' +
    'made with a public key is at most likely. The call is a `$identify` event: it passes the gate as in a batch and ' +
    'is stored. What the gate refuses is 422, with nothing stored. Where the identifiers belong to different people ' +
    'the answer is 409: the event is stored, and no one is identified.',
  body: Type.Object({
    anonymous_id: Type.Optional(PlainIdentifier),
    user_id: Type.Optional(PlainIdentifier),
    person_id: Type.Optional(PlainIdentifier),
    traits: Type.Optional(Dictionary(Type.Unknown(), { maxProperties: eventPropertiesMax })),
    ...envelope,
  }),
  success: { status: 200, body: Bound },
  problems: bindProblems,
})

export const alias = route({
  ...sends,
  id: 'alias',
  method: 'POST',
  path: '/v1/alias',
  summary: 'Merge two identities',
  description:
    'Takes `from` (or `previous_id`) and `to` (or `user_id`). A plain `from` is a person id, a user id that is ' +
    'known, or else an anonymous id; a plain `to` is a person id or a user id. Both may be `{type, value}` instead. ' +
    'It passes the gate as a `$identify` event would, and leaves a ledger entry instead of one; what a gate would ' +
    'quarantine is refused, since there is no event to hold.',
  body: Type.Object({
    from: Type.Optional(Type.Unknown()),
    to: Type.Optional(Type.Unknown()),
    previous_id: Type.Optional(Type.Unknown()),
    user_id: Type.Optional(Type.Unknown()),
    ...envelope,
  }),
  success: { status: 200, body: Bound },
  problems: bindProblems,
})
