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
  /** Tells the events store who moved. What cannot be told now is told later. */
  follow: (workspaceId: string) => Promise<void>
  /** Catches up with everything that could not be told. */
  followAll: (onFailure: ItemFailure) => Promise<void>
  /** Whether reads of a workspace must ask the mapping at all; at once when it is known, which it nearly always is. */
  isUsed: (workspaceId: string) => boolean | Promise<boolean>
  forget: (workspaceId: string) => void
}

/** Rows told at once: their ids travel in the address of the statement, which holds a megabyte. */
const rowsPerInsert = 2_000
const channel = 'assay_identity_mapping'
/** Workspaces of which it is known whether anybody was merged in them; the others are looked up. */
const knownMax = 20_000

/** Keeps the events store's copy of who is who in step with the ledger. */
export async function createMapping(
  control: Control,
  events: Events,
  onFailure: (error: unknown) => void,
): Promise<Mapping> {
  const used = new RecentMap<boolean>(knownMax)
  // Another node merged somebody for the first time; or it may have, while nobody listened.
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
      // Rows of one entry may lie on both sides of the cut, so a full page stops before the last one's.
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
      // The ledger holds what happened; reads follow as soon as the events store answers again.
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
