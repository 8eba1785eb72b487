import { listDrift, updateDrift } from '@assay/contract'
import type { Deps } from '../deps.ts'
import { type Plane, serve } from '../http/serve.ts'
import { changeAlert, readDrift } from './drift.ts'

export function driftRoutes(plane: Plane, deps: Deps): void {
  serve(plane, listDrift, async ({ query, caller: { workspaceId } }) =>
    readDrift(deps, await deps.requireSite(workspaceId, query.siteId), query.status),
  )

  serve(plane, updateDrift, ({ params, body, caller: { workspaceId } }) =>
    changeAlert(deps, workspaceId, params.id, body.status),
  )
}
