import type { ConsentModule } from '../consent/module.ts'
import type { DestinationsModule } from '../destinations/module.ts'
import type { Freshness } from '../http/fresh-read.ts'
import type { IdentityModule } from '../identity/module.ts'
import type { Module } from '../platform/module.ts'
import type { Platform } from '../platform/platform.ts'
import type { RegistryModule } from '../registry/module.ts'
import type { SitesModule } from '../sites/module.ts'
import { createLetterDecisions } from './dead-letters/decisions.ts'
import { deadLetterData } from './dead-letters/personal-data.ts'
import { deadLetterRoutes } from './dead-letters/routes.ts'
import { createIngest, type Ingest } from './ingest.ts'
import { ingestJobs } from './jobs.ts'
import { type LogAndLoader, loadRest, openFileLog } from './log-and-loader.ts'
import { eventData, logData } from './personal-data.ts'
import { createFreshness } from './receipts/freshness.ts'
import { locateEvent } from './receipts/receipt.ts'
import { ingestRoutes } from './routes.ts'
import type { FindQuarantined } from './row/quarantined-event.ts'

type Needs = {
  sites: SitesModule
  identity: IdentityModule
  consent: ConsentModule
  registry: RegistryModule
  destinations: DestinationsModule
  /** Whether a workspace takes no events: it is being deleted or imported. */
  isClosed: (workspaceId: string) => boolean
  findQuarantined: FindQuarantined
  logDir: string
}
export type IngestModule = Module &
  LogAndLoader & {
    ingest: Ingest
    /** How far the events store has come. */
    freshness: Freshness
    /** Where a stored event is found. */
    locate: (workspaceId: string, eventId: string) => Promise<{ siteId: string; tsMs: number } | null>
  }

/** The write path: decode, validate, deduplicate, append to the log, answer; then load into the events store. */
export async function createIngestModule(platform: Platform, needs: Needs): Promise<IngestModule> {
  const { identity, destinations, registry, sites, logDir } = needs
  const steps = {
    observer: identity.people.observing,
    forward: destinations.outgoing.forward,
    superseded: registry.superseded,
    currencies: sites.currencies,
  }
  const opened = await openLogAndLoader(platform, logDir, steps)
  try {
    if (platform.config.roles.includes('loader')) await loadRest(opened.writer, platform.logger)
    return await serveLog(platform, needs, opened)
  } catch (error) {
    await opened.closeLog()
    throw error
  }
}

async function openLogAndLoader(...[platform, logDir, steps]: Parameters<typeof openFileLog>) {
  const { replicatedLog } = platform.config
  if (replicatedLog === undefined) return openFileLog(platform, logDir, steps)
  // Its client takes time to load, and most nodes have no such log.
  const { openReplicatedLog } = await import('./replicated/shared-log.ts')
  return openReplicatedLog(platform, replicatedLog, logDir, steps)
}

async function serveLog(
  platform: Platform,
  { sites, identity, consent, registry: { registry, overlays }, isClosed, findQuarantined }: Needs,
  opened: LogAndLoader,
): Promise<IngestModule> {
  const { control, events, now } = platform
  const { people } = identity
  const shared = { ...platform, ...opened, people, sites: sites.known, requireSite: sites.requireSite }
  const ingest = await createIngest({ ...shared, registry, consents: consent.consents, isClosed })
  const letterDecisions = createLetterDecisions({ ...shared, ingest })
  return {
    ...opened,
    ingest,
    freshness: createFreshness(opened.log, opened.writer, now),
    locate: (workspaceId, eventId) => locateEvent({ events, ingest }, workspaceId, eventId),
    routes: (plane) => {
      ingestRoutes(plane, { ...shared, ingest, overlays, findQuarantined })
      deadLetterRoutes(plane, { control, letterDecisions })
    },
    jobs: () => ingestJobs({ ...shared, ingest }),
    personalData: {
      log: [logData(opened), ...deadLetterData(control, opened.deadLetters)],
      events: eventData({ events, ingest }),
    },
    workspaceGone: (workspaceId) => {
      ingest.recent.forget(workspaceId)
      for (const siteId of sites.known.cachedOf(workspaceId)) ingest.forgetSite(siteId)
    },
    workspaceRenewed: (workspaceId) => ingest.recall(workspaceId),
    close: async () => {
      await ingest.close()
      await opened.closeLog()
    },
  }
}
