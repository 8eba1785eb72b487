import type { getSeverities, Output } from '@assay/contract'
import { dayMs } from '../../platform/units.ts'
import type { Events } from '../../store/events.ts'
import { selectUnregistered } from './unregistered-store.ts'

type Unregistered = Output<typeof getSeverities>['unregistered']

const namesMax = 20

/** What came by names that were not registered: counted while the workspace learned, else quarantined. */
export async function countUnregistered(
  events: Events,
  workspaceId: string,
  siteId: string | undefined,
  days: number,
  nowMs: number,
): Promise<Unregistered> {
  const rows = await selectUnregistered(events, workspaceId, siteId ?? '', nowMs - days * dayMs)
  const names = rows.map(({ name, events: seen, quarantined }) => ({
    name,
    events: Number(seen),
    quarantined: Number(quarantined),
  }))
  const quarantined = names.reduce((sum, each) => sum + each.quarantined, 0)
  const all = names.reduce((sum, each) => sum + each.events, 0)
  return { days, would_quarantine: all - quarantined, quarantined, names: names.slice(0, namesMax) }
}
