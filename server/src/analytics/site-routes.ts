import { getMilestones, getSiteHealth } from '@assay/contract'
import type { Deps } from '../deps.ts'
import { type Plane, serve } from '../http/serve.ts'
import { readMilestones } from './milestones.ts'
import { filterOf } from './reading.ts'
import { readSiteHealth } from './site-health.ts'

/** How a site stands as a whole. */
export function siteReadRoutes(plane: Plane, deps: Deps): void {
  serve(plane, getSiteHealth, async ({ query, caller: { workspaceId } }) => {
    const site = await deps.requireSite(workspaceId, query.siteId)
    return readSiteHealth(deps.events, await filterOf(deps, workspaceId, site.id, {}), deps.now())
  })

  serve(plane, getMilestones, async ({ query, caller: { workspaceId } }) => {
    const site = await deps.requireSite(workspaceId, query.siteId)
    return readMilestones(deps, site)
  })
}
