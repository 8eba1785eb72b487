import { getEventRetention } from '@assay/contract'
import { type Plane, serve } from '../../http/serve.ts'
import type { Platform } from '../../platform/platform.ts'
import type { RequireSite } from '../../sites/sites.ts'
import { type RetentionLimits, readEventRetention } from './event-retention.ts'

type Needs = Pick<Platform, 'events' | 'now'> & RetentionLimits & { requireSite: RequireSite }

export function eventRetentionRoutes(plane: Plane, deps: Needs): void {
  serve(plane, getEventRetention, async ({ params, query, caller }) =>
    readEventRetention(deps, await deps.requireSite(caller.workspaceId, params.id), query.days),
  )
}
