import { type Moments, MomentTable, noMoments, type Placed } from './baseline.ts'
import type { AffectedCell, Estimate } from './impact.ts'
import { estimate } from './impact.ts'
import type { Segments } from './order-value.ts'

/** Sums over sessions, as the store makes them (landmark-store.ts). */
export type MomentRow = Placed & {
  /**
   * Empty: all moments of all sessions. Else of the sessions that this group met: what is to be taken away from all,
   * namely the moments from the error on, as negative sums; and of the moments before it, what was bought later.
   */
  groupId: string
  isCurrent: boolean
  moments: Moments
}

export type HitRow = AffectedCell & { groupId: string; isCurrent: boolean }

export type SessionTally = {
  moments: readonly MomentRow[]
  hits: readonly HitRow[]
}

/** What every group cost in one of the two periods. */
export function estimatesOf(
  { moments, hits }: SessionTally,
  isCurrent: boolean,
  values: Segments,
): Map<string, Estimate> {
  const byGroup = Map.groupBy(
    moments.filter((row) => row.isCurrent === isCurrent),
    ({ groupId }) => groupId,
  )
  const everybody = tableOf(byGroup.get('') ?? [])
  const estimates = new Map<string, Estimate>()
  const hitsByGroup = Map.groupBy(
    hits.filter((row) => row.isCurrent === isCurrent),
    ({ groupId }) => groupId,
  )
  for (const [groupId, own] of hitsByGroup) {
    const changes = tableOf(byGroup.get(groupId) ?? [])
    estimates.set(groupId, estimate(own, controlOf(everybody, changes), values))
  }
  return estimates
}

function tableOf(rows: readonly MomentRow[]): MomentTable {
  const table = new MomentTable()
  for (const row of rows) table.add(row, row.moments)
  return table
}

/** All sessions, less those that the error had met by then. */
function controlOf(everybody: MomentTable, changes: MomentTable): (key: string) => Moments {
  return (key) => {
    const [all, change] = [everybody.get(key), changes.get(key)]
    if (change === noMoments) return all
    return {
      sessions: all.sessions + change.sessions,
      steps: all.steps + change.steps,
      stepsBought: all.stepsBought + change.stepsBought,
      stepsSquared: Math.max(0, all.stepsSquared + change.stepsSquared),
      shares: Math.max(0, all.shares + change.shares),
      sharesBought: Math.max(0, all.sharesBought + change.sharesBought),
      sharesSquared: Math.max(0, all.sharesSquared + change.sharesSquared),
      stepsLater: change.stepsLater,
      stepsBoughtLater: change.stepsBoughtLater,
      sharesLater: change.sharesLater,
      sharesBoughtLater: change.sharesBoughtLater,
    }
  }
}
