import type { FastifyReply, FastifyRequest } from 'fastify'
import { keyClassOf } from '../access/principal.ts'
import { type Allowance, allowanceHeaders } from './allowance.ts'
import type { Limits } from './limits.ts'

/** The first site of a workspace, for events that name none. */
export type FirstSite = (workspaceId: string) => Promise<string | null>

/** On every answer: what is left of the limit that the call counts towards, or would have. */
export async function showStanding(
  limits: Limits,
  firstSite: FirstSite,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  if (reply.hasHeader('x-ratelimit-limit')) return
  const allowance = (await standingOf(limits, firstSite, request)) ?? limits.peek('open', request.ip)
  if (allowance !== null) reply.headers(allowanceHeaders(allowance))
}

/** Of the route's limit, if the call was refused before it was charged; null if it has none. */
async function standingOf(
  limits: Limits,
  firstSite: FirstSite,
  { routeOptions, caller, ip }: FastifyRequest,
): Promise<Allowance | null> {
  const rate = routeOptions.config.declared?.rate ?? 'open'
  if (caller === null) return limits.peek(rate, ip)
  if (caller.kind !== 'key') return limits.peek('person', caller.userId)
  if (rate !== 'ingest') return limits.peek(rate, caller.keyId)
  // The answer exists already: a store failure must not replace it.
  const siteId = caller.siteId ?? (await firstSite(caller.workspaceId).catch(() => null))
  return siteId === null ? null : limits.peekEvents({ keyClass: keyClassOf(caller), address: ip }, siteId)
}
