import { getFlowGraph, getLive, getOverview, getRetention, listJourneys } from '@assay/contract'
import type { Deps } from '../deps.ts'
import { sendCsv, wantsCsv } from '../http/csv.ts'
import { type Plane, serve } from '../http/serve.ts'
import { funnelRoutes } from './funnels/routes.ts'
import { readLive } from './live.ts'
import { overviewTable, readOverview } from './overview.ts'
import { chooseInterval } from './period.ts'
import { filterOf, openReading } from './reading.ts'
import { chooseRetentionInterval, readRetention, retentionTable } from './retention.ts'
import { flowTable } from './sequences/flow-graph.ts'
import { journeyTable } from './sequences/journeys.ts'
import { readSequences } from './sequences/sequences.ts'

export function analyticsRoutes(plane: Plane, deps: Deps): void {
  serve(plane, getOverview, async ({ query, caller, request, reply }) => {
    const { site, filter, money, period } = await openReading(deps, caller.workspaceId, query)
    const interval = chooseInterval(period, query.interval)
    const overview = await readOverview(deps.events, site, filter, money, period, interval)
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

  funnelRoutes(plane, deps)
  serveSequences(plane, deps)
}

function serveSequences(plane: Plane, deps: Deps): void {
  serve(plane, getFlowGraph, async ({ query, caller, request, reply }) => {
    const { site, filter, period } = await openReading(deps, caller.workspaceId, query)
    const sequences = await readSequences(deps.events, filter, period)
    const { nodes: nodesMax = 40, around } = query
    const graph = await deps.reckoner.run('flow', sequences, { siteId: site.id, period, nodesMax, around })
    return wantsCsv(request, query.format) ? sendCsv(reply, 'flow-graph', flowTable(graph)) : graph
  })

  serve(plane, listJourneys, async ({ query, caller, request, reply }) => {
    const { site, filter, period } = await openReading(deps, caller.workspaceId, query)
    const sequences = await readSequences(deps.events, filter, period)
    const { steps: stepsMax = 5, limit = 20, startsAt } = query
    const options = { siteId: site.id, period, stepsMax, limit, startsAt }
    const journeys = await deps.reckoner.run('journeys', sequences, options)
    return wantsCsv(request, query.format) ? sendCsv(reply, 'journeys', journeyTable(journeys)) : journeys
  })

  serve(plane, getRetention, async ({ query, caller, request, reply }) => {
    const { filter, period } = await openReading(deps, caller.workspaceId, query)
    const interval = chooseRetentionInterval(period, query.interval)
    const { firstEvent, returnEvent } = query
    const retention = await readRetention(deps.events, filter, period, { firstEvent, returnEvent, interval })
    return wantsCsv(request, query.format)
      ? sendCsv(reply, 'retention', retentionTable(retention))
      : retention
  })
}
