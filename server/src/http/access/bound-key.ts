import { isRecord, type RouteShape, type SiteResource, siteBindingOf } from '@assay/contract'

/** The site of a thing of the workspace; null when there is no such thing. */
export type SiteOf = (resource: SiteResource, workspaceId: string, id: string) => Promise<string | null>

/** Nothing has this id, so what looks for it answers as it does for what does not exist. */
const nowhere = 'none'

type Parts = { params: unknown; query: unknown; body: unknown }
export type Bound = { workspaceId: string; siteId: string }

/**
 * The request of a key that is bound to a site, as if there were no other site: a name of another one becomes the name
 * of nothing, and where no site is named it is this one.
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
  // Postgres refuses a text with this character rather than not finding it.
  const isAName = typeof id === 'string' && !id.includes('\0')
  const isOwn = isAName && (await siteOf(binding.resource, workspaceId, id)) === siteId
  return isOwn ? call : withMember(call, 'params', 'id', nowhere)
}

/** Whether an answer is about another site; then the same is asked again for nothing. */
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
