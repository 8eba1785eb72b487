import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { Problem, type RawEvent, readTrack, type recordReplay, replayLimits } from '@assay/contract'
import type { Static } from 'typebox'
import type { ConsentJudge } from '../consent/consents.ts'
import type { People } from '../identity/people.ts'
import type { Clock } from '../platform/clock.ts'
import type { SiteRow } from '../sites/sites.ts'
import type { Control } from '../store/control.ts'
import { addDayBytes, extendReplay, insertChunk, lockReplay, type Part, selectDayBytes } from './store.ts'

export type Chunk = Static<(typeof recordReplay)['body']>
export type Receipt = { stored: boolean; reason: string | null }

export type RecordingWorld = { control: Control; people: People; consents: ConsentJudge; now: Clock }

/** Below this a difference of clocks is the network, as for events. */
const skewToleranceMs = 2_000
/** Chunks are sent within seconds, or a minute where the network fails: what claims to be older has a broken clock. */
const chunkMsMax = 3_600_000

const pack = promisify(gzip)
const stored: Receipt = { stored: true, reason: null }
const refused = (reason: string): Receipt => ({ stored: false, reason })

/** Stores a part of a visit, or says why not. Resolves when it is on disk. */
export async function takeChunk(
  world: RecordingWorld,
  site: SiteRow,
  chunk: Chunk,
  gpc: boolean,
): Promise<Receipt> {
  const text = JSON.stringify(chunk.events)
  if (text.length > replayLimits.chunkCharactersMax) throw tooLarge(text.length)
  const visitor = visitorOf(chunk)
  if (visitor === null) return refused('consent_denied')
  const refusal = await refusalOf(world, site, visitor, gpc)
  if (refusal !== null) return refused(refusal)
  const bytes = await pack(text)
  const part = partOf(world, site, chunk, visitor)
  return world.control.transaction(async (sql) => {
    const replay = await lockReplay(sql, part)
    if (replay.site_id !== site.id) throw elsewhere()
    if (replay.chunks >= replayLimits.chunksMax || replay.bytes + bytes.length > replayLimits.bytesMax) {
      return refused('replay_full')
    }
    if ((await selectDayBytes(sql, part)) + bytes.length > replayLimits.siteBytesPerDayMax) {
      return refused('site_full')
    }
    const firstMs = Math.floor(least(chunk))
    const isNew = await insertChunk(sql, part, { id: chunk.chunk_id, firstMs, events: bytes })
    if (isNew) {
      await extendReplay(sql, part, chunk.events.length, bytes.length)
      await addDayBytes(sql, part, bytes.length)
    }
    return stored
  })
}

function tooLarge(characters: number): Problem {
  return new Problem('payload-too-large', {
    detail: `${characters} characters of events are over the limit of ${replayLimits.chunkCharactersMax} a chunk.`,
  })
}

function elsewhere(): Problem {
  return new Problem('conflict', { detail: 'This replay_id belongs to another site.' })
}

type Visitor = RawEvent & { anonymousId: string; sessionId: string }

/** Ids are read like those of events. Placeholders identify no one who could consent. */
function visitorOf({ anonymous_id, user_id, session_id }: Chunk): Visitor | null {
  const reading = readTrack({ event: 'replay', anonymous_id, user_id, session_id })
  if (reading.kind !== 'event' || reading.event.findings.length > 0) return null
  const { anonymousId, sessionId } = reading.event
  if (anonymousId === undefined || sessionId === undefined) return null
  return { ...reading.event, anonymousId, sessionId }
}

/** Asked of the same judge as events are, at the same moment: when it arrives. */
async function refusalOf(
  { consents }: RecordingWorld,
  site: SiteRow,
  visitor: Visitor,
  gpc: boolean,
): Promise<string | null> {
  const { consent, suppressed } = await consents.find(site.workspace_id, visitor, site, gpc)
  if (suppressed) return 'suppressed'
  return consent?.allowed('analytics_storage') === 'denied' ? 'consent_denied' : null
}

const least = ({ events }: Chunk): number =>
  events.reduce((first, { timestamp }) => Math.min(first, timestamp), Number.MAX_SAFE_INTEGER)

function partOf({ people, now }: RecordingWorld, site: SiteRow, chunk: Chunk, visitor: Visitor): Part {
  const workspaceId = site.workspace_id
  const receivedMs = now()
  const skewMs = receivedMs - chunk.sent_at
  const shiftMs = Math.abs(skewMs) > skewToleranceMs ? skewMs : 0
  const place = (ms: number) =>
    new Date(Math.min(Math.max(ms + shiftMs, receivedMs - chunkMsMax), receivedMs))
  const latest = chunk.events.reduce((last, { timestamp }) => Math.max(last, timestamp), 0)
  const { anonymousId, userId, sessionId } = visitor
  const identifiers = [
    { type: 'anonymous_id', value: anonymousId },
    ...(userId === undefined ? [] : [{ type: 'user_id', value: userId }]),
  ]
  return {
    workspaceId,
    replayId: chunk.replay_id,
    siteId: site.id,
    sessionId,
    anonymousId,
    userId: userId ?? null,
    originalIds: identifiers.map((identifier) => people.originalId(workspaceId, identifier)),
    startedAt: place(least(chunk)),
    endedAt: place(latest),
    receivedAt: new Date(receivedMs),
  }
}
