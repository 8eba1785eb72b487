import {
  acknowledgeAnomaly,
  checkDuplicate,
  getConversionMismatch,
  getCoverage,
  getEventHealth,
  getHealthSettings,
  getUsage,
  listAnomalies,
  listEventHealth,
  muteAnomaly,
  setHealthSettings,
} from '@assay/contract'
import { type Plane, serve } from '../http/serve.ts'
import type { RequireSite } from '../sites/sites.ts'
import { readCoverage } from './coverage.ts'
import { readEventHealth, readEventsHealth } from './events-health.ts'
import type { Health } from './health.ts'
import { checkRecords, readMismatch } from './record-checks.ts'
import { scopeOf } from './scope.ts'
import type { Allowed } from './usage.ts'
import { readUsage } from './usage.ts'
import { acknowledge, mute, readAnomalies } from './watch/anomalies.ts'
import { selectWatchedUntil } from './watch/anomaly-store.ts'
import { readSettings, saveSettings, simulate } from './watch/settings.ts'

type Needs = { health: Health; allowed: Allowed; requireSite: RequireSite }

export function healthRoutes(
  plane: Plane,
  { health: { context, watch }, allowed, requireSite }: Needs,
): void {
  const scopeFor = async (workspaceId: string, siteId: string | undefined) => {
    if (siteId !== undefined) await requireSite(workspaceId, siteId)
    return scopeOf(context, workspaceId, siteId)
  }

  serve(plane, listEventHealth, async ({ query, caller }) =>
    readEventsHealth(context, await scopeFor(caller.workspaceId, query.site_id), query.window),
  )

  serve(plane, getEventHealth, async ({ params, query, caller }) =>
    readEventHealth(context, await scopeFor(caller.workspaceId, query.site_id), params.key, query.window),
  )

  serve(plane, listAnomalies, async ({ query, caller, read }) => {
    await scopeFor(caller.workspaceId, query.site_id)
    // Who waits gets the last hour that can be judged, though its turn may still be to come.
    if (read.isAwaited) await watch.lookAt(caller.workspaceId)
    const watchedUntil = await selectWatchedUntil(context.control, caller.workspaceId)
    if (watchedUntil !== null) read.reachesUntil(watchedUntil.getTime())
    return readAnomalies(context, caller.workspaceId, query)
  })

  serve(plane, acknowledgeAnomaly, ({ params, body, caller }) =>
    acknowledge(context, caller.workspaceId, params.id, body.note),
  )

  serve(plane, muteAnomaly, ({ params, body, caller }) => mute(context, caller.workspaceId, params.id, body))

  serve(plane, getUsage, ({ query, caller }) => readUsage(context, allowed, caller.workspaceId, query.month))

  serve(plane, getHealthSettings, ({ caller }) => readSettings(context, caller.workspaceId))

  serve(plane, setHealthSettings, ({ body, caller: { workspaceId } }) => {
    const { dry_run: isDry = false, ...change } = body
    return isDry ? simulate(context, workspaceId, change) : saveSettings(context, workspaceId, change)
  })

  serve(plane, getCoverage, async ({ query, caller }) => ({
    data: await readCoverage(context, await scopeFor(caller.workspaceId, query.site_id)),
  }))

  serve(plane, getConversionMismatch, async ({ query, caller }) =>
    readMismatch(context, await scopeFor(caller.workspaceId, query.site_id), query),
  )

  serve(plane, checkDuplicate, ({ body, caller }) => checkRecords(context, caller.workspaceId, body))
}
