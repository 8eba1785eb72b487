import {
  getFlowGraph,
  getLive,
  getOverview,
  getRetention,
  listJourneys,
  listSiteFigures,
} from '@assay/contract'
import { sendCsv, wantsCsv } from '../http/csv.ts'
import { type Plane, serve } from '../http/serve.ts'
import type { Registry } from '../registry/registry.ts'
import { allSites } from '../sites/sites.ts'
import type { AnswerNeeds, Answers } from './answers.ts'
import { funnelRoutes } from './funnels/routes.ts'
import { readLive } from './live.ts'
import { answerOverview, overviewTable } from './overview.ts'
import { questionRoutes } from './questions/routes.ts'
import { filterOf } from './report-query.ts'
import { retentionTable } from './retention.ts'
import { flowTable } from './sequences/flow-graph.ts'
import { journeyTable } from './sequences/journeys.ts'
import { readSiteFigures } from './site-figures.ts'

type Needs = AnswerNeeds & { answers: Answers; registry: Registry }

export function analyticsRoutes(plane: Plane, deps: Needs): void {
  serve(plane, getOverview, async ({ query, caller, read, request, reply }) => {
    const { format, table = 'series', ...asked } = query
    const overview = await answerOverview(deps, caller.workspaceId, asked, { read, request, reply })
    return wantsCsv(request, format)
      ? sendCsv(reply, `overview-${table}`, overviewTable(overview, table))
      : overview
  })

  serve(plane, getLive, async ({ query, caller }) => {
    const site = await deps.requireSite(caller.workspaceId, query.siteId)
    const filter = await filterOf(deps, caller.workspaceId, site, query)
    return readLive(deps.events, filter, deps.now())
  })

  serve(plane, listSiteFigures, async ({ query, caller: { workspaceId, siteId } }) => {
    const sites = await allSites(deps.control, workspaceId)
    const own = siteId === null ? sites : sites.filter(({ id }) => id === siteId)
    return readSiteFigures(deps, workspaceId, own, query)
  })

  questionRoutes(plane, deps)
  funnelRoutes(plane, deps)
  serveSequences(plane, deps)
}

function serveSequences(plane: Plane, { answers }: Needs): void {
  serve(plane, getFlowGraph, async ({ query, caller, read, request, reply }) => {
    const { format, ...asked } = query
    const graph = await answers.flow(caller.workspaceId, asked, { read, request, reply })
    return wantsCsv(request, format) ? sendCsv(reply, 'flow-graph', flowTable(graph)) : graph
  })

  serve(plane, listJourneys, async ({ query, caller, read, request, reply }) => {
    const { format, ...asked } = query
    const journeys = await answers.journeys(caller.workspaceId, asked, { read, request, reply })
    return wantsCsv(request, format) ? sendCsv(reply, 'journeys', journeyTable(journeys)) : journeys
  })

  serve(plane, getRetention, async ({ query, caller, request, reply }) => {
    const { format, ...asked } = query
    const retention = await answers.retention(caller.workspaceId, asked)
    return wantsCsv(request, format) ? sendCsv(reply, 'retention', retentionTable(retention)) : retention
  })
}
