import { createHash, timingSafeEqual } from 'node:crypto'
import { BlockList, isIP } from 'node:net'
import { Problem } from '@assay/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Limits } from '../limits/limits.ts'
import { showAllowance } from '../serve.ts'
import { readCredential, unauthenticated } from './principal.ts'

export const metricsModes = ['local', 'open', 'off'] as const

/** Who may read the metrics: this machine, everyone or no one; with a token everyone who has it. */
export type MetricsAccess = { mode: (typeof metricsModes)[number]; token: string | undefined }

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** Headers added by proxies; a request with one of these came from another machine. */
const forwardingHeaders = ['x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'forwarded', 'via'] as const

export function requireMetricsAccess(
  { mode, token }: MetricsAccess,
  limits: Limits,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  if (mode === 'open') return
  if (mode === 'off') throw new Problem('not-found', { detail: 'The metrics are turned off.' })
  const sent = readCredential(request.headers, null, false)
  if (token !== undefined && sent !== null) {
    if (isSame(sent, token)) return
    // Attempts to guess the token are limited by source address, as for keys.
    showAllowance(reply, limits.charge('open', request.ip))
    throw unauthenticated('This is not the token of ASSAY_METRICS_TOKEN.')
  }
  if (isLocal(request)) return
  throw unauthenticated(
    'The metrics are read on this machine, or with the token of ASSAY_METRICS_TOKEN as a bearer.',
  )
}

/** Checks socket and host name: a page in a local browser uses another host name. */
function isLocal({ headers, raw }: FastifyRequest): boolean {
  if (forwardingHeaders.some((name) => headers[name] !== undefined)) return false
  const address = raw.socket.remoteAddress ?? ''
  const version = isIP(address)
  if (version === 0 || !loopback.check(address, version === 6 ? 'ipv6' : 'ipv4')) return false
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i.test(headers.host ?? '')
}

function isSame(sent: string, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(sent), digest(token))
}
