import { createDefinition, getCatalog, Problem } from '@assay/contract'
import type { Deps } from '../deps.ts'
import { type Plane, serve } from '../http/serve.ts'
import { readCatalog } from './catalog.ts'
import { toContract } from './contracts.ts'
import { registerContract } from './registering.ts'
import { selectExistingKeys } from './store.ts'

const pageDefault = 50

export function catalogRoutes(plane: Plane, deps: Deps): void {
  const { control, events, registry, requireSite, now } = deps

  serve(plane, getCatalog, async ({ query, caller }) => {
    const { siteId, source, needsReview, cursor = '', limit = pageDefault } = query
    if (siteId !== undefined) await requireSite(caller.workspaceId, siteId)
    const all = await readCatalog(control, events, caller.workspaceId, siteId ?? null, now())
    const wanted = all.filter(
      (event) =>
        event.name > cursor &&
        (source === undefined || event.source === source) &&
        (needsReview === undefined || event.needsReview === needsReview),
    )
    const data = wanted.slice(0, limit)
    return { data, nextCursor: wanted.length > limit ? (data.at(-1)?.name ?? null) : null }
  })

  serve(plane, createDefinition, async ({ body, caller }) => {
    const { workspaceId } = caller
    requireName(body.name)
    const taken = await selectExistingKeys(control, workspaceId, [body.name])
    if (taken.length > 0) throw new Problem('conflict', { detail: `There is an event ${body.name} already.` })
    const { name, ...rest } = body
    const draft = { ...rest, key: name, status: 'published' } as const
    const { row } = await registerContract(control, now, workspaceId, draft, false)
    await registry.changed(workspaceId, { contracts: [row.key] })
    const contract = toContract(row)
    return {
      id: contract.key,
      name: contract.name,
      description: contract.description,
      category: contract.category ?? null,
      properties: contract.properties,
      version: contract.version,
      status: contract.status,
      createdAt: row.created_at.toISOString(),
    }
  })
}

/** Custom events are lower-case snake_case, and `$` is kept for the standard ones. */
function requireName(name: string): void {
  if (name.startsWith('$')) {
    throw new Problem('reserved-name', {
      detail: 'Names that begin with $ are kept for the 18 standard events.',
    })
  }
  if (/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(name)) return
  throw new Problem('invalid-parameter', {
    detail: 'name must be lower-case snake_case, such as report_exported.',
    errors: [{ field: 'name', message: 'must be lower-case snake_case, such as report_exported' }],
  })
}
