import type { Journeys } from '@assay/contract'
import { type SankeyLink, type SankeyNode, sankey, sankeyLinkHorizontal } from 'd3-sankey'

type Own = { id: string; key: string | null; label: string; column: number; sessions: number; ended: number }
type Flow = { sessions: number }
export type DrawnNode = SankeyNode<Own, Flow>
type DrawnLink = SankeyLink<Own, Flow>
type Drawn = {
  nodes: readonly DrawnNode[]
  links: readonly {
    id: string
    path: string
    width: number
    from: DrawnNode
    to: DrawnNode
    sessions: number
  }[]
  width: number
  height: number
}

/** Places of one step that can be read; the rest of the step is one. */
const shownMax = 7
/** From one step to the next, and as many letters as stand between them. */
export const flowSizes = {
  wide: { column: 220, letters: 22, names: 150 },
  narrow: { column: 164, letters: 15, names: 140 },
} as const
type FlowSize = keyof typeof flowSizes
const rowHeight = 58
export const barWidth = 12

/** The most visited places of each step; null stands for the others. */
function shownOf(journeys: Journeys['journeys']): Map<number, Set<string>> {
  const counts = new Map<number, Map<string, number>>()
  for (const { steps, sessions } of journeys) {
    for (const [column, { key }] of steps.entries()) {
      const ofColumn = counts.get(column) ?? new Map<string, number>()
      ofColumn.set(key, (ofColumn.get(key) ?? 0) + sessions)
      counts.set(column, ofColumn)
    }
  }
  return new Map(
    [...counts].map(([column, ofColumn]) => {
      // By visits, then by name: what is drawn stays where it is when nothing changed.
      const sorted = [...ofColumn].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))
      return [column, new Set(sorted.slice(0, shownMax).map(([key]) => key))]
    }),
  )
}

/** Steps of visits from left to right: how many went from each place to the next. */
export function drawPaths(
  journeys: Journeys['journeys'],
  others: string,
  size: FlowSize = 'wide',
): Drawn | null {
  const shown = shownOf(journeys)
  const nodes = new Map<string, Own>()
  const flows = new Map<string, { source: string; target: string; sessions: number; value: number }>()
  for (const { steps, sessions, ended } of journeys) {
    let before: string | null = null
    for (const [column, { key, label }] of steps.entries()) {
      const isShown = shown.get(column)?.has(key) === true
      const id = `${column} ${isShown ? key : ''}`
      const node = nodes.get(id) ?? {
        id,
        key: isShown ? key : null,
        label: isShown ? label : others,
        column,
        sessions: 0,
        ended: 0,
      }
      node.sessions += sessions
      if (column === steps.length - 1) node.ended += ended
      nodes.set(id, node)
      if (before !== null) {
        const name = `${before} > ${id}`
        const flow = flows.get(name) ?? { source: before, target: id, sessions: 0, value: 0 }
        flow.sessions += sessions
        flow.value += sessions
        flows.set(name, flow)
      }
      before = id
    }
  }
  if (flows.size === 0) return null
  return place([...nodes.values()], [...flows.values()], size)
}

function place(
  nodes: Own[],
  links: { source: string; target: string; sessions: number; value: number }[],
  size: FlowSize,
): Drawn {
  // Names stand to the right of the last column.
  const { column: columnWidth, names: namesWidth } = flowSizes[size]
  const columns = Math.max(...nodes.map(({ column }) => column)) + 1
  const rows = Math.max(
    ...Array.from({ length: columns }, (_, at) => nodes.filter(({ column }) => column === at).length),
  )
  const width = (columns - 1) * columnWidth + barWidth + namesWidth
  const height = Math.max(220, rows * rowHeight)
  const layout = sankey<Own, Flow>()
    .nodeId(({ id }) => id)
    .nodeAlign(({ column }) => column)
    .nodeWidth(barWidth)
    .nodePadding(26)
    .nodeSort((a, b) => Number(a.key === null) - Number(b.key === null) || b.sessions - a.sessions)
    .extent([
      [0, 20],
      [width - namesWidth, height - 10],
    ])
  const drawn = layout({ nodes, links })
  const path = sankeyLinkHorizontal<Own, Flow>()
  const ends = (link: DrawnLink) => [nodeOf(link.source), nodeOf(link.target)] as const
  return {
    nodes: drawn.nodes,
    links: drawn.links.map((link) => {
      const [from, to] = ends(link)
      const { sessions, width: linkWidth = 1 } = link
      return {
        id: `${from.id} > ${to.id}`,
        path: path(link) ?? '',
        width: Math.max(1, linkWidth),
        from,
        to,
        sessions,
      }
    }),
    width,
    height,
  }
}

function nodeOf(end: DrawnLink['source']): DrawnNode {
  if (typeof end !== 'object') throw new Error('the layout has put nodes in place of their ids')
  return end
}
