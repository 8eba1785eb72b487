import { isRecord, type RouteShape, type SiteResource, siteBindingOf } from '@assay/contract'

/** The site of an object of the workspace; null when it does not exist. */
export type SiteOf = (resource: SiteResource, workspaceId: string, id: string) => Promise<string | null>

/** Nothing has this id, so a look-up answers as for what does not exist. */
const nowhere = 'none'

type Parts = { params: unknown; query: unknown; body: unknown }
export type Bound = { workspaceId: string; siteId: string }

/**
 * Restricts the request of a key that is bound to a site: another site becomes one that does not exist, and a
 * missing site becomes the key's.
 */
export async function withinSite<Call extends Parts>(
  route: RouteShape,
  call: Call,
  { workspaceId, siteId }: Bound,
  siteOf: SiteOf,
): Promise<Call> {
  const binding = siteBindingOf(route)
  if (binding?.by === 'member') {
    const named = memberOf(call[binding.part], binding.name)
    const wanted = named === undefined || named === null || named === siteId ? siteId : nowhere
    return withMember(call, binding.part, binding.name, wanted)
  }
  if (binding?.by !== 'resource') return call
  const id = memberOf(call.params, 'id')
  // Postgres refuses a text with this character instead of not finding it.
  const isAName = typeof id === 'string' && !id.includes('\0')
  const isOwn = isAName && (await siteOf(binding.resource, workspaceId, id)) === siteId
  return isOwn ? call : withMember(call, 'params', 'id', nowhere)
}

/** Whether an answer is about another site; then the request is repeated with an id that does not exist. */
export function isElsewhere(route: RouteShape, answer: unknown, siteId: string): boolean {
  const binding = siteBindingOf(route)
  return binding?.by === 'answer' && memberOf(answer, binding.name) !== siteId
}

export function forNothing<Call extends Parts>(route: RouteShape, call: Call): Call {
  const binding = siteBindingOf(route)
  return binding?.by === 'answer' ? withMember(call, 'params', binding.param, nowhere) : call
}

function memberOf(value: unknown, name: string): unknown {
  return isRecord(value) ? value[name] : undefined
}

function withMember<Call extends Parts>(call: Call, part: keyof Parts, name: string, value: string): Call {
  const before = call[part]
  return { ...call, [part]: { ...(isRecord(before) ? before : {}), [name]: value } }
}
