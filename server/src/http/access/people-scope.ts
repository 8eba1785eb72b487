import { asksTraits, type RouteShape } from '@assay/contract'
import type { FastifyRequest } from 'fastify'
import { authorise } from './principal.ts'

type ScopedCall = { query: unknown; body: unknown; request: Pick<FastifyRequest, 'caller'> }

/** Traits say who someone is, so that analytics by them needs the scope for people, too. */
export function requirePeopleScope(
  route: RouteShape,
  { query, body, request: { caller } }: ScopedCall,
): void {
  if (route.scope?.startsWith('analytics:') !== true || caller === null) return
  if (!asksTraits(query) && !asksTraits(body)) return
  const { orScope: _, ...asked } = route
  authorise(caller, { ...asked, scope: 'identity:read' })
}
