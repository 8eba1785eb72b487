import type { FlowGraph } from '@assay/contract'
import { invalidParameter } from '@assay/contract/problems'
import type { Table } from '../../http/csv.ts'
import { type Period, toPeriod } from '../period.ts'
import { medianOf, shareOf } from '../statistics.ts'
import { conversionNames, type Node } from './nodes.ts'
import type { Sequences } from './sequences.ts'
import { countSessions, type Sessions } from './sessions.ts'

type NodeCount = { sessions: number; visits: number; repeats: number; entries: number; exits: number }
type EdgeCount = { from: number; to: number; count: number; sessions: number; gapsMs: number[] }
/** What directly follows what. */
type FollowGraph = { nodes: NodeCount[]; edges: EdgeCount[] }

export function followGraph({ steps, ms, starts, ends }: Sessions, nodeCount: number): FollowGraph {
  const nodes = Array.from({ length: nodeCount }, () => ({
    sessions: 0,
    visits: 0,
    repeats: 0,
    entries: 0,
    exits: 0,
  }))
  const onward = nodes.map(() => new Map<number, Onward>())
  const nodeSession = new Int32Array(nodeCount).fill(-1)
  for (let number = 0; number < starts.length; number += 1) {
    const end = ends[number] ?? 0
    let before = -1
    let leftMs = 0
    for (let place = starts[number] ?? 0; place < end; place += 1) {
      const at = steps[place] ?? 0
      const nowMs = ms[place] ?? 0
      const node = nodes[at]
      if (node === undefined) continue
      if (at === before) node.repeats += 1
      else {
        node.visits += 1
        if (nodeSession[at] !== number) node.sessions += 1
        nodeSession[at] = number
        if (before === -1) node.entries += 1
        else follow(onward[before], { from: before, to: at, gapMs: nowMs - leftMs, session: number })
      }
      before = at
      leftMs = nowMs
    }
    const last = nodes[before]
    if (last !== undefined) last.exits += 1
  }
  return { nodes, edges: onward.flatMap((edges) => Array.from(edges.values(), ({ edge }) => edge)) }
}

type Following = { from: number; to: number; gapMs: number; session: number }
/** An edge, and the last session that took it. */
type Onward = { edge: EdgeCount; session: number }

function follow(onward: Map<number, Onward> | undefined, { from, to, gapMs, session }: Following): void {
  const known = onward?.get(to)
  const taken = known ?? { edge: { from, to, count: 0, sessions: 0, gapsMs: [] }, session: -1 }
  if (known === undefined) onward?.set(to, taken)
  const { edge } = taken
  edge.count += 1
  edge.gapsMs.push(gapMs)
  if (taken.session !== session) edge.sessions += 1
  taken.session = session
}

/** Algorithms §4.1: what is kept of a graph that would otherwise be unreadable. */
const shareMin = 0.05
const weightKept = 0.8
const edgesPerNode = 4
const neighboursMax = 15
/** Longer paths into a conversion would be the whole graph again. */
const wayStepsMax = 12

/** The part of the graph that is shown. */
export function simplify(graph: FollowGraph, nodes: readonly Node[], nodesMax: number): FollowGraph & Shown {
  const byWeight = [...nodes.keys()].sort((a, b) => sessionsOf(graph, b) - sessionsOf(graph, a) || a - b)
  const sorted = graph.edges.toSorted(byCount)
  const goals = byWeight.filter((place) => isGoal(nodes[place]) && sessionsOf(graph, place) > 0)
  const ways = new Set(goals.flatMap((goal) => bestWay(sorted, goal)))
  const onWays = [...ways].flatMap(({ from, to }) => [to, from])
  const shown = new Set([...new Set([...goals, ...onWays, ...byWeight])].slice(0, nodesMax))
  const inside = sorted.filter(({ from, to }) => shown.has(from) && shown.has(to))
  const total = inside.reduce((sum, { count }) => sum + count, 0)
  let weight = 0
  const kept = inside.filter((edge) => {
    const isHeavy = weight < total * weightKept
    weight += edge.count
    return isHeavy || ways.has(edge) || shareOfEdge(graph, edge) >= shareMin
  })
  const edges = kept.slice(0, nodesMax * edgesPerNode)
  return {
    nodes: graph.nodes,
    edges,
    shown,
    isTruncated: shown.size < nodes.length || edges.length < graph.edges.length,
  }
}

/** One node with its most frequent predecessors and successors. */
export function neighbourhood(graph: FollowGraph, centre: number): FollowGraph & Shown {
  const sorted = graph.edges.toSorted(byCount)
  const before = sorted.filter(({ to }) => to === centre)
  const behind = sorted.filter(({ from }) => from === centre)
  const edges = [...before.slice(0, neighboursMax), ...behind.slice(0, neighboursMax)]
  const shown = new Set([centre, ...edges.flatMap(({ from, to }) => [from, to])])
  return { nodes: graph.nodes, edges, shown, isTruncated: edges.length < before.length + behind.length }
}

type Shown = { shown: ReadonlySet<number>; isTruncated: boolean }

const sessionsOf = ({ nodes }: FollowGraph, place: number) => nodes[place]?.sessions ?? 0
const byCount = (a: EdgeCount, b: EdgeCount) => b.count - a.count || a.from - b.from || a.to - b.to
const isGoal = (node: Node | undefined) => conversionNames.some((name) => name === node?.match.event)

/** Back from the goal over the strongest edge each time, until a node repeats. */
function bestWay(edges: readonly EdgeCount[], goal: number): EdgeCount[] {
  const way: EdgeCount[] = []
  const passed = new Set([goal])
  let at = goal
  while (way.length < wayStepsMax) {
    const place = at
    const strongest = edges.find(({ from, to }) => to === place && !passed.has(from))
    if (strongest === undefined) return way
    way.push(strongest)
    passed.add(strongest.from)
    at = strongest.from
  }
  return way
}

function shareOfEdge({ nodes }: FollowGraph, { from, count }: EdgeCount): number {
  return shareOf(count, nodes[from]?.visits ?? 0)
}

export type FlowOptions = { siteId: string; period: Period; nodesMax: number; around: string | undefined }

export function toFlowGraph({ nodes, sessions, sampledShare }: Sequences, options: FlowOptions): FlowGraph {
  const whole = followGraph(sessions, nodes.length)
  const part = choosePart(whole, nodes, options)
  const idOf = (place: number) => nodes[place]?.id ?? ''
  return {
    siteId: options.siteId,
    period: toPeriod(options.period),
    sessions: countSessions(sessions),
    sampledShare,
    nodes: [...part.shown]
      .map((place) => ({ node: nodes[place], count: whole.nodes[place] }))
      .flatMap(({ node, count }) =>
        node && count ? [{ id: node.id, type: node.type, label: node.label, ...count }] : [],
      )
      .sort((a, b) => b.sessions - a.sessions || (a.id < b.id ? -1 : 1)),
    edges: part.edges.toSorted(byCount).map((edge) => ({
      from: idOf(edge.from),
      to: idOf(edge.to),
      count: edge.count,
      sessions: edge.sessions,
      share: shareOfEdge(whole, edge),
      medianTimeMs: medianOf(edge.gapsMs),
    })),
    truncated: part.isTruncated,
  }
}

function choosePart(whole: FollowGraph, nodes: readonly Node[], { around, nodesMax }: FlowOptions) {
  if (around === undefined) return simplify(whole, nodes, nodesMax)
  return neighbourhood(whole, requireNode(nodes, 'around', around))
}

export function requireNode(nodes: readonly Node[], field: string, id: string): number {
  const place = nodes.findIndex((node) => node.id === id)
  if (place !== -1) return place
  throw invalidParameter(field, 'is no node in this period')
}

export function flowTable({ edges }: FlowGraph): Table {
  return {
    columns: ['from', 'to', 'count', 'sessions', 'share', 'median_time_ms'],
    rows: edges.map(({ from, to, count, sessions, share, medianTimeMs }) => [
      from,
      to,
      count,
      sessions,
      share,
      medianTimeMs,
    ]),
  }
}
