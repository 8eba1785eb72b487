import type { FastifyReply, FastifyRequest } from 'fastify'
import { encodingFor } from './encoding.ts'

export type StaticFile = {
  name: string
  /** Of its content, for the ETag. */
  hash: string
  /** By content encoding; files that do not shrink only have `identity`. */
  bytes: Readonly<{ identity: Buffer; gzip: Buffer | null; br: Buffer | null }>
}

/** A year, the usual maximum: for names that change with the content. */
const unchangingMaxAgeSeconds = 31_536_000
export const unchanging = `public, max-age=${unchangingMaxAgeSeconds}, immutable`

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  json: 'application/json; charset=utf-8',
  png: 'image/png',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
}

/** Compressed as the browser likes, and not at all when it has it already. */
export function sendFile(
  file: StaticFile,
  cache: string,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const wanted = encodingFor(request.headers['accept-encoding'] ?? '')
  const compressed = file.bytes[wanted]
  const etag = `"${file.hash}-${wanted}"`
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
