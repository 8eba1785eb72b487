import { randomBytes } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { createApplication } from '../http/application.ts'
import type { DashboardAssets } from '../http/assets/dashboard-assets.ts'
import { dashboardRoutes } from '../http/assets/dashboard-routes.ts'
import type { DocsAssets } from '../http/assets/docs-assets.ts'
import { docsRoutes } from '../http/assets/docs-routes.ts'
import { pageRoutes } from '../http/assets/pages.ts'
import type { SdkAssets } from '../http/assets/sdk-assets.ts'
import { sdkRoutes } from '../http/assets/sdk-routes.ts'
import type { Limits } from '../http/limits/limits.ts'
import type { ReadTurns } from '../http/limits/read-turns.ts'
import { mcpRoutes } from '../http/mcp.ts'
import { probeRoutes } from '../http/probes.ts'
import { traceRequests } from '../http/request-trace.ts'
import type { Plane } from '../http/serve.ts'
import type { Module } from '../platform/module.ts'
import { productVersion } from '../platform/node/version.ts'
import type { Platform } from '../platform/platform.ts'
import { selectSiteOf } from '../sites/resource-store.ts'
import type { Modules } from './modules.ts'
import { probesOf, type Standing } from './probes.ts'

export type Assets = { sdk: SdkAssets; dashboard: DashboardAssets; docs: DocsAssets }
type Opened = { url: string; dataUrl: string; close: () => Promise<void> }
/** All that a plane serves. */
type Served = {
  platform: Platform
  named: Modules
  all: readonly Module[]
  limits: Limits
  readTurns: ReadTurns
  assets: Assets
  standing: Standing
}

/** One port for everything, or two: one a plane. */
export async function listen(served: Served): Promise<Opened> {
  const { config } = served.platform
  const split = config.dataPort !== undefined
  // A port without a plane still answers probes.
  const ours = (planes: Plane['planes']) => planes.filter((plane) => config.roles.includes(plane))
  const control = await createPlane(served, ours(split ? ['control'] : ['data', 'control']))
  const data = split ? await createPlane(served, ours(['data'])) : null
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

async function createPlane(served: Served, planes: Plane['planes']): Promise<FastifyInstance> {
  const { platform, named, all, limits, readTurns, assets, standing } = served
  const { config, publicUrl } = platform
  const app = await createApplication({
    limits,
    firstSite: async (workspaceId) => (await named.sites.known.first(workspaceId))?.id ?? null,
    errorsUrl: () => `${publicUrl()}/problems`,
    publicUrl,
    newRequestId: requestIds(),
    now: platform.now,
    proxies: config.trustProxy,
    logger: platform.logger,
    logRequests: config.logRequests,
    roles: config.roles,
    isDraining: () => platform.draining.isOn,
  })
  const plane: Plane = {
    app,
    planes,
    findKey: named.auth.keyRing.find,
    findPerson: named.auth.sessions.find,
    cookies: { isSecure: () => publicUrl().startsWith('https:'), origin: publicUrl },
    limits,
    audit: named.audit.trail,
    evictReports: named.analytics.evictReports,
    siteOf: (resource, workspaceId, id) => selectSiteOf(platform.control, resource, workspaceId, id),
    isClosed: named.workspaces.closed.has,
    isFilling: named.importLock.has,
    freshness: named.ingest.freshness,
    readTurns,
  }
  if (platform.tracer !== null) traceRequests(app, platform.tracer)
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.config.declared?.id ?? 'other'
    platform.metrics.answered(route, reply.statusCode, reply.elapsedTime / 1000)
    done()
  })
  for (const module of all) module.routes?.(plane)
  mcpRoutes(plane, platform.now, productVersion)
  probeRoutes(app, probesOf(platform, named.ingest, { readTurns, standing, version: productVersion }), {
    access: config.metrics,
    limits,
  })
  if (planes.length > 0) sdkRoutes(app, assets.sdk)
  if (planes.includes('control')) {
    dashboardRoutes(app, assets.dashboard)
    docsRoutes(app, assets.docs)
  }
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
