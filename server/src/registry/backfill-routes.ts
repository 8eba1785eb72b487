import { getBackfill, listBackfills, startBackfill, withdrawBackfill } from '@assay/contract'
import type { Deps } from '../deps.ts'
import { type Plane, serve } from '../http/serve.ts'
import { findRule } from './mappings.ts'

const pageDefault = 50

export function backfillRoutes(plane: Plane, { control, backfills, requireSite }: Deps): void {
  serve(plane, startBackfill, async ({ params, body, caller: { workspaceId } }) => {
    const { siteId, dryRun = false, ...range } = body
    if (siteId !== undefined) await requireSite(workspaceId, siteId)
    const rule = await findRule(control, workspaceId, params.id, siteId)
    const site = await requireSite(workspaceId, rule.row.site_id)
    return dryRun ? backfills.preview(site, rule, range) : backfills.start(site, rule, range)
  })

  serve(plane, listBackfills, async ({ query, caller: { workspaceId } }) => {
    await requireSite(workspaceId, query.siteId)
    return backfills.list(workspaceId, query.siteId, query.cursor ?? null, query.limit ?? pageDefault)
  })

  serve(plane, getBackfill, ({ params, caller }) => backfills.get(caller.workspaceId, params.id))

  serve(plane, withdrawBackfill, ({ params, caller }) => backfills.withdraw(caller.workspaceId, params.id))
}
