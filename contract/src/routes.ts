import { alertRoutes } from './alerts.ts'
import { analyticsRoutes } from './analytics.ts'
import { annotationRoutes } from './annotations.ts'
import { apiKeyRoutes } from './api-keys.ts'
import { attributionRoutes } from './attribution.ts'
import { audienceRoutes } from './audiences.ts'
import { auditLogRoutes } from './audit-log.ts'
import { backfillRoutes } from './backfills.ts'
import { boardRoutes } from './boards.ts'
import { commandGrantRoutes } from './command-grants.ts'
import { consentRoutes } from './consent.ts'
import { deadLetterRoutes } from './dead-letters.ts'
import { demoRoutes } from './demo.ts'
import { destinationRoutes } from './destinations.ts'
import { digestRoutes } from './digests.ts'
import { driftRoutes } from './drift.ts'
import { sdkRoutes } from './element-match.ts'
import { errorRoutes } from './errors.ts'
import { eventDefinitionRoutes } from './event-definitions.ts'
import { eventRetentionRoutes } from './event-retention.ts'
import { exchangeRateRoutes } from './exchange-rates.ts'
import { goalRoutes } from './goals.ts'
import { healthRoutes } from './health.ts'
import { identityRoutes } from './identity.ts'
import { ingestRoutes } from './ingest.ts'
import { installationRoutes } from './installations.ts'
import { invitationRoutes } from './invitations.ts'
import { mappingRoutes } from './mappings.ts'
import { memberRoutes } from './members.ts'
import { otherClientRoutes } from './other-clients.ts'
import { peopleRoutes } from './people.ts'
import { personNoteRoutes } from './person-notes.ts'
import { privacyRoutes } from './privacy.ts'
import { proposalRoutes } from './proposals.ts'
import { quarantineRoutes } from './quarantine.ts'
import { recentEventRoutes } from './recent-events.ts'
import { registryRoutes } from './registry.ts'
import { registryChangeRoutes } from './registry-changes.ts'
import { replayRoutes } from './replays.ts'
import { reportRoutes } from './reports.ts'
import type { RouteShape } from './route.ts'
import { severityRoutes } from './severities.ts'
import { shareRoutes } from './shares.ts'
import { signInRoutes } from './sign-in.ts'
import { siteHealthRoutes } from './site-health.ts'
import { siteRoutes } from './sites.ts'
import { trackingSpecRoutes } from './tracking-spec.ts'
import { transferRoutes } from './transfers.ts'
import { usageRoutes } from './usage.ts'
import { webhookRoutes } from './webhooks.ts'
import { workspaceRoutes } from './workspaces.ts'

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
