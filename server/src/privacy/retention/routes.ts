import { getEventRetention } from '@assay/contract'
import type { Deps } from '../../deps.ts'
import { type Plane, serve } from '../../http/serve.ts'
import { readEventRetention } from './event-retention.ts'

export function eventRetentionRoutes(plane: Plane, deps: Deps): void {
  serve(plane, getEventRetention, async ({ params, query, caller }) =>
    readEventRetention(deps, await deps.requireSite(caller.workspaceId, params.id), query.days),
  )
}
