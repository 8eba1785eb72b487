import { createHash } from 'node:crypto'
import { Problem } from '@assay/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { DashboardAssets, DashboardFile } from './dashboard-assets.ts'
import { encodingFor } from './encoding.ts'

/** A year, the usual maximum: the name changes with the content. */
const assetMaxAgeSeconds = 31_536_000

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

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
}

/**
 * The dashboard: one page for all its paths. They begin with the workspace, so they do not collide with the
 * API; any other unknown path is not found.
 */
export function dashboardRoutes(app: FastifyInstance, shelf: DashboardAssets): void {
  const handPage = async (request: FastifyRequest, reply: FastifyReply) => {
    reply.headers({ 'content-security-policy': policy, 'referrer-policy': 'same-origin' })
    return hand(await shelf.page(), 'no-cache', request, reply)
  }
  app.get('/', handPage)
  app.get('/ws_*', handPage)
  app.get('/player.html', async (request, reply) => {
    reply.headers({ 'content-security-policy': playerPolicy, 'referrer-policy': 'no-referrer' })
    return hand(await shelf.player(), 'no-cache', request, reply)
  })
  app.get<{ Params: { name: string } }>('/assets/:name', async (request, reply) => {
    const file = await shelf.asset(request.params.name)
    if (file === null) throw new Problem('not-found', { detail: 'There is no such file of the dashboard.' })
    return hand(file, `public, max-age=${assetMaxAgeSeconds}, immutable`, request, reply)
  })
}

function hand(
  file: DashboardFile,
  cache: string,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const wanted = encodingFor(request.headers['accept-encoding'] ?? '')
  const compressed = file.bytes[wanted]
  const etag = `"${createHash('sha256').update(file.bytes.identity).digest('hex').slice(0, 16)}-${wanted}"`
  reply.headers({
    'cache-control': cache,
    etag,
    vary: 'accept-encoding',
    ...(compressed !== null && wanted !== 'identity' && { 'content-encoding': wanted }),
  })
  if (request.headers['if-none-match']?.split(/,\s*/).includes(etag)) return reply.code(304).send()
  const ending = file.name.slice(file.name.lastIndexOf('.') + 1)
  return reply.type(types[ending] ?? 'application/octet-stream').send(compressed ?? file.bytes.identity)
}
