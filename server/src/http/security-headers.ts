import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** For answers that are not a page: a browser runs, loads and frames nothing. */
const bareAnswer = "default-src 'none'; frame-ancestors 'none'"

/** A year. Other hosts of the domain are not ours to decide about. */
const strictTransport = 'max-age=31536000'

/** The hash by which a policy allows one inline script or style. */
export function policyHash(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}

/** `isForOthers`: pages of other origins call this path, so they may read the answer. */
export function securityHeaders(publicUrl: string, isForOthers: boolean): Record<string, string> {
  return {
    'x-content-type-options': 'nosniff',
    'content-security-policy': bareAnswer,
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': isForOthers ? 'cross-origin' : 'same-origin',
    ...(publicUrl.startsWith('https:') && { 'strict-transport-security': strictTransport }),
  }
}

/** On every answer; a page with its own policy keeps it. */
export function secureReply(
  request: FastifyRequest,
  reply: FastifyReply,
  publicUrl: string,
  isDataPath: (path: string) => boolean,
): void {
  const path = request.url.split('?', 1)[0] ?? ''
  for (const [name, value] of Object.entries(securityHeaders(publicUrl, isDataPath(path)))) {
    if (!reply.hasHeader(name)) reply.header(name, value)
  }
}
