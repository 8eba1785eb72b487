import type { Condition } from '@assay/contract'
import { createSharedCache } from '../platform/shared-cache.ts'
import type { Control } from '../store/control.ts'
import { conditionsOf } from './goals.ts'
import { selectEveryGoal } from './store.ts'

/** A goal, and what an event has to fit to reach it. */
export type SiteGoal = { id: string; name: string; conditions: readonly Condition[] }

export type SiteGoals = {
  of: (workspaceId: string, siteId: string) => Promise<readonly SiteGoal[]>
  /** Reads them again, on every node. */
  changed: (workspaceId: string) => Promise<void>
  forget: (workspaceId: string) => void
}

/** Every read of a site counts conversions, so they are kept in memory. */
export async function createSiteGoals(control: Control): Promise<SiteGoals> {
  const goals = await createSharedCache(control, {
    channel: 'assay_goals',
    read: async (workspaceId) =>
      (await selectEveryGoal(control, workspaceId)).map((row) => ({
        id: row.id,
        name: row.name,
        siteId: row.site_id,
        conditions: conditionsOf(row),
      })),
  })
  return {
    of: async (workspaceId, siteId) => (await goals.of(workspaceId)).filter((goal) => goal.siteId === siteId),
    changed: goals.changed,
    forget: goals.forget,
  }
}
