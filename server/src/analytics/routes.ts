import { getFlowGraph, getLive, getOverview, getRetention, listJourneys } from '@assay/contract'
import { sendCsv, wantsCsv } from '../http/csv.ts'
import { type Plane, serve } from '../http/serve.ts'
import type { Registry } from '../registry/registry.ts'
import { largeEventsMin, readLarge } from './cache/large-reads.ts'
import type { ReportCache } from './cache/report-cache.ts'
import { funnelRoutes } from './funnels/routes.ts'
import { readLive } from './live.ts'
import { overviewTable, readOverview } from './overview.ts'
import { chooseInterval } from './period.ts'
import { questionRoutes } from './questions/routes.ts'
import type { ReadingDeps } from './report-query.ts'
import { filterOf, openReading } from './report-query.ts'
import { chooseRetentionInterval, readRetention, retentionTable } from './retention.ts'
import type { ComputeWorker } from './sequences/compute-worker.ts'
import { flowTable } from './sequences/flow-graph.ts'
import { journeyTable } from './sequences/journeys.ts'
import { stepBytes } from './sequences/sequence-store.ts'
import { type RawSequences, readSequences } from './sequences/sequences.ts'

type Needs = ReadingDeps & { kept: ReportCache; computeWorker: ComputeWorker; registry: Registry }

export function analyticsRoutes(plane: Plane, deps: Needs): void {
  serve(plane, getOverview, async ({ query, caller, read, request, reply }) => {
    const { format, table = 'series', ...asked } = query
    const reading = await openReading(deps, caller.workspaceId, query)
    chooseInterval(reading.period, query.interval)
    const question = { name: 'overview', asked, read, request, reply }
    const overview = await readLarge(deps.kept, question, reading, async () => {
      // A later refresh covers events up to then.
      const { site, filter, money, period } = await openReading(deps, caller.workspaceId, query)
      const interval = chooseInterval(period, query.interval)
      const value = await readOverview(deps.events, site, filter, money, period, interval)
      const events = value.metrics.events + value.previous.metrics.events
      return { value, isLarge: events >= largeEventsMin }
    })
    return wantsCsv(request, format)
      ? sendCsv(reply, `overview-${table}`, overviewTable(overview, table))
      : overview
  })

  serve(plane, getLive, async ({ query, caller }) => {
    const site = await deps.requireSite(caller.workspaceId, query.siteId)
    const filter = await filterOf(deps, caller.workspaceId, site, query)
    return readLive(deps.events, filter, deps.now())
  })

  questionRoutes(plane, deps)
  funnelRoutes(plane, deps)
  serveSequences(plane, deps)
}

function serveSequences(plane: Plane, deps: Needs): void {
  serve(plane, getFlowGraph, async ({ query, caller, read, request, reply }) => {
    const { format, ...asked } = query
    const reading = await openReading(deps, caller.workspaceId, query)
    const question = { name: 'flow', asked, read, request, reply }
    const graph = await readLarge(deps.kept, question, reading, async () => {
      const { site, filter, period } = await openReading(deps, caller.workspaceId, query)
      const sequences = await readSequences(deps.events, filter, period)
      const { nodes: nodesMax = 40, around } = query
      const isLarge = hasManySteps(sequences)
      const options = { siteId: site.id, period, nodesMax, around }
      return { value: await deps.computeWorker.run('flow', sequences, options), isLarge }
    })
    return wantsCsv(request, format) ? sendCsv(reply, 'flow-graph', flowTable(graph)) : graph
  })

  serve(plane, listJourneys, async ({ query, caller, read, request, reply }) => {
    const { format, ...asked } = query
    const reading = await openReading(deps, caller.workspaceId, query)
    const question = { name: 'journeys', asked, read, request, reply }
    const journeys = await readLarge(deps.kept, question, reading, async () => {
      const { site, filter, period } = await openReading(deps, caller.workspaceId, query)
      const sequences = await readSequences(deps.events, filter, period)
      const { steps: stepsMax = 5, limit = 20, startsAt } = query
      const isLarge = hasManySteps(sequences)
      const options = { siteId: site.id, period, stepsMax, limit, startsAt }
      return { value: await deps.computeWorker.run('journeys', sequences, options), isLarge }
    })
    return wantsCsv(request, format) ? sendCsv(reply, 'journeys', journeyTable(journeys)) : journeys
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

const hasManySteps = ({ steps }: RawSequences) => steps.length / stepBytes >= largeEventsMin
