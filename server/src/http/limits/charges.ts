import { type RateClass, type RouteShape, takesDryRun } from '@assay/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { keyClassOf, type Principal } from '../access/principal.ts'
import type { Plane } from '../plane.ts'
import { type Allowance, allowanceHeaders } from './allowance.ts'
import type { Limits } from './limits.ts'

/**
 * A key is charged by the class of the route, a person for all calls together, anyone else by source address.
 */
export function chargeCaller(
  limits: Limits,
  rate: RateClass,
  { caller, ip }: Pick<FastifyRequest, 'caller' | 'ip'>,
): Allowance | null {
  if (caller === null) return limits.charge(rate, ip)
  if (caller.kind === 'key') return limits.charge(rate, caller.keyId)
  return limits.charge(rate === 'none' ? rate : 'person', caller.userId)
}

/**
 * Decisions §2: on the control plane a dry run counts as a read, and only the body says whether it is one.
 */
export function canBeTriedOut(route: RouteShape): boolean {
  return route.rate === 'controlWrite' && takesDryRun(route)
}

/** Events sent by a key are charged to the site, and to the address if anyone could have sent them. */
export function chargeSent(
  { limits }: Plane,
  caller: Principal,
  { ip }: Pick<FastifyRequest, 'ip'>,
  siteId: string,
  events: number,
): Allowance | null {
  // A person's calls were already charged when they were authorised.
  if (caller.kind === 'person') return null
  return limits.chargeEvents({ keyClass: keyClassOf(caller), address: ip }, [[siteId, events]])
}

/** Guesses of tokens or addresses are charged to the limit of unknown callers. */
export function chargeGuess(
  { limits }: Plane,
  { ip }: Pick<FastifyRequest, 'ip'>,
  reply: FastifyReply,
): void {
  showAllowance(reply, limits.charge('open', ip))
}

export function showAllowance(reply: FastifyReply, allowance: Allowance | null): void {
  if (allowance !== null) reply.headers(allowanceHeaders(allowance))
}
