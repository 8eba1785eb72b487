import { Problem } from '@assay/contract'
import type { FastifyInstance } from 'fastify'
import type { DocsAssets } from './docs-assets.ts'
import { sendFile, unchanging } from './static-file.ts'

/** Only files of the site: no inline script or style, nothing from other origins, no framing. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Names that esbuild and the search index have by their content. */
const hashedName = /-(?:[0-9A-Z]{8}|[0-9a-f]{16})\.\w+$/

/** The documentation. It has nothing of this installation in it, so no sign-in is needed. */
export function docsRoutes(app: FastifyInstance, docs: DocsAssets): void {
  app.get('/docs', async (_request, reply) => reply.redirect('/docs/', 308))
  app.get<{ Params: { '*': string } }>('/docs/*', async (request, reply) => {
    const path = request.params['*']
    const file = await docs.file(path)
    if (file === null) {
      if (await docs.isFolder(path)) return reply.redirect(`/docs/${path}/`, 308)
      throw new Problem('not-found', { detail: 'There is no such page in the docs.' })
    }
    reply.headers({ 'content-security-policy': policy, 'referrer-policy': 'same-origin' })
    return sendFile(file, hashedName.test(file.name) ? unchanging : 'no-cache', request, reply)
  })
}
