import {
  type Answer,
  type FlowGraph,
  type FunnelResult,
  type Journeys,
  type Overview,
  type SharedKind,
  shareLimits,
} from '@assay/contract'
import type { SavedQuestion } from '../reports/questions.ts'
import { sharedAnswer } from './shared-query.ts'

const { visitorsMin } = shareLimits
const isMany = (count: number) => count >= visitorsMin

/** An answer without rows that so few visitors have in common that they could be about one person. */
export function withoutFew(kind: SharedKind, asked: SavedQuestion, result: object): object {
  // boundary: the route of this kind made it; so below.
  if (kind === 'query') return sharedAnswer(asked, result as Answer)
  // boundary: the same.
  if (kind === 'overview') return ofOverview(result as Overview)
  // boundary: the same.
  if (kind === 'flow') return ofFlow(result as FlowGraph)
  // boundary: the same.
  if (kind === 'journeys') return ofJourneys(result as Journeys)
  // boundary: the same.
  return kind === 'funnel' ? ofFunnel(result as FunnelResult) : result
}

function ofOverview(overview: Overview): Overview {
  const { pages, sources, countries, devices, events } = overview.breakdowns
  const many = (rows: Overview['breakdowns']['pages']) => rows.filter(({ visitors }) => isMany(visitors))
  return {
    ...overview,
    breakdowns: {
      pages: many(pages),
      sources: many(sources),
      countries: many(countries),
      devices: many(devices),
      events: many(events),
    },
  }
}

function ofFlow(graph: FlowGraph): FlowGraph {
  const nodes = graph.nodes.filter(({ sessions }) => isMany(sessions))
  const shown = new Set(nodes.map(({ id }) => id))
  const edges = graph.edges.filter(
    ({ from, to, sessions }) => isMany(sessions) && shown.has(from) && shown.has(to),
  )
  return { ...graph, nodes, edges, truncated: graph.truncated || nodes.length < graph.nodes.length }
}

function ofJourneys(found: Journeys): Journeys {
  return { ...found, journeys: found.journeys.filter(({ sessions }) => isMany(sessions)) }
}

function ofFunnel(funnel: FunnelResult): FunnelResult {
  return { ...funnel, breakdown: funnel.breakdown.filter(({ entered }) => isMany(entered[0] ?? 0)) }
}
