import { createAlerts } from '../alerts/module.ts'
import { createAnalytics } from '../analytics/module.ts'
import { createAnnotations } from '../annotations/module.ts'
import { createAttributionModule } from '../attribution/module.ts'
import { createAudiences } from '../audiences/module.ts'
import { createAudit } from '../audit/module.ts'
import { createAuth } from '../auth/module.ts'
import { createBoards } from '../boards/module.ts'
import { consentOfPerson } from '../consent/history.ts'
import { createConsent } from '../consent/module.ts'
import { createDemo } from '../demo/module.ts'
import { createDestinations } from '../destinations/module.ts'
import { createDigests } from '../digests/module.ts'
import { createDrift } from '../drift/module.ts'
import { createErrors } from '../errors/module.ts'
import { createEventHealth } from '../event-health/module.ts'
import { createGoals } from '../goals/module.ts'
import { createIdentity } from '../identity/module.ts'
import { classifyStored } from '../ingest/enrich/source/channel.ts'
import { createIngestModule } from '../ingest/module.ts'
import { createInstallations } from '../installations/module.ts'
import type { Module } from '../platform/module.ts'
import type { Platform } from '../platform/platform.ts'
import { createPrivacyModule } from '../privacy/module.ts'
import { createQuarantine } from '../quarantine/module.ts'
import { findQuarantined as findIn } from '../quarantine/quarantine.ts'
import { createRegistryAdministration } from '../registry/administration.ts'
import { createRegistryModule } from '../registry/module.ts'
import { createReplaysModule } from '../replays/module.ts'
import { createReports } from '../reports/module.ts'
import { createShares } from '../shares/module.ts'
import { createSiteScore } from '../site-score/module.ts'
import { createSitesModule } from '../sites/module.ts'
import { createSql } from '../sql/module.ts'
import { createImportLock } from '../transfers/import/import-lock.ts'
import { createTransfersModule } from '../transfers/module.ts'
import { createWebhooksModule } from '../webhooks/module.ts'
import { createWorkspaces } from '../workspaces/module.ts'

export type Modules = Awaited<ReturnType<typeof createModules>>

/** How long a job waits for the events store; what is not loaded by then is loaded later. */
export const drainMsMax = 10_000

/** Takes a module over as soon as it is made, so that it is closed also where a later one cannot be made. */
type Use = <Made extends Module>(made: Made) => Made

/** Who calls, for which site, about whom, and what is known of events. */
async function createFoundation(platform: Platform, use: Use) {
  const { control, now } = platform
  const importLock = await createImportLock(control)
  const workspaces = use(await createWorkspaces(platform))
  const isClosed = (workspaceId: string) => workspaces.closed.has(workspaceId) || importLock.has(workspaceId)
  const audit = use(createAudit(platform))
  const sites = use(await createSitesModule(platform, { isClosed }))
  const auth = use(await createAuth(platform, { sites, workspaces }))
  const registry = use(await createRegistryModule(platform))
  const consentOf = (workspaceId: string, originalIds: readonly string[]) =>
    consentOfPerson({ control }, workspaceId, originalIds, now())
  const identity = use(await createIdentity(platform, { registry, sites, consentOf }))
  const consent = use(await createConsent(platform, { identity, sites }))
  const destinations = use(await createDestinations(platform, { identity, consent, sites }))
  const known = { sites, registry, identity, consent, destinations }
  return { ...known, importLock, workspaces, audit, auth, isClosed }
}

/** Every module with the modules that it needs, in the order of their needs; each is in `all` as soon as it is made. */
export async function createModules(platform: Platform, logDir: string, all: Module[]) {
  const { events, now } = platform
  const use: Use = (made) => {
    all.push(made)
    return made
  }
  const foundation = await createFoundation(platform, use)
  const { importLock, workspaces, auth, sites, registry, identity, consent, destinations } = foundation
  const { sendNotice, destinations: targets } = destinations.outgoing

  const findQuarantined = (workspaceId: string, eventId: string) =>
    findIn(events, workspaceId, eventId, now())
  const ingest = use(await createIngestModule(platform, { ...foundation, findQuarantined, logDir }))
  const quarantine = use(createQuarantine(platform, { sites, registry, consent, ingest }))
  const { writer, locate, freshness } = ingest
  use(
    createRegistryAdministration(platform, {
      registry,
      sites,
      consents: consent.consents,
      ingest: ingest.ingest,
      held: quarantine.decisions.held,
      writer,
      flush: (timeoutMs) => writer.flush(timeoutMs),
      sendNotice,
    }),
  )
  const webhooks = use(await createWebhooksModule(platform, { sites, registry, ingest }))
  const replays = use(createReplaysModule(platform, { sites, identity, consent }))

  const goals = use(await createGoals(platform, { sites }))
  const analytics = use(await createAnalytics(platform, { sites, identity, registry, goals, freshness }))
  identity.useFilters(analytics.matchPeople)
  use(createSql({ analytics }))
  use(createSiteScore({ analytics, sendNotice, wantNotice: targets.wanting }))
  const errors = use(createErrors({ analytics }))
  const reports = use(createReports({ analytics, errors }))
  use(createBoards({ analytics, reports }))
  use(createShares(platform, { analytics, reports, isClosed: foundation.isClosed }))
  const digests = use(await createDigests(platform, { analytics, reports, isClosed: foundation.isClosed }))
  const watching = { analytics, sendNotice, isClosed: foundation.isClosed }
  const { alertWork } = use(await createAlerts(platform, watching))
  use(createAnnotations({ analytics }))
  use(createInstallations(platform, { sites, auth }))
  use(createAudiences(analytics))
  use(createDrift({ analytics, registry, sendNotice }))
  const flush = () => writer.flush(drainMsMax)
  const touchpoints = { analytics, locate, flush, sendNotice, classify: classifyStored }
  const attribution = use(createAttributionModule(platform, touchpoints))
  const watched = { sites, identity, locate, sendNotice, wanting: targets.wanting }
  const eventHealth = use(createEventHealth(platform, watched))

  const transfers = use(await createTransfersModule(platform, { workspaces, identity, ingest, importLock }))
  const demo = use(createDemo(platform, { workspaces, auth, sites, ingest }))
  const requests = { identity, consent, ingest, analytics, sendNotice, modules: all }
  const privacy = use(await createPrivacyModule(platform, requests))
  const writing = { ingest, quarantine, webhooks, replays }
  const read = { analytics, digests, alertWork, attribution, eventHealth }
  return { ...foundation, ...writing, ...read, transfers, demo, privacy }
}
