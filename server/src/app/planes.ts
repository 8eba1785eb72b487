import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import { auditRoutes } from '../audit/routes.ts'
import { invitationRoutes } from '../workspaces/members/invitation-routes.ts'
import { memberRoutes } from '../workspaces/members/routes.ts'
import { accountRoutes } from '../auth/keys/routes.ts'
import { sessionRoutes } from '../auth/sessions/routes.ts'
import { oauthRoutes } from '../auth/sign-in/oauth-routes.ts'
import { signInRoutes } from '../auth/sign-in/routes.ts'
import { workspaceRoutes } from '../workspaces/routes.ts'
import { analyticsRoutes } from '../analytics/routes.ts'
import { siteReadRoutes } from '../site-score/routes.ts'
import { attributionRoutes } from '../attribution/routes.ts'
import { audienceRoutes } from '../audiences/routes.ts'
import type { Config } from '../config.ts'
import { consentRoutes } from '../consent/routes.ts'
import { demoRoutes } from '../demo/routes.ts'
import { destinationRoutes } from '../destinations/routes.ts'
import { driftRoutes } from '../drift/routes.ts'
import { errorRoutes } from '../errors/routes.ts'
import { healthRoutes } from '../event-health/routes.ts'
import { createApplication } from '../http/application.ts'
import type { DashboardShelf } from '../http/assets/dashboard-assets.ts'
import { dashboardRoutes } from '../http/assets/dashboard-routes.ts'
import { pageRoutes } from '../http/assets/pages.ts'
import type { SdkShelf } from '../http/assets/sdk-assets.ts'
import { sdkRoutes } from '../http/assets/sdk-routes.ts'
import type { Limits } from '../http/limits/limits.ts'
import { mcpRoutes } from '../http/mcp.ts'
import { probeRoutes } from '../http/probes.ts'
import type { Plane } from '../http/serve.ts'
import { identityRoutes } from '../identity/routes.ts'
import { deadLetterRoutes } from '../ingest/dead-letters/routes.ts'
import { quarantineRoutes } from '../quarantine/routes.ts'
import { ingestRoutes } from '../ingest/routes.ts'
import { eventRetentionRoutes } from '../privacy/retention/routes.ts'
import { privacyRoutes } from '../privacy/routes.ts'
import { catalogRoutes } from '../registry/catalog/routes.ts'
import { mappingRoutes } from '../registry/mappings/routes.ts'
import { registryRoutes } from '../registry/routes.ts'
import { replayRoutes } from '../replays/routes.ts'
import { exchangeRateRoutes } from '../sites/exchange-rate-routes.ts'
import { selectSiteOf } from '../sites/resource-store.ts'
import { siteRoutes } from '../sites/routes.ts'
import { transferRoutes } from '../transfers/routes.ts'
import { webhookRoutes } from '../webhooks/routes.ts'
import { probesOf } from './bootstrap.ts'
import type { Deps } from './deps.ts'

const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'))

export type Shelves = { sdk: SdkShelf; dashboard: DashboardShelf }
export type Opened = { url: string; dataUrl: string; close: () => Promise<void> }

/** One port for everything, or two: one a plane. */
export async function listen(config: Config, deps: Deps, limits: Limits, shelves: Shelves): Promise<Opened> {
  const split = config.dataPort !== undefined
  const planes: Plane['planes'] = split ? ['control'] : ['data', 'control']
  const control = await createPlane(config, deps, limits, shelves, planes)
  const data = split ? await createPlane(config, deps, limits, shelves, ['data']) : null
  const close = async () => void (await Promise.all([control.close(), data?.close()]))
  try {
    const url = await control.listen({ host: config.host, port: config.port })
    const dataUrl = data ? await data.listen({ host: config.host, port: config.dataPort ?? 0 }) : url
    return { url, dataUrl, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Every module's routes. */
const moduleRoutes: readonly ((plane: Plane, deps: Deps) => void)[] = [
  siteRoutes,
  eventRetentionRoutes,
  exchangeRateRoutes,
  accountRoutes,
  signInRoutes,
  oauthRoutes,
  sessionRoutes,
  workspaceRoutes,
  demoRoutes,
  memberRoutes,
  invitationRoutes,
  auditRoutes,
  registryRoutes,
  mappingRoutes,
  catalogRoutes,
  ingestRoutes,
  quarantineRoutes,
  deadLetterRoutes,
  webhookRoutes,
  replayRoutes,
  destinationRoutes,
  identityRoutes,
  consentRoutes,
  privacyRoutes,
  analyticsRoutes,
  audienceRoutes,
  attributionRoutes,
  errorRoutes,
  siteReadRoutes,
  driftRoutes,
  healthRoutes,
  transferRoutes,
]

async function createPlane(
  config: Config,
  deps: Deps,
  limits: Limits,
  shelves: Shelves,
  planes: Plane['planes'],
): Promise<FastifyInstance> {
  const app = await createApplication({
    limits,
    firstSite: async (workspaceId) => (await deps.sites.first(workspaceId))?.id ?? null,
    errorsUrl: () => `${deps.publicUrl()}/problems`,
    publicUrl: deps.publicUrl,
    newRequestId: requestIds(),
    proxies: config.trustProxy,
    logger: deps.logger,
    logRequests: config.logRequests,
  })
  const plane: Plane = {
    app,
    planes,
    findKey: deps.keyRing.find,
    findPerson: deps.sessions.find,
    cookies: { isSecure: () => deps.publicUrl().startsWith('https:'), origin: deps.publicUrl },
    limits,
    audit: deps.audit,
    evictReports: deps.forgetKept,
    siteOf: (resource, workspaceId, id) => selectSiteOf(deps.control, resource, workspaceId, id),
    isClosed: deps.closedWorkspaces.has,
    isFilling: deps.filling.has,
    freshness: deps.freshness,
  }
  for (const serveRoutes of moduleRoutes) serveRoutes(plane, deps)
  mcpRoutes(plane, deps.now, version)
  probeRoutes(app, probesOf(deps, version), { access: config.metrics, limits })
  sdkRoutes(app, shelves.sdk)
  if (planes.includes('control')) dashboardRoutes(app, shelves.dashboard)
  pageRoutes(app)
  await app.ready()
  return app
}

/** Unique without a random draw a request: a random start and a counter. */
function requestIds(): () => string {
  const start = `req_${randomBytes(6).toString('hex')}`
  let count = 0
  return () => `${start}${(count++).toString(36).padStart(6, '0')}`
}
