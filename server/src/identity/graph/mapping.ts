import { forEachItem, type ItemFailure } from '../../platform/items.ts'
import { RecentMap } from '../../platform/recent-map.ts'
import type { Control } from '../../store/control.ts'
import type { Events } from '../../store/events.ts'
import {
  insertMapping,
  selectHasMapping,
  selectMoved,
  selectUnmapped,
  updateMappedSeq,
} from './mapping-store.ts'

export type Mapping = {
  /** Copies moved identifiers to the events store. Failures are retried later. */
  follow: (workspaceId: string) => Promise<void>
  /** Catches up with everything that failed. */
  followAll: (onFailure: ItemFailure) => Promise<void>
  /**
   * Whether reads of a workspace need the mapping at all; synchronously when it is known, which it nearly
   * always is.
   */
  isUsed: (workspaceId: string) => boolean | Promise<boolean>
  forget: (workspaceId: string) => void
}

/** Rows per insert: their ids are part of the statement's URL, which is limited to a megabyte. */
const rowsPerInsert = 2_000
const channel = 'assay_identity_mapping'
/** Workspaces of which it is known whether they have merges; the others are looked up. */
const knownMax = 20_000

/** Keeps the events store's copy of the mapping in step with the ledger. */
export async function createMapping(
  control: Control,
  events: Events,
  onFailure: (error: unknown) => void,
): Promise<Mapping> {
  const used = new RecentMap<boolean>(knownMax)
  // Another node merged people for the first time, or may have while notices were missed.
  await control.listen(
    channel,
    (workspaceId) => used.set(workspaceId, true),
    () => used.clear(),
  )

  async function push(workspaceId: string): Promise<void> {
    for (;;) {
      const rows = await selectMoved(control, workspaceId, rowsPerInsert)
      const last = rows.at(-1)
      if (last === undefined) return
      await insertMapping(events, workspaceId, rows)
      // Rows of one entry may be on both sides of the cut, so a full page stops before the last one's.
      const isFull = rows.length === rowsPerInsert && rows[0]?.changed_seq !== last.changed_seq
      await updateMappedSeq(control, workspaceId, isFull ? last.changed_seq - 1 : last.changed_seq)
      await markUsed(workspaceId)
    }
  }

  async function markUsed(workspaceId: string): Promise<void> {
    if (used.get(workspaceId) === true) return
    used.set(workspaceId, true)
    await control.notify(channel, workspaceId)
  }

  async function follow(workspaceId: string): Promise<void> {
    try {
      await push(workspaceId)
    } catch (error) {
      // The ledger has the change; reads follow as soon as the events store answers again.
      onFailure(error)
    }
  }

  return {
    follow,
    followAll: async (onFailure) => forEachItem(await selectUnmapped(control), push, onFailure),
    forget: (workspaceId) => void used.delete(workspaceId),
    isUsed(workspaceId) {
      const known = used.get(workspaceId)
      if (known !== undefined) return known
      return selectHasMapping(control, workspaceId).then((has) => {
        if (used.get(workspaceId) === undefined) used.set(workspaceId, has)
        return used.get(workspaceId) ?? has
      })
    },
  }
}
