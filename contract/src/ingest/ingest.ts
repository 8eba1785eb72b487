import { type Static, Type } from 'typebox'
import { botReasons } from '../gate/judge.ts'
import { lookupProblems } from '../problems.ts'
import { outcomes } from '../registry/event-contract.ts'
import { route } from '../route.ts'
import { OneOf, Time } from '../shapes.ts'
import { BatchBody, TrackBody } from './event-body.ts'

/** Limits of one request, from the decisions; beyond any of them the answer is 413 and names the limit. */
export const ingestLimits = {
  batchEventsMax: 1_000,
  bodyBytesMax: 4 * 1024 * 1024,
  eventBytesMax: 32 * 1024,
  eventIdLengthMax: 200,
} as const

export const Issue = Type.Object({
  code: Type.String(),
  field: Type.Optional(Type.String()),
  message: Type.String(),
  expected: Type.Optional(Type.Unknown()),
  actual: Type.Optional(Type.Unknown()),
})
export type Issue = Static<typeof Issue>

const Outcome = OneOf(outcomes)
const isDuplicate = Type.Boolean({
  description:
    'The event id was taken before, as far as this node knows. An event that another node took a moment ago may be answered as new; it is stored and counted once all the same.',
})
const duplicateOf = Type.Optional(
  Type.String({ description: 'The first sighting, when an order_id was seen before under another event id' }),
)

export const TrackResult = Type.Object({
  event_id: Type.String(),
  outcome: Outcome,
  duplicate: isDuplicate,
  duplicate_of: duplicateOf,
  issues: Type.Array(Issue),
  receipt_url: Type.String(),
})
export type TrackResult = Static<typeof TrackResult>

const EmbeddedProblem = Type.Object({
  type: Type.String(),
  title: Type.String(),
  status: Type.Integer(),
  detail: Type.String(),
})

export const BatchItemResult = Type.Object({
  index: Type.Integer(),
  event_id: Type.String(),
  outcome: Outcome,
  duplicate: isDuplicate,
  duplicate_of: duplicateOf,
  retryable: Type.Boolean({
    description:
      'Whether the same event may succeed when it is sent again as it is. It is false: a verdict is about the event ' +
      'and stays. What is refused for a passing reason (rate limit, no disk space) is refused as a whole, by ' +
      '429 or 503 with Retry-After, and nothing of it is stored',
  }),
  issues: Type.Array(Issue),
  problem: Type.Optional(EmbeddedProblem),
})
export type BatchItemResult = Static<typeof BatchItemResult>

export const BatchResult = Type.Object({
  request_id: Type.String(),
  summary: Type.Object({
    accept: Type.Integer(),
    warn: Type.Integer(),
    quarantine: Type.Integer(),
    reject: Type.Integer(),
    duplicate: Type.Integer(),
  }),
  results: Type.Array(BatchItemResult),
})
export type BatchResult = Static<typeof BatchResult>

export const IngestResult = Type.Object({
  accepted: Type.Integer(),
  warned: Type.Integer(),
  quarantined: Type.Integer(),
  rejected: Type.Integer(),
  duplicates: Type.Integer(),
  results: Type.Array(
    Type.Object({
      index: Type.Integer(),
      eventId: Type.String(),
      outcome: Outcome,
      duplicate: isDuplicate,
      issues: Type.Array(Issue),
    }),
  ),
})
export type IngestResult = Static<typeof IngestResult>

export const track = route({
  id: 'track',
  method: 'POST',
  path: '/v1/track',
  plane: 'data',
  access: 'send',
  scope: 'events:send',
  rate: 'ingest',
  tag: 'Ingest',
  summary: 'Send a single event',
  description:
    'The body is the event; a member is read by each of its names, the first one that is there. Of `anonymous_id`, ' +
    '`user_id` and `person_id` one is needed with a secret key. The answer comes after the event is on disk.',
  body: TrackBody,
  rawBody: true,
  success: { status: 202, body: TrackResult },
  problems: [...lookupProblems, 'contract-violation'],
})

export const batch = route({
  id: 'batch',
  method: 'POST',
  path: '/v1/batch',
  plane: 'data',
  access: 'send',
  scope: 'events:send',
  rate: 'ingest',
  tag: 'Ingest',
  summary: 'Send up to 1,000 events in one call',
  description:
    'One result an event, in input order. With `Prefer: handling=strict` either all events are stored or none.',
  body: BatchBody,
  rawBody: true,
  success: { status: 200, body: BatchResult },
  problems: [...lookupProblems, 'contract-violation'],
})

export const siteIngest = route({
  id: 'siteIngest',
  method: 'POST',
  path: '/api/ingest',
  plane: 'data',
  alsoOn: 'control',
  access: 'siteToken',
  rate: 'ingest',
  tag: 'Ingest',
  summary: 'Record events for a site',
  body: Type.Object({
    siteId: Type.String(),
    token: Type.String(),
    events: Type.Array(
      Type.Object({
        type: Type.String({ description: 'Kind of event' }),
        url: Type.Optional(Type.String({ description: 'Path of the page' })),
        ts: Type.Optional(Type.Number({ description: 'Seconds or milliseconds; below 1e11 means seconds' })),
      }),
    ),
  }),
  rawBody: true,
  success: { status: 202, body: IngestResult },
  problems: ['unauthenticated'],
})

export const notCountedReasons = [
  'bot',
  'duplicate_order',
  'superseded',
  'held',
  'discarded',
  'expired',
  'dead_letter',
] as const

/** Everything that happened to one event. */
export const Receipt = Type.Object({
  event_id: Type.String(),
  site_id: Type.String(),
  received_at: Time,
  name: Type.Object({
    sent: Type.String(),
    stored: Type.String(),
    rule: Type.Union([Type.String(), Type.Null()]),
  }),
  read_as: Type.Union(
    [
      Type.Object({
        name: Type.String(),
        rule: Type.Union([Type.String(), Type.Null()]),
        backfill_id: Type.Union([Type.String(), Type.Null()], {
          description: 'null where only its order is counted otherwise',
        }),
        counted: Type.Boolean(),
      }),
      Type.Null(),
    ],
    { description: 'What reads take it for while a back-fill lies over it' },
  ),
  contract: Type.Object({ name: Type.String(), version: Type.String() }),
  outcome: Outcome,
  issues: Type.Array(Issue),
  time: Type.Object({ ts: Time, sent: Type.Union([Time, Type.Null()]), correction_ms: Type.Integer() }),
  dedup: Type.Object({
    duplicate_of: Type.Union([Type.String(), Type.Null()]),
    counted: Type.Boolean({ description: 'Whether it is no repeat of an order that counts already' }),
    superseded_by: Type.Union([Type.String(), Type.Null()], {
      description: 'The event of a secret sender with the same id or order, which counts instead of this one',
    }),
    supersedes: Type.Array(Type.String(), {
      description: 'Events of public senders with the same id or order, which this one counts instead of',
    }),
  }),
  bot: Type.Boolean({ description: "Whether it is taken for a bot's; reports leave those out" }),
  bot_reason: Type.Union([OneOf(botReasons), Type.Null()]),
  counted: Type.Boolean({ description: 'Whether reports count it' }),
  not_counted_because: Type.Union([OneOf(notCountedReasons), Type.Null()]),
  person: Type.Object({ person_id: Type.String(), resolved_by: Type.String() }),
  session_id: Type.String(),
  consent_record_id: Type.Union([Type.String(), Type.Null()]),
  state: OneOf(['stored', 'held', 'discarded', 'expired', 'dead_letter']),
  dead_letter: Type.Union(
    [
      Type.Object({
        id: Type.String(),
        state: OneOf(['waiting', 'loaded', 'discarded']),
        step: Type.String(),
      }),
      Type.Null(),
    ],
    { description: 'Where a store refused it: the dead letter, and the step of the load that was refused' },
  ),
})
export type Receipt = Static<typeof Receipt>

export const getReceipt = route({
  id: 'getReceipt',
  method: 'GET',
  path: '/v1/events/:event_id/receipt',
  plane: 'control',
  access: 'read',
  scope: 'events:read',
  rate: 'controlRead',
  tag: 'Ingest',
  summary: 'What happened to one event',
  params: Type.Object({ event_id: Type.String({ maxLength: ingestLimits.eventIdLengthMax }) }),
  success: { status: 200, body: Receipt },
  problems: lookupProblems,
})

export const ingestRoutes = [track, batch, siteIngest, getReceipt] as const
