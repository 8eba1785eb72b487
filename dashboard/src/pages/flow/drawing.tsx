import type { FlowGraph } from '@assay/contract'
import { useMemo, useState } from 'react'
import { Link } from 'wouter'
import { formatCount, formatShare } from '../../format.ts'
import { Card } from '../../kit/card.tsx'
import { useWay } from '../../shell/place.ts'
import { text } from '../../text.ts'
import { type DrawnEdge, type DrawnNode, drawFlow, nodeHeight, nodeWidth } from './layout.ts'

/** The widest line, in pixels. */
const edgeWidthMax = 11
/** As many letters as a box holds. */
const lettersMax = 20

/** The graph itself: boxes that lead on to what is around them, and lines as wide as visits are many. */
export function Drawing({ graph, around }: { graph: FlowGraph; around: string | null }) {
  const [near, setNear] = useState<string | null>(null)
  const { nodes, edges, top, width, height } = useMemo(() => drawFlow(graph, around), [graph, around])
  const labels = new Map(graph.nodes.map(({ id, label }) => [id, label]))
  const words = text.flow
  const isFar = (edge: DrawnEdge) => near !== null && edge.from !== near && edge.to !== near
  return (
    <Card title={words.drawing}>
      <div className="flow-drawing">
        {/* biome-ignore lint/a11y/noSvgWithoutTitle: the card around it has the name, and its links have theirs. */}
        <svg width={width} height={height} viewBox={`0 ${top} ${width} ${height}`}>
          <defs>
            <marker
              id="flow-arrow"
              viewBox="0 0 8 8"
              refX="7"
              refY="4"
              markerWidth="8"
              markerHeight="8"
              markerUnits="userSpaceOnUse"
              orient="auto"
            >
              <path d="M 0 0 L 8 4 L 0 8 z" />
            </marker>
          </defs>
          {edges.map((edge) => (
            <path
              key={`${edge.from} ${edge.to}`}
              className={isFar(edge) ? 'edge far' : 'edge'}
              d={edge.path}
              strokeWidth={1 + edge.weight * (edgeWidthMax - 1)}
              markerEnd="url(#flow-arrow)"
            >
              <title>
                {words.edge(
                  labels.get(edge.from) ?? edge.from,
                  labels.get(edge.to) ?? edge.to,
                  formatCount(edge.sessions),
                  formatShare(edge.share),
                )}
              </title>
            </path>
          ))}
          {nodes.map((node) => (
            <Box key={node.id} node={node} isChosen={node.id === around} onNear={setNear} />
          ))}
        </svg>
      </div>
      <p className="soft small">{words.drawn}</p>
    </Card>
  )
}

type BoxProps = { node: DrawnNode; isChosen: boolean; onNear: (id: string | null) => void }

function Box({ node, isChosen, onNear }: BoxProps) {
  const way = useWay()
  const { id, label, sessions, x, y } = node
  const left = x - nodeWidth / 2
  const top = y - nodeHeight / 2
  const short = label.length > lettersMax ? `${label.slice(0, lettersMax - 1)}…` : label
  return (
    <Link
      href={way.here({ node: id })}
      className={isChosen ? 'box chosen' : 'box'}
      onMouseEnter={() => onNear(id)}
      onMouseLeave={() => onNear(null)}
      onFocus={() => onNear(id)}
      onBlur={() => onNear(null)}
    >
      <rect x={left} y={top} width={nodeWidth} height={nodeHeight} rx={8}>
        <title>{label}</title>
      </rect>
      <text x={left + 12} y={top + 19}>
        {short}
      </text>
      <text className="count" x={left + 12} y={top + 36}>
        {text.flow.visits(formatCount(sessions))}
      </text>
    </Link>
  )
}
