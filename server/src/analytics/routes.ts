import { getOverview } from '@assay/contract'
import type { Deps } from '../deps.ts'
import { type Plane, serve } from '../http/serve.ts'
import { overlayOf } from '../registry/overlays.ts'
import { readOverview } from './overview.ts'
import { chooseInterval, readPeriod } from './period.ts'

export function analyticsRoutes(plane: Plane, { events, overlays, people, requireSite, now }: Deps): void {
  serve(plane, getOverview, async ({ query, caller }) => {
    const site = await requireSite(caller.workspaceId, query.siteId)
    const period = readPeriod(query, site.timezone, now())
    const filter = {
      workspaceId: caller.workspaceId,
      siteId: site.id,
      includeBots: query.includeBots ?? false,
      path: query.path,
      country: query.country?.toUpperCase(),
      device: query.device,
      source: query.source,
      event: query.event,
      laid: {
        overlay: await overlayOf(overlays, caller.workspaceId, site.id),
        hasMerges: await people.mapping.isUsed(caller.workspaceId),
      },
    }
    return readOverview(events, site, filter, period, chooseInterval(period, query.interval))
  })
}
