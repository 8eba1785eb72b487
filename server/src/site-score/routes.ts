import { getMilestones, getSiteHealth } from '@assay/contract'
import { askedPeriod } from '../analytics/asked-period.ts'
import { readPeriod } from '../analytics/period.ts'
import { filterOf } from '../analytics/report-query.ts'
import { type Plane, serve } from '../http/serve.ts'
import { type MilestoneNeeds, readMilestones } from './milestones.ts'
import { readSiteHealth } from './site-score.ts'

/** Weekdays differ, so a site is judged by whole weeks. */
const healthWindowDefault = '7d'

/** How a site stands as a whole. */
export function siteScoreRoutes(plane: Plane, deps: MilestoneNeeds): void {
  serve(plane, getSiteHealth, async ({ query, caller: { workspaceId } }) => {
    const site = await deps.requireSite(workspaceId, query.siteId)
    const window = query.from === undefined ? (query.window ?? healthWindowDefault) : query.window
    const period = readPeriod({ ...query, window }, site.timezone, deps.now())
    return readSiteHealth(deps.events, await filterOf(deps, workspaceId, site, {}), period, deps.now())
  })

  serve(plane, getMilestones, async ({ query, caller: { workspaceId }, read }) => {
    const site = await deps.requireSite(workspaceId, query.siteId)
    const period = askedPeriod(query, site.timezone, deps.now())
    return readMilestones(deps, site, period, read)
  })
}
