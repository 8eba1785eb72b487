import { Problem } from '@assay/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { encodingFor } from './encoding.ts'
import type { SdkAsset, SdkAssets } from './sdk-assets.ts'
import type { SdkFile } from './sdk-bundle.ts'

/** An hour: how long a page may use the version before an update. */
const currentMaxAgeSeconds = 3_600
/** A year, the usual maximum. */
const versionMaxAgeSeconds = 31_536_000

/** The browser SDK: the current one under a fixed name, and every version under its own. */
export function sdkRoutes(app: FastifyInstance, assets: SdkAssets): void {
  const names: readonly SdkFile[] = ['sdk.js', 'sdk.mjs', 'replay.js']
  for (const name of names) {
    app.get(`/${name}`, async (request, reply) => {
      const current = await assets.current(name)
      reply.header('content-location', `/${current.name}`)
      return hand(current, `public, max-age=${currentMaxAgeSeconds}`, request, reply)
    })
  }
  for (const kind of ['sdk', 'replay']) {
    app.get<{ Params: { version: string } }>(`/${kind}-:version`, async (request, reply) => {
      const file = assets.named(`${kind}-${request.params.version}`)
      if (file === null) throw new Problem('not-found', { detail: 'There is no such version of the SDK.' })
      return hand(file, `public, max-age=${versionMaxAgeSeconds}, immutable`, request, reply)
    })
  }
}

function hand(
  file: SdkAsset,
  cacheControl: string,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const encoding = encodingFor(request.headers['accept-encoding'] ?? '')
  const etag = `"${file.name}-${encoding}"`
  reply.headers({
    'cache-control': cacheControl,
    etag,
    vary: 'accept-encoding',
    // Pages of every origin load it, also those that isolate themselves or check its hash.
    'access-control-allow-origin': '*',
    'cross-origin-resource-policy': 'cross-origin',
    ...(encoding !== 'identity' && { 'content-encoding': encoding }),
  })
  if (request.headers['if-none-match']?.split(/,\s*/).includes(etag)) return reply.code(304).send()
  return reply.type('text/javascript; charset=utf-8').send(file.bytes[encoding])
}
