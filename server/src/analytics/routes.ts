import { getLive, getOverview } from '@assay/contract'
import type { Deps } from '../deps.ts'
import { sendCsv, wantsCsv } from '../http/csv.ts'
import { type Plane, serve } from '../http/serve.ts'
import { readLive } from './live.ts'
import { overviewTable, readOverview } from './overview.ts'
import { chooseInterval } from './period.ts'
import { filterOf, openReading } from './reading.ts'

export function analyticsRoutes(plane: Plane, deps: Deps): void {
  serve(plane, getOverview, async ({ query, caller, request, reply }) => {
    const { site, filter, period } = await openReading(deps, caller.workspaceId, query)
    const interval = chooseInterval(period, query.interval)
    const overview = await readOverview(deps.events, site, filter, period, interval)
    const table = query.table ?? 'series'
    return wantsCsv(request, query.format)
      ? sendCsv(reply, `overview-${table}`, overviewTable(overview, table))
      : overview
  })

  serve(plane, getLive, async ({ query, caller }) => {
    const site = await deps.requireSite(caller.workspaceId, query.siteId)
    const filter = await filterOf(deps, caller.workspaceId, site.id, query)
    return readLive(deps.events, filter, deps.now())
  })
}
