import { type EventRetention, heldDays } from '@assay/contract'
import type { KeptRows } from '../../analytics/kept-rows/kept-rows.ts'
import { deadDays as outgoingDays } from '../../destinations/dispatch.ts'
import { forEachItem, type ItemFailure } from '../../platform/items.ts'
import type { Logger } from '../../platform/logging/logger.ts'
import type { Platform } from '../../platform/platform.ts'
import { deleteOverlayOrders, type Overlays, overlayOf } from '../../registry/backfills/overlays.ts'
import { midnightBefore } from '../../sites/calendar.ts'
import type { Sites } from '../../sites/sites.ts'
import { noteRemovedBefore, type SiteRow, sitesWithRetention } from '../../sites/sites.ts'
import { locks } from '../../store/locks.ts'
import { keptDays as deliveryDays } from '../../webhooks/deliveries.ts'
import { exportDays } from '../requests/person-export.ts'
import { type Bound, deleteOld, selectOld, selectPreview } from './old-events-store.ts'
import { holdMs, lookAtClock, type RemovalClock } from './removal-clock.ts'
import { selectRemovalClock, upsertRemovalClock } from './removal-clock-store.ts'

export type RetentionWorld = Pick<Platform, 'control' | 'events' | 'now'> & {
  sites: Sites
  overlays: Overlays
  /** Drops cached reports of a workspace, on every node. */
  evictReports: (workspaceId: string) => Promise<void>
  keptRows: Pick<KeptRows, 'forget'>
}

/** How long the operator keeps what sites have no say in. */
export type RetentionLimits = { allowed: { replayDays: number } }

/** Sites whose old events go with one statement: enough for nearly all installations, and a short text. */
const sitesPerStatement = 200
/** What one statement removes at most, or a month of it: rewriting so many takes a server seconds. */
const eventsPerRun = 10_000_000

/**
 * Whole days of the site go, so that a report of as many days is complete and nothing is rewritten twice a day. The
 * bound is the one of `window` in reads.
 */
export function retentionBoundMs(nowMs: number, days: number, timezone: string): number {
  return midnightBefore(nowMs, days, timezone)
}

/**
 * Removes events beyond the retention of their sites. Costs no query if all keep theirs forever, and one if
 * there is nothing to remove. Each step is idempotent, so an interrupted run is continued by the next, on any
 * node.
 */
export function removeOldEvents(
  world: RetentionWorld,
  logger: Logger,
  onFailure: ItemFailure,
): Promise<void> {
  const { control, now } = world
  return control.exclusively(locks.removalOfOldEvents, async () => {
    // Also where no site asks for it yet, so that the time is known when one does.
    const clock = lookAtClock(await selectRemovalClock(control), now())
    await upsertRemovalClock(control, clock)
    if (clock.doubt !== null) logger.warn(doubtText(clock.believedMs, clock.doubt))
    const bounds: Bound[] = []
    const addBound = async (site: SiteRow) => {
      const bound = boundOf(site, clock.believedMs)
      if (bound !== null) bounds.push(bound)
    }
    await forEachItem(await sitesWithRetention(control), addBound, onFailure)
    for (let start = 0; start < bounds.length; start += sitesPerStatement) {
      await removeOrEach(world, bounds.slice(start, start + sitesPerStatement), onFailure)
    }
  })
}

/** Together; if that fails, each alone, so that one site does not block the others. */
async function removeOrEach(world: RetentionWorld, wanted: readonly Bound[], onFailure: ItemFailure) {
  try {
    await removeBefore(world, wanted)
  } catch (error) {
    if (wanted.length === 1) return onFailure(error, wanted[0])
    await forEachItem(wanted, (bound) => removeBefore(world, [bound]), onFailure)
  }
}

/** How late it is for whatever else is removed for good by its age. */
export async function removalNowMs({
  control,
  now,
}: Pick<RetentionWorld, 'control' | 'now'>): Promise<number> {
  return Math.min(now(), (await selectRemovalClock(control)).believedMs)
}

function doubtText(believedMs: number, { seenMs, heldMs }: NonNullable<RemovalClock['doubt']>): string {
  const [seen, believed] = [seenMs, believedMs].map((ms) => new Date(ms).toISOString())
  const hoursLeft = Math.ceil((holdMs - heldMs) / 3_600_000)
  const leap = `The clock leapt to ${seen}; old events are removed as of ${believed}`
  return `${leap} until it has lasted for ${hoursLeft} hours more`
}

function boundOf(site: SiteRow, nowMs: number): Bound | null {
  const { workspace_id: workspaceId, id: siteId, event_retention_days: days, timezone } = site
  return days === null ? null : { workspaceId, siteId, beforeMs: retentionBoundMs(nowMs, days, timezone) }
}

async function removeBefore(world: RetentionWorld, wanted: readonly Bound[]): Promise<void> {
  const { control, events, sites, overlays, evictReports, keptRows } = world
  const found = await selectOld(events, wanted)
  if (found.length === 0) return
  const untilMs = endOfRun(found.filter(({ kind }) => kind === 'stored'))
  const due = wanted
    .filter(({ siteId }) => found.some((row) => row.site_id === siteId))
    .map((bound) => ({ ...bound, beforeMs: Math.min(bound.beforeMs, untilMs) }))
  const cut = due.filter(({ siteId }) => found.some((row) => row.site_id === siteId && row.kind === 'stored'))
  for (const bound of cut) {
    await noteRemovedBefore(control, sites, bound.siteId, new Date(bound.beforeMs))
    const overlay = await overlayOf(overlays, bound.workspaceId, bound.siteId)
    if (overlay?.hasOrders === true) await deleteOverlayOrders(events, bound, overlay.generation)
  }
  await deleteOld(events, due)
  for (const workspaceId of new Set(cut.map((bound) => bound.workspaceId))) {
    await evictReports(workspaceId)
    await keptRows.forget(workspaceId)
  }
}

/** Whole months, the oldest first, until there is enough for one run; those that are left have the next one. */
export function endOfRun(
  found: readonly { month: string; rows: number }[],
  rowsMax: number = eventsPerRun,
): number {
  const months = [...Map.groupBy(found, ({ month }) => month)].sort(([a], [b]) => (a < b ? -1 : 1))
  let sum = 0
  for (const [index, [month, rows]] of months.entries()) {
    sum += rows.reduce((total, one) => total + one.rows, 0)
    if (sum > rowsMax && index > 0) return Date.UTC(Number(month.slice(0, 4)), Number(month.slice(4)) - 1)
  }
  return Number.POSITIVE_INFINITY
}

/** How long everything of a site is kept, and what another number of days would remove today. */
export async function readEventRetention(
  { events, now, allowed }: Pick<Platform, 'events' | 'now'> & RetentionLimits,
  site: SiteRow,
  days: number | undefined,
): Promise<EventRetention> {
  const { workspace_id: workspaceId, id: siteId, timezone } = site
  const beforeMs = days === undefined ? 0 : retentionBoundMs(now(), days, timezone)
  const preview = await selectPreview(events, { workspaceId, siteId, beforeMs })
  const oldestEventAt = preview.oldestMs === null ? null : new Date(preview.oldestMs).toISOString()
  return {
    siteId,
    eventRetentionDays: site.event_retention_days,
    retainedSince: site.events_removed_before?.toISOString() ?? null,
    stored: { events: preview.events, oldestEventAt },
    preview:
      days === undefined
        ? null
        : {
            days,
            before: new Date(beforeMs).toISOString(),
            events: preview.removed,
            held: preview.held,
            oldestEventAt: preview.removed === 0 ? null : oldestEventAt,
          },
    kept: { heldDays, replayDays: allowed.replayDays, deliveryDays, outgoingDays, exportDays },
  }
}
