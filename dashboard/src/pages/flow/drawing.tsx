import type { Journeys } from '@assay/contract'
import { useMemo, useState } from 'react'
import { Link } from 'wouter'
import { formatCount, formatShare } from '../../format.ts'
import { Card } from '../../kit/card.tsx'
import { useIsTablet } from '../../kit/use-media.ts'
import { useWay } from '../../shell/place.ts'
import { text } from '../../text.ts'
import { barWidth, type DrawnNode, drawPaths, flowSizes } from './layout.ts'

/** Visits step by step, from left to right; bands are as wide as visits are many. */
export function Drawing({ data }: { data: Journeys }) {
  const [near, setNear] = useState<string | null>(null)
  const size = useIsTablet() ? 'narrow' : 'wide'
  const drawn = useMemo(() => drawPaths(data.journeys, text.flow.others, size), [data, size])
  const words = text.flow
  if (drawn === null) return null
  const covered = data.journeys.reduce((sum, { sessions }) => sum + sessions, 0)
  return (
    <Card title={words.drawing}>
      <div className="flow-drawing">
        {/* biome-ignore lint/a11y/noSvgWithoutTitle: the card around it has the name, and its links have theirs. */}
        <svg width={drawn.width} height={drawn.height} viewBox={`0 0 ${drawn.width} ${drawn.height}`}>
          {drawn.links.map(({ id, path, width, from, to, sessions }) => (
            <path
              key={id}
              className={near === null || near === from.id || near === to.id ? 'edge' : 'edge far'}
              d={path}
              strokeWidth={width}
            >
              <title>
                {words.edge(
                  from.label,
                  to.label,
                  formatCount(sessions),
                  formatShare(sessions / from.sessions),
                )}
              </title>
            </path>
          ))}
          {drawn.nodes.map((node) => (
            <Bar key={node.id} node={node} lettersMax={flowSizes[size].letters} onNear={setNear} />
          ))}
        </svg>
      </div>
      <p className="soft small">
        {words.drawn(formatShare(Math.min(1, covered / Math.max(1, data.sessions))))}
      </p>
    </Card>
  )
}

type BarProps = { node: DrawnNode; lettersMax: number; onNear: (id: string | null) => void }

function Bar({ node, lettersMax, onNear }: BarProps) {
  const way = useWay()
  const { id, key, label, sessions, ended, x0 = 0, y0 = 0, y1 = 0 } = node
  const short = label.length > lettersMax ? `${label.slice(0, lettersMax - 1)}…` : label
  const words = text.flow
  const content = (
    <>
      <rect x={x0} y={y0} width={barWidth} height={Math.max(2, y1 - y0)} rx={3}>
        <title>{`${label}: ${words.visits(formatCount(sessions))}, ${words.ended(formatCount(ended))}`}</title>
      </rect>
      <text x={x0 + barWidth + 6} y={(y0 + y1) / 2 + 4}>
        {short}
        <tspan className="count" dx={6}>
          {formatCount(sessions)}
        </tspan>
      </text>
    </>
  )
  const watch = { onMouseEnter: () => onNear(id), onMouseLeave: () => onNear(null) }
  if (key === null) {
    return (
      <g className="box rest" {...watch}>
        {content}
      </g>
    )
  }
  return (
    <Link
      href={way.here({ node: key })}
      className="box"
      {...watch}
      onFocus={() => onNear(id)}
      onBlur={() => onNear(null)}
    >
      {content}
    </Link>
  )
}
