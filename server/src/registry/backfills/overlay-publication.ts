import type { Clock, NewId } from '../../platform/clock.ts'
import { dayMs } from '../../platform/units.ts'
import type { Control } from '../../store/control.ts'
import type { Events } from '../../store/events.ts'
import { locks } from '../../store/locks.ts'
import { endBackfill } from './claim-store.ts'
import { beginGeneration, type GenerationExtent, setGeneration } from './generation-store.ts'
import {
  dropGeneration,
  dropOverlayRows,
  hasReleases,
  insertOrders,
  layRange,
  layRecounted,
  type OverlayDay,
  type OverlayScope,
  selectExtent,
  selectOverlayDays,
} from './overlay-store.ts'
import type { Overlays } from './overlays.ts'
import { type BackfillRow, selectDone } from './store.ts'

export type SettlingOptions = {
  control: Control
  events: Events
  overlays: Overlays
  nodeId: string
  now: Clock
  newId: NewId
}

/** A join holds the rows of one statement in memory: some 100 MB. */
const rowsPerStatement = 200_000

/**
 * Makes the generation that reads go by once a back-fill is done or withdrawn, and lets them go by it: from one state
 * to the next at once, on every node. One at a time in the whole installation, so that none is built on another's
 * absence. Nothing happens when the back-fill is no longer ours to end.
 */
export async function settle(
  options: SettlingOptions,
  backfill: BackfillRow,
  outcome: 'done' | 'withdrawn',
): Promise<void> {
  const { control, events, overlays, newId } = options
  const { workspace_id: workspaceId, site_id: siteId, id } = backfill
  await control.exclusively(locks.settlingOfContracts, async () => {
    const others = (await selectDone(control, siteId)).filter((other) => other !== id)
    const backfillIds = outcome === 'done' ? [...others, id] : others
    const generation = newId('gen')
    const before = await beginGeneration(control, workspaceId, siteId, generation)
    if (before.next !== '') await dropGeneration(events, before.next)
    const extent = await layGeneration(events, { workspaceId, siteId, backfillIds }, generation)
    if (!(await end(options, backfill, outcome, extent))) return
    await overlays.changed(workspaceId)
    // The one before stays for reads that are under way; the one before that cannot be in use any more.
    if (before.previous !== '') await dropGeneration(events, before.previous)
    if (outcome === 'withdrawn') await dropOverlayRows(events, id)
  })
}

/** The overlay of reads and the status for the caller change together. */
async function end(
  { control, nodeId, now }: SettlingOptions,
  { id, site_id }: BackfillRow,
  outcome: 'done' | 'withdrawn',
  extent: GenerationExtent | null,
): Promise<boolean> {
  const at = new Date(now())
  return control.transaction(async (sql) => {
    const from = outcome === 'done' ? 'running' : 'withdrawing'
    if (!(await endBackfill(sql, nodeId, id, from, outcome, at))) return false
    await setGeneration(sql, site_id, extent, at)
    return true
  })
}

/** Null when nothing lies over the events. */
async function layGeneration(
  events: Events,
  standing: OverlayScope,
  generation: string,
): Promise<GenerationExtent | null> {
  if (standing.backfillIds.length === 0) return null
  const days = await selectOverlayDays(events, standing)
  if (days.length === 0) return null
  const hasOrders = days.some((day) => day.orders > 0)
  const laying = {
    ...standing,
    generation,
    hasOrders,
    hasReleases: await hasReleases(events, standing.workspaceId),
  }
  if (hasOrders) await insertOrders(events, standing, generation)
  for (const { fromMs, toMs } of inStatements(days)) await layRange(events, laying, fromMs, toMs)
  if (hasOrders) await layRecounted(events, laying)
  const extent = await selectExtent(events, generation)
  return extent && { generation, ...extent, hasOrders }
}

/** Whole days, as many together as a statement may take. */
function inStatements(days: readonly OverlayDay[]): { fromMs: number; toMs: number }[] {
  const ranges: { fromMs: number; toMs: number; rows: number }[] = []
  for (const { day_ms, rows } of days) {
    const last = ranges.at(-1)
    const isRoom = last !== undefined && last.rows + rows <= rowsPerStatement
    if (isRoom) Object.assign(last, { toMs: day_ms + dayMs, rows: last.rows + rows })
    else ranges.push({ fromMs: day_ms, toMs: day_ms + dayMs, rows })
  }
  return ranges.map(({ fromMs, toMs }) => ({ fromMs, toMs }))
}
