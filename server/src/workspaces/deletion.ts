import type { Clock } from '../platform/clock.ts'
import { forEachItem, type ItemFailure } from '../platform/items.ts'
import { dayMs } from '../platform/units.ts'
import type { Control } from '../store/control.ts'
import type { Events } from '../store/events.ts'
import { locks } from '../store/locks.ts'
import type { ClosedWorkspaces } from './closed-workspaces.ts'
import {
  deleteGenerationsOf,
  deleteRowsOf,
  deleteWorkspaceRow,
  isDeleting,
  markDeletionStarted,
  selectDeletedWorkspaces,
  selectDueDeletions,
  selectMemberIds,
  selectTablesByWorkspace,
  selectWorkspacesIn,
} from './deletion-store.ts'

export type DeletionWorld = {
  control: Control
  events: Events
  now: Clock
  closed: ClosedWorkspaces
  /** Carries what the log holds into the events store, so that nothing comes after; false when it cannot. */
  flushLog: () => Promise<boolean>
  /** Called for every person who lost a workspace. */
  userChanged: (userId: string) => Promise<void>
}

/** A node that was away for longer, with events in its log, has other worries. */
const lateDaysMax = 90

/**
 * Carries out every deletion whose delay is over. Each step can be done twice, and the row of the workspace goes last:
 * whenever the process dies, the next one finds the row and does it again.
 */
export function deleteDueWorkspaces(world: DeletionWorld, onFailure: ItemFailure): Promise<string[]> {
  const { control, now } = world
  return control.exclusively(locks.deletionOfWorkspaces, async () => {
    const deleted: string[] = []
    const remove = async (id: string) => {
      if (await deleteWorkspace(world, id)) deleted.push(id)
    }
    await forEachItem(await selectDueDeletions(control, new Date(now())), remove, onFailure)
    return deleted
  })
}

async function deleteWorkspace(world: DeletionWorld, id: string): Promise<boolean> {
  const { control, events, now, closed, flushLog, userChanged } = world
  if (!(await markDeletionStarted(control, id, new Date(now())))) return false
  if (!(await flushLog())) return false
  if (!(await deleteEventsOf(events, [id]))) return false
  const memberIds = await control.transaction(async (sql) => {
    const ids = await selectMemberIds(sql, id)
    await deleteWorkspaceRow(sql, id, new Date(now()))
    return ids
  })
  await closed.gone(id)
  for (const memberId of memberIds) await userChanged(memberId)
  return true
}

/** Another node may have had events of a workspace in its log while it was deleted; they go as soon as they show up. */
export async function sweepDeletedWorkspaces(
  { control, events, now }: DeletionWorld,
  onFailure: ItemFailure,
): Promise<void> {
  const ids = await selectDeletedWorkspaces(control, new Date(now() - lateDaysMax * dayMs))
  if (ids.length === 0) return
  try {
    await deleteEventsOf(events, ids)
  } catch {
    // Each alone, so that one does not delay the others.
    await forEachItem(ids, (id) => deleteEventsOf(events, [id]), onFailure)
  }
}

/** False while a table is still being rewritten: large ones take longer than a statement may. */
export async function deleteEventsOf(events: Events, workspaceIds: readonly string[]): Promise<boolean> {
  // First, because it is found through rows that go in the loop.
  await deleteGenerationsOf(events, workspaceIds)
  for (const table of await selectTablesByWorkspace(events)) {
    const present = await selectWorkspacesIn(events, table, workspaceIds)
    if (present.length === 0) continue
    if (await isDeleting(events, table, present)) return false
    await deleteRowsOf(events, table, present)
  }
  return true
}
