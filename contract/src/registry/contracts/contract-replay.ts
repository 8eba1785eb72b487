import { type Static, Type } from 'typebox'
import { Issue } from '../../ingest/ingest.ts'
import { Dictionary, OneOf } from '../../shapes.ts'
import { outcomes } from '../event-contract.ts'

/** How much stored traffic one replay validates: the newest stored and quarantined events each. */
export const replayEventsMax = 50_000

/** Result of validating stored traffic with a draft. */
export const Replay = Type.Object({
  days: Type.Integer(),
  found: Type.Integer({ description: 'Events of this name in these days, stored or quarantined' }),
  events: Type.Integer({
    description: `How many of them were judged: the newest ${replayEventsMax} stored and as many quarantined ones`,
  }),
  outcomes: Type.Object({
    accept: Type.Integer(),
    warn: Type.Integer(),
    quarantine: Type.Integer(),
    reject: Type.Integer(),
  }),
  codes: Dictionary(Type.Integer(), { description: 'Events by issue' }),
  samples: Type.Array(
    Type.Object({ event_id: Type.String(), outcome: OneOf(outcomes), issues: Type.Array(Issue) }),
    { description: 'At most 20 that were not simply accepted' },
  ),
})
export type Replay = Static<typeof Replay>
