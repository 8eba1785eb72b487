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

type Header = readonly [name: string, value: string]
type Entries = { publicUrl: string; own: readonly Header[]; forOthers: readonly Header[] }

/** They change only with the public address. */
let entries: Entries | null = null

function entriesOf(publicUrl: string, isForOthers: boolean): readonly Header[] {
  if (entries?.publicUrl !== publicUrl) {
    const own = Object.entries(securityHeaders(publicUrl, false))
    entries = { publicUrl, own, forOthers: Object.entries(securityHeaders(publicUrl, true)) }
  }
  return isForOthers ? entries.forOthers : entries.own
}

/** On every answer; a page with its own policy keeps it. */
export function secureReply(
  request: FastifyRequest,
  reply: FastifyReply,
  publicUrl: string,
  isDataPath: (path: string) => boolean,
): void {
  for (const [name, value] of entriesOf(publicUrl, isDataPath(pathIn(request.url)))) {
    if (!reply.hasHeader(name)) reply.header(name, value)
  }
}

/** Without the query. */
export function pathIn(url: string): string {
  const end = url.indexOf('?')
  return end < 0 ? url : url.slice(0, end)
}
