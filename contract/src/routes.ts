import { analyticsRoutes } from './analytics/analytics.ts'
import { attributionRoutes } from './analytics/attribution/attribution.ts'
import { errorRoutes } from './analytics/errors/errors.ts'
import { apiKeyRoutes } from './auth/api-keys.ts'
import { commandGrantRoutes } from './auth/command-grants.ts'
import { signInRoutes } from './auth/sign-in.ts'
import { destinationRoutes } from './destinations/destinations.ts'
import { driftRoutes } from './health/drift.ts'
import { sdkRoutes } from './health/element-match.ts'
import { healthRoutes } from './health/health.ts'
import { siteHealthRoutes } from './health/site-health.ts'
import { audienceRoutes } from './identity/audiences.ts'
import { identityRoutes } from './identity/identity.ts'
import { peopleRoutes } from './identity/people.ts'
import { personNoteRoutes } from './identity/person-notes.ts'
import { deadLetterRoutes } from './ingest/dead-letters.ts'
import { ingestRoutes } from './ingest/ingest.ts'
import { otherClientRoutes } from './ingest/other-clients/other-clients.ts'
import { quarantineRoutes } from './ingest/quarantine.ts'
import { recentEventRoutes } from './ingest/recent-events.ts'
import { replayRoutes } from './ingest/replays.ts'
import { trackingSpecRoutes } from './ingest/tracking-spec.ts'
import { webhookRoutes } from './ingest/webhooks.ts'
import { consentRoutes } from './privacy/consent.ts'
import { eventRetentionRoutes } from './privacy/event-retention.ts'
import { privacyRoutes } from './privacy/privacy.ts'
import { sqlRoutes } from './questions/sql.ts'
import { backfillRoutes } from './registry/backfills.ts'
import { eventDefinitionRoutes } from './registry/event-definitions.ts'
import { mappingRoutes } from './registry/mappings.ts'
import { proposalRoutes } from './registry/proposals.ts'
import { registryRoutes } from './registry/registry.ts'
import { registryChangeRoutes } from './registry/registry-changes.ts'
import { severityRoutes } from './registry/severities.ts'
import { alertRoutes } from './reports/alerts/alerts.ts'
import { annotationRoutes } from './reports/annotations.ts'
import { boardRoutes } from './reports/boards.ts'
import { digestRoutes } from './reports/digests.ts'
import { goalRoutes } from './reports/goals.ts'
import { reportRoutes } from './reports/reports.ts'
import { shareRoutes } from './reports/shares.ts'
import type { RouteShape } from './route.ts'
import { exchangeRateRoutes } from './sites/exchange-rates.ts'
import { installationRoutes } from './sites/installations.ts'
import { siteRoutes } from './sites/sites.ts'
import { auditLogRoutes } from './workspaces/audit-log.ts'
import { demoRoutes } from './workspaces/demo.ts'
import { invitationRoutes } from './workspaces/invitations.ts'
import { memberRoutes } from './workspaces/members.ts'
import { transferRoutes } from './workspaces/transfers.ts'
import { usageRoutes } from './workspaces/usage.ts'
import { workspaceRoutes } from './workspaces/workspaces.ts'

/** The complete table. A route that is not listed does not exist; a listed one must be served. */
export const routes: readonly RouteShape[] = [
  ...siteRoutes,
  ...eventRetentionRoutes,
  ...exchangeRateRoutes,
  ...signInRoutes,
  ...commandGrantRoutes,
  ...workspaceRoutes,
  ...transferRoutes,
  ...demoRoutes,
  ...memberRoutes,
  ...invitationRoutes,
  ...apiKeyRoutes,
  ...auditLogRoutes,
  ...registryRoutes,
  ...registryChangeRoutes,
  ...severityRoutes,
  ...proposalRoutes,
  ...mappingRoutes,
  ...backfillRoutes,
  ...eventDefinitionRoutes,
  ...sdkRoutes,
  ...ingestRoutes,
  ...recentEventRoutes,
  ...trackingSpecRoutes,
  ...otherClientRoutes,
  ...quarantineRoutes,
  ...deadLetterRoutes,
  ...identityRoutes,
  ...peopleRoutes,
  ...personNoteRoutes,
  ...consentRoutes,
  ...privacyRoutes,
  ...analyticsRoutes,
  ...sqlRoutes,
  ...annotationRoutes,
  ...audienceRoutes,
  ...errorRoutes,
  ...goalRoutes,
  ...installationRoutes,
  ...reportRoutes,
  ...boardRoutes,
  ...shareRoutes,
  ...digestRoutes,
  ...alertRoutes,
  ...siteHealthRoutes,
  ...driftRoutes,
  ...webhookRoutes,
  ...replayRoutes,
  ...attributionRoutes,
  ...destinationRoutes,
  ...healthRoutes,
  ...usageRoutes,
]
