import { Problem, type RouteShape, routes } from '@assay/contract'
import type { NodeRole } from '../platform/node/node-roles.ts'

/** Addresses of the control plane that are not routes of the API: dashboard, files, docs. */
const controlPages = /^\/(?:ws_.*|player\.html|assets\/.*|docs(?:\/.*)?)?$/
/** Files that pages of both planes load. */
const sdkFiles = /^\/(?:(?:sdk|replay)(?:-[^/]+)?\.m?js)$/

type PlaneName = RouteShape['plane']

/** A node whose role is missing for a request, as far as it is one that another node would answer. */
export function misdirected(
  roles: readonly NodeRole[],
  path: string,
  patternOf: (path: string) => RegExp,
): Problem | null {
  const missing = (['data', 'control'] as const).filter((plane) => !roles.includes(plane))
  if (missing.length === 0) return null
  const planes = planesOf(path, patternOf).filter((plane) => missing.includes(plane))
  const [role] = planes
  if (role === undefined) return null
  return new Problem('misdirected', {
    detail: `This node has no role ${role}: it has ${roles.join(', ')}. Send the request to a node with the role ${role}.`,
    members: { role },
  })
}

function planesOf(path: string, patternOf: (path: string) => RegExp): PlaneName[] {
  if (sdkFiles.test(path)) return ['data']
  if (controlPages.test(path)) return ['control']
  return routes.filter((route) => patternOf(route.path).test(path)).map(({ plane }) => plane)
}
