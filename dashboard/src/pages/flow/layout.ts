import type { FlowGraph } from '@assay/contract'
import { Graph, layout } from '@dagrejs/dagre'

export type DrawnNode = FlowGraph['nodes'][number] & { x: number; y: number }
export type DrawnEdge = FlowGraph['edges'][number] & { path: string; weight: number }
export type Drawn = {
  nodes: DrawnNode[]
  edges: DrawnEdge[]
  top: number
  width: number
  height: number
}

export const nodeWidth = 168
export const nodeHeight = 46
/** More would be unreadable; the list next to the graph has them all. */
const nodesMax = 18
const edgesMax = 30
/** Half of the widest line, and a little. */
const lineRoom = 8

type Edge = FlowGraph['edges'][number]

/** Places and ways in layers from left to right, the busiest of them. */
export function drawFlow(graph: FlowGraph, around: string | null): Drawn {
  const nodes = graph.nodes
    .toSorted((a, b) => Number(b.id === around) - Number(a.id === around) || b.sessions - a.sessions)
    .slice(0, nodesMax)
  const shown = new Set(nodes.map(({ id }) => id))
  const edges = busiest(graph.edges.filter(({ from, to }) => from !== to && shown.has(from) && shown.has(to)))
  const joined = new Set(edges.flatMap(({ from, to }) => [from, to]))
  const drawn = nodes.filter(({ id }) => joined.has(id) || id === around || joined.size === 0)
  return place(drawn, edges)
}

/** The busiest ways, and for each place the busiest one that leads to it. */
function busiest(edges: readonly Edge[]): Edge[] {
  const sorted = edges.toSorted((a, b) => b.sessions - a.sessions)
  return sorted.filter(
    (edge, rank) => rank < edgesMax || sorted.findIndex(({ to }) => to === edge.to) === rank,
  )
}

function place(nodes: FlowGraph['nodes'], edges: readonly Edge[]): Drawn {
  const drawing = new Graph()
  drawing.setGraph({ rankdir: 'LR', nodesep: 18, ranksep: 64, marginx: 4, marginy: 4 })
  drawing.setDefaultEdgeLabel(() => ({}))
  for (const { id } of nodes) drawing.setNode(id, { width: nodeWidth, height: nodeHeight })
  for (const { from, to, sessions } of edges) drawing.setEdge(from, to, { weight: sessions })
  layout(drawing)
  const most = Math.max(1, ...edges.map(({ sessions }) => sessions))
  const { width = 0, height = 0 } = drawing.graph()
  const pointsOf = ({ from, to }: Edge) => drawing.edge(from, to).points ?? []
  // Ways back may bend around everything, beyond the edge of the boxes.
  const heights = edges.flatMap(pointsOf).map(({ y }) => y)
  const top = Math.min(0, ...heights.map((y) => y - lineRoom))
  const bottom = Math.max(height, ...heights.map((y) => y + lineRoom))
  return {
    nodes: nodes.map((node) => {
      const { x = 0, y = 0 } = drawing.node(node.id)
      return { ...node, x, y }
    }),
    edges: edges.map((edge) => ({
      ...edge,
      path: pathThrough(pointsOf(edge)),
      weight: edge.sessions / most,
    })),
    top,
    width,
    height: bottom - top,
  }
}

type Point = { x: number; y: number }

/** A line that bends at the points instead of having corners there. */
function pathThrough(points: readonly Point[]): string {
  const [first, ...rest] = points
  const last = rest.at(-1)
  if (first === undefined || last === undefined) return ''
  const at = ({ x, y }: Point) => `${x.toFixed(1)} ${y.toFixed(1)}`
  const between = (a: Point, b: Point) => ({ x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 })
  const bends = rest
    .slice(0, -1)
    .map((point, index) => `Q ${at(point)} ${at(between(point, rest[index + 1] ?? point))}`)
  return `M ${at(first)} ${bends.join(' ')} L ${at(last)}`
}
