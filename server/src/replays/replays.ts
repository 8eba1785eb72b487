import type { SessionReplay } from '@assay/contract'
import type { SiteRow } from '../sites/sites.ts'
import {
  everythingOf,
  keptSince,
  listRecorded,
  type Page,
  type Reader,
  type RecordingQuery,
  readEvents,
  readRecorded,
} from './playback.ts'
import { type Chunk, type Receipt, type RecordingWorld, takeChunk } from './recorder.ts'
import { deleteDaysBefore, deleteReplayRow, deleteReplaysBefore, deleteReplaysOf } from './store.ts'

type Cursor = string | undefined

/** Recorded visits: storing, playing and expiring them. */
export type Replays = {
  take: (site: SiteRow, chunk: Chunk, gpc: boolean) => Promise<Receipt>
  list: (
    workspaceId: string,
    wanted: RecordingQuery,
    cursor: Cursor,
    limit: number,
  ) => Promise<Page<SessionReplay>>
  get: (workspaceId: string, id: string) => Promise<SessionReplay>
  /** What was recorded, some chunks at a time, in the order in which it happened. */
  events: (workspaceId: string, id: string, cursor: Cursor, chunks: number) => Promise<Page<unknown>>
  /** All recordings of a person, given by all their original ids. */
  holdings: (workspaceId: string, originalIds: readonly string[]) => AsyncGenerator<unknown>
  remove: (workspaceId: string, id: string) => Promise<void>
  /**
   * Permanently deletes what shows a person, given by all their original ids. Returns the number of replays.
   */
  forget: (workspaceId: string, originalIds: readonly string[]) => Promise<number>
  /** Deletes expired recordings, by a time that the caller is sure of: they cannot be restored. */
  forgetOld: (nowMs: number) => Promise<void>
}

/** Keeps a statement short, however much expired while the product was stopped. */
const replaysPerDelete = 200

export function createReplays(world: RecordingWorld & Reader): Replays {
  const { control } = world
  return {
    take: (site, chunk, gpc) => takeChunk(world, site, chunk, gpc),
    list: (workspaceId, wanted, cursor, limit) => listRecorded(world, workspaceId, wanted, cursor, limit),
    get: (workspaceId, id) => readRecorded(world, workspaceId, id),
    async events(workspaceId, id, cursor, chunks) {
      await readRecorded(world, workspaceId, id)
      return readEvents(world, workspaceId, id, cursor, chunks)
    },
    holdings: (workspaceId, originalIds) => everythingOf(world, workspaceId, originalIds),
    async remove(workspaceId, id) {
      await readRecorded(world, workspaceId, id)
      await deleteReplayRow(control, workspaceId, id)
    },
    forget: (workspaceId, originalIds) => deleteReplaysOf(control, workspaceId, originalIds),
    async forgetOld(nowMs) {
      const since = keptSince({ ...world, now: () => nowMs })
      while ((await deleteReplaysBefore(control, since, replaysPerDelete)) === replaysPerDelete);
      await deleteDaysBefore(control, since)
    },
  }
}
