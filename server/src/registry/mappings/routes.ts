import { createMapping, deleteMapping, getMapping, listMappings, updateMapping } from '@assay/contract'
import { type Plane, serve } from '../../http/serve.ts'
import { pageDefault } from '../../platform/page.ts'
import type { Platform } from '../../platform/platform.ts'
import { type BackfillNeeds, backfillRoutes } from '../backfills/routes.ts'
import type { Registry } from '../registry.ts'
import { changeRule, createRule, deleteRule, findRule, listRules, toMapping } from './mappings.ts'

type Needs = Platform & BackfillNeeds & { registry: Registry }

export function mappingRoutes(plane: Plane, deps: Needs): void {
  ruleRoutes(plane, deps)
  backfillRoutes(plane, deps)
}

function ruleRoutes(plane: Plane, { control, registry, requireSite, newId, now }: Needs): void {
  serve(plane, listMappings, async ({ query, caller: { workspaceId } }) => {
    await requireSite(workspaceId, query.siteId)
    return listRules(control, workspaceId, { ...query, limit: query.limit ?? pageDefault })
  })

  serve(plane, getMapping, async ({ params, query: { siteId }, caller: { workspaceId } }) => {
    if (siteId !== undefined) await requireSite(workspaceId, siteId)
    return toMapping(await findRule(control, workspaceId, params.id, siteId))
  })

  serve(plane, createMapping, async ({ body, caller: { workspaceId } }) => {
    await requireSite(workspaceId, body.siteId)
    const created = await createRule(control, newId, now, workspaceId, body)
    await registry.changed(workspaceId, 'rules')
    return toMapping(created)
  })

  serve(plane, updateMapping, async ({ params, body, caller: { workspaceId } }) => {
    const { siteId, ...change } = body
    if (siteId !== undefined) await requireSite(workspaceId, siteId)
    const changed = await changeRule(control, now, workspaceId, params.id, siteId, change)
    await registry.changed(workspaceId, 'rules')
    return toMapping(changed)
  })

  serve(plane, deleteMapping, async ({ params, query: { siteId }, caller: { workspaceId } }) => {
    if (siteId !== undefined) await requireSite(workspaceId, siteId)
    await deleteRule(control, workspaceId, params.id, siteId)
    await registry.changed(workspaceId, 'rules')
    return undefined
  })
}
