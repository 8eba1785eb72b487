import type { Platform } from '../platform/platform.ts'
import type { Modules } from './modules.ts'

export type Parts = ReturnType<typeof partsOf>

/** What tests and benches look into from outside, by its name. No module is given this. */
export function partsOf(platform: Platform, named: Modules) {
  const { sites, auth, registry, identity, consent, destinations, ingest, workspaces } = named
  const { quarantine, webhooks, replays, analytics, attribution, eventHealth, transfers } = named
  return {
    ...platform,
    ...auth,
    ...registry,
    ...identity,
    ...consent,
    ...destinations,
    ...ingest,
    ...webhooks,
    ...replays,
    ...attribution,
    ...eventHealth,
    ...transfers,
    ...analytics.reading,
    closedWorkspaces: workspaces.closed,
    audit: named.audit.trail,
    sites: sites.known,
    requireSite: sites.requireSite,
    rates: sites.rates,
    held: quarantine.decisions.held,
    sendNotice: destinations.outgoing.sendNotice,
    wantNotice: destinations.outgoing.destinations.wanting,
    alertWork: named.alertWork,
    kept: analytics.kept,
    evictReports: analytics.evictReports,
    keptRows: analytics.keptRows,
    importLock: named.importLock,
    demos: named.demo.demos,
    digests: named.digests,
    privacy: named.privacy.privacy,
    allowed: platform.config,
  }
}
