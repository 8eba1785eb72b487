import { Problem } from '@assay/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { DashboardAssets } from './dashboard-assets.ts'
import { sendFile, unchanging } from './static-file.ts'

/** Only our own files: no inline script or style, nothing from other origins, no framing. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/**
 * For the document that rebuilds recorded pages, which anyone may have sent: they have their own styles and
 * images, but nothing is fetched, framed or submitted, and no script but the player runs. The frame in which
 * they are rebuilt inherits all of it, and runs no scripts at all.
 */
const playerPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  'img-src data:',
  'font-src data:',
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'self'",
  'sandbox allow-scripts allow-same-origin',
].join('; ')

/**
 * The dashboard: one page for all its paths. They begin with the workspace, so they do not collide with the
 * API; any other unknown path is not found.
 */
export function dashboardRoutes(app: FastifyInstance, assets: DashboardAssets): void {
  const handPage = async (request: FastifyRequest, reply: FastifyReply) => {
    reply.headers({ 'content-security-policy': policy, 'referrer-policy': 'same-origin' })
    return sendFile(await assets.page(), 'no-cache', request, reply)
  }
  app.get('/', handPage)
  app.get('/ws_*', handPage)
  app.get('/player.html', async (request, reply) => {
    reply.headers({ 'content-security-policy': playerPolicy, 'referrer-policy': 'no-referrer' })
    return sendFile(await assets.player(), 'no-cache', request, reply)
  })
  app.get<{ Params: { name: string } }>('/assets/:name', async (request, reply) => {
    const file = await assets.asset(request.params.name)
    if (file === null) throw new Problem('not-found', { detail: 'There is no such file of the dashboard.' })
    return sendFile(file, unchanging, request, reply)
  })
}
