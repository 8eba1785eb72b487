import { type Static, Type } from 'typebox'
import { identifierCharactersMax } from '../identity/identifier.ts'
import { lookupProblems } from '../problems.ts'
import { route } from '../route.ts'
import { PersonReference, paging, SnakePage, Time } from '../shapes.ts'

/** Limits of recordings. A larger chunk is refused, a replay at its limit takes no more. */
export const replayLimits = {
  /** Characters of its events as JSON, decompressed. The recorder cuts at a million. */
  chunkCharactersMax: 1_100_000,
  chunkEventsMax: 10_000,
  /** An hour in chunks of five seconds. */
  chunksMax: 720,
  /** Compressed, as stored: about ten times as much before. */
  bytesMax: 20_000_000,
  /** Compressed, of all replays of a site per UTC day: about 5,000 visits of a megabyte. */
  siteBytesPerDayMax: 5_000_000_000,
} as const

const Id = Type.String({ minLength: 8, maxLength: 100, pattern: '^[A-Za-z0-9._-]+$' })
/** Postgres can store any text but this one character. */
const Name = Type.String({ minLength: 1, maxLength: identifierCharactersMax, pattern: '^[^\\u0000]*$' })
/** Far in the future, and still a whole number of ms in every store. */
const timeMsMax = 1e14
/** An event of rrweb, masked in the browser. Only its time is read here. */
const RecordedEvent = Type.Object({
  type: Type.Integer(),
  timestamp: Type.Number({ minimum: 0, maximum: timeMsMax }),
  data: Type.Unknown(),
})

export const recordReplay = route({
  id: 'recordReplay',
  method: 'POST',
  path: '/v1/replay',
  plane: 'data',
  access: 'send',
  scope: 'events:send',
  rate: 'ingest',
  tag: 'Replays',
  summary: 'Hand in a part of a recorded visit',
  description:
    'What `/replay.js` sends. A chunk that comes again is known by its id and stored once. Nothing is stored where ' +
    'the visitor denies `analytics_storage` or asked to be forgotten.',
  body: Type.Object({
    replay_id: Id,
    chunk_id: Id,
    session_id: Name,
    anonymous_id: Name,
    user_id: Type.Optional(Name),
    sent_at: Type.Number({
      minimum: 0,
      maximum: timeMsMax,
      description: 'The clock of the sender, in ms, by which times are put right',
    }),
    events: Type.Array(RecordedEvent, { minItems: 1, maxItems: replayLimits.chunkEventsMax }),
    write_key: Type.Optional(Type.String({ maxLength: 100 })),
  }),
  success: {
    status: 202,
    body: Type.Object({
      stored: Type.Boolean(),
      reason: Type.Union([
        Type.String({ description: 'consent_denied, suppressed, replay_full, site_full or test_key' }),
        Type.Null(),
      ]),
    }),
  },
  problems: [...lookupProblems, 'conflict', 'payload-too-large'],
})

/** The recording of one visit in one tab. */
export const SessionReplay = Type.Object({
  id: Type.String(),
  site_id: Type.String(),
  session_id: Type.String(),
  anonymous_id: Type.String(),
  user_id: Type.Union([Type.String(), Type.Null()]),
  started_at: Time,
  ended_at: Time,
  chunks: Type.Integer(),
  events: Type.Integer(),
  bytes: Type.Integer({ description: 'As stored, packed' }),
  expires_at: Time,
})
export type SessionReplay = Static<typeof SessionReplay>

/** Watching replays needs the same scope as reading people. */
const reading = { plane: 'control', access: 'read', scope: 'identity:read', rate: 'controlRead' } as const
const byId = Type.Object({ id: Type.String({ maxLength: 100 }) })
const filterText = Type.Optional(Name)

export const listReplays = route({
  ...reading,
  id: 'listReplays',
  method: 'GET',
  path: '/v1/replays',
  tag: 'Replays',
  summary: 'List recorded visits, newest first',
  query: Type.Object(
    {
      ...paging,
      site_id: filterText,
      session_id: filterText,
      person_id: Type.Optional(PersonReference),
    },
    { additionalProperties: false },
  ),
  success: { status: 200, body: SnakePage(SessionReplay) },
  problems: lookupProblems,
})

export const getReplay = route({
  ...reading,
  id: 'getReplay',
  method: 'GET',
  path: '/v1/replays/:id',
  tag: 'Replays',
  summary: 'One recorded visit',
  params: byId,
  success: { status: 200, body: SessionReplay },
  problems: lookupProblems,
})

export const listReplayEvents = route({
  ...reading,
  id: 'listReplayEvents',
  method: 'GET',
  path: '/v1/replays/:id/events',
  tag: 'Replays',
  summary: 'What was recorded, for a player',
  description: 'The events of all pages together are what `new Replayer(events)` of rrweb plays.',
  params: byId,
  query: Type.Object(
    {
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 50, default: 20, description: 'Chunks of a page' }),
      ),
      cursor: paging.cursor,
    },
    { additionalProperties: false },
  ),
  success: { status: 200, body: SnakePage(Type.Unknown()) },
  problems: lookupProblems,
})

export const deleteReplay = route({
  id: 'deleteReplay',
  method: 'DELETE',
  path: '/v1/replays/:id',
  plane: 'control',
  access: 'write',
  scope: 'identity:write',
  rate: 'controlWrite',
  tag: 'Replays',
  summary: 'Delete a recorded visit at once',
  params: byId,
  success: { status: 204, body: null },
  problems: lookupProblems,
  audit: { action: 'replay.deleted' },
})

export const replayRoutes = [recordReplay, listReplays, getReplay, listReplayEvents, deleteReplay] as const
