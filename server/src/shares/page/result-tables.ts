import type { Answer, FlowGraph, FunnelResult, Journeys, Overview, Retention } from '@assay/contract'
import { funnelTable } from '../../analytics/funnels/query.ts'
import { retentionTable } from '../../analytics/retention.ts'
import { flowTable } from '../../analytics/sequences/flow-graph.ts'
import { journeyTable } from '../../analytics/sequences/journeys.ts'
import type { SharedResult } from '../shared-results.ts'
import { tableHtml } from './html-table.ts'
import { overviewSection } from './overview-section.ts'
import { querySection } from './query-section.ts'

/** An answer as a visitor sees it: the overview as figures, the others as the table of their CSV. */
export function resultHtml({ kind, result, view }: SharedResult): string {
  switch (kind) {
    case 'query':
      // boundary: the route of this kind made it; so below.
      return querySection(result as Answer, view)
    case 'overview':
      // boundary: as above.
      return overviewSection(result as Overview)
    case 'funnel':
      // boundary: as above.
      return tableHtml(funnelTable(result as FunnelResult))
    case 'retention':
      // boundary: as above.
      return tableHtml(retentionTable(result as Retention))
    case 'flow':
      // boundary: as above.
      return tableHtml(flowTable(labelled(result as FlowGraph)))
    case 'journeys':
      // boundary: as above.
      return tableHtml(journeyTable(withLabels(result as Journeys)))
  }
}

/** Ids are for programs: a visitor reads what the steps are called. */
function labelled(graph: FlowGraph): FlowGraph {
  const labels = new Map(graph.nodes.map(({ id, label }) => [id, label]))
  const labelOf = (id: string) => labels.get(id) ?? id
  const edges = graph.edges.map((edge) => ({ ...edge, from: labelOf(edge.from), to: labelOf(edge.to) }))
  return { ...graph, edges }
}

function withLabels(answer: Journeys): Journeys {
  const journeys = answer.journeys.map((journey) => ({
    ...journey,
    steps: journey.steps.map((step) => ({ ...step, key: step.label })),
  }))
  return { ...answer, journeys }
}
