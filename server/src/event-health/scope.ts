import type { NoticeType } from '@assay/contract'
import type { Identifier } from '../identity/graph/identifier.ts'
import type { Clock, NewId } from '../platform/clock.ts'
import type { SendNotice } from '../platform/notices.ts'
import { dayMs, hourMs } from '../platform/units.ts'
import type { SiteRow } from '../sites/sites.ts'
import type { Control } from '../store/control.ts'
import type { Events } from '../store/events.ts'
import type { HealthScope } from './stores/measures.ts'

/** What this module works with. */
export type HealthContext = {
  control: Control
  events: Events
  sitesOf: (workspaceId: string) => Promise<SiteRow[]>
  /** Where a stored event lies. */
  locate: (workspaceId: string, eventId: string) => Promise<{ siteId: string; tsMs: number } | null>
  /** The current person of the first of these that identifies anyone; null if none does. */
  personOf: (workspaceId: string, identifiers: readonly Identifier[]) => Promise<string | null>
  now: Clock
  newId: NewId
  sendNotice: SendNotice
  /** Workspaces that want this notice. */
  wanting: (type: NoticeType) => readonly string[]
}

/** One site, which the caller has looked up, or all of a workspace. */
export async function scopeOf(
  context: HealthContext,
  workspaceId: string,
  siteId: string | undefined,
): Promise<HealthScope> {
  const sites = siteId === undefined ? await context.sitesOf(workspaceId) : []
  return { workspaceId, siteIds: siteId === undefined ? sites.map(({ id }) => id) : [siteId] }
}

export function keyOf(name: string): string {
  return name.startsWith('$') ? name.slice(1) : name
}

/** Whole hours up to the one that has begun, since arrivals are counted by hour. */
export function spanOf(window: string | undefined, nowMs: number): { fromMs: number; toMs: number } {
  const days = Number.parseInt(window ?? '7d', 10)
  const toMs = Math.floor(nowMs / hourMs) * hourMs + hourMs
  return { fromMs: toMs - days * dayMs, toMs }
}
