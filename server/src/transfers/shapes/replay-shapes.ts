import { identifierCharactersMax, replayLimits } from '@assay/contract'
import { chunkBytesMax, readChunk } from '../../replays/chunk.ts'
import type { TextRow } from '../control-store.ts'
import {
  bytes,
  matching,
  named,
  nullable,
  personId,
  text,
  time,
  whole,
  workspace,
} from '../import/value-checks.ts'
import { site } from './column-checks.ts'
import { type Flaw, type TableShape, textList } from './table-shape.ts'

const recordingId = matching(/^[A-Za-z0-9._-]{8,100}$/, 'an id of a recorder')

/** Recorded visits. */
export const replayShapes: Readonly<Record<string, TableShape>> = {
  replays: {
    names: { as: 'replays', columns: ['id'] },
    columns: {
      workspace_id: workspace,
      id: recordingId,
      site_id: site,
      session_id: text(identifierCharactersMax, 1),
      anonymous_id: text(identifierCharactersMax, 1),
      user_id: nullable(text(identifierCharactersMax, 1)),
      original_ids: textList(personId, 2 * replayLimits.chunksMax),
      started_at: time,
      ended_at: time,
      created_at: time,
      chunks: whole(0, replayLimits.chunksMax),
      events: whole(0, replayLimits.chunksMax * replayLimits.chunkEventsMax),
      bytes: whole(0, replayLimits.bytesMax),
    },
  },
  replay_chunks: {
    columns: {
      workspace_id: workspace,
      replay_id: named('replays'),
      id: recordingId,
      first_ms: whole(0, 1e14),
      events: bytes(chunkBytesMax, 1),
    },
    row: chunkFlaw,
  },
}

/** As a recorder would have to hand it in: a bomb, or anything that is no list of events, is refused. */
async function chunkFlaw({ events }: TextRow): Promise<Flaw | null> {
  const read = await readChunk(Buffer.from(String(events).slice(2), 'hex'))
  const isSound =
    read !== null && read.events.length <= replayLimits.chunkEventsMax && read.events.every(isRecorded)
  return isSound
    ? null
    : { column: 'events', reason: 'must be a packed list of recorded events within the limits' }
}

function isRecorded(event: unknown): boolean {
  return (
    typeof event === 'object' &&
    event !== null &&
    'timestamp' in event &&
    typeof event.timestamp === 'number' &&
    'type' in event &&
    Number.isInteger(event.type)
  )
}
