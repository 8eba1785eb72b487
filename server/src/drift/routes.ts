import { listDrift, updateDrift } from '@assay/contract'
import { askedPeriod } from '../analytics/asked-period.ts'
import { type Plane, serve } from '../http/serve.ts'
import { changeAlert, type DriftNeeds, readDrift } from './drift.ts'

export function driftRoutes(plane: Plane, deps: DriftNeeds): void {
  serve(plane, listDrift, async ({ query, caller: { workspaceId }, read }) => {
    const site = await deps.requireSite(workspaceId, query.siteId)
    const period = askedPeriod(query, site.timezone, deps.now())
    return readDrift(deps, site, { status: query.status, period }, read)
  })

  serve(plane, updateDrift, ({ params, body, caller: { workspaceId } }) =>
    changeAlert(deps, workspaceId, params.id, body.status),
  )
}
