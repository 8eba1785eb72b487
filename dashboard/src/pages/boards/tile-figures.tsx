import type { ReactNode } from 'react'
import { formatShare } from '../../format.ts'
import { text } from '../../text.ts'

/** Numbers side by side, as many in a row as there is space for. */
export function TileFigures({ isLarge = false, children }: { isLarge?: boolean; children: ReactNode }) {
  return <div className={isLarge ? 'tile-figures large' : 'tile-figures'}>{children}</div>
}

type TileFigureProps = {
  metric: string
  name: string
  value: string
  /** Null where there was nothing before; undefined where nothing is compared. */
  change?: number | null | undefined
  isLessBetter?: boolean
}

export function TileFigure({ metric, name, value, change, isLessBetter = false }: TileFigureProps) {
  return (
    <div className="tile-figure" data-metric={metric}>
      <span className="soft small">{name}</span>
      <span className="value">{value}</span>
      {change !== undefined && <TileChange change={change} isLessBetter={isLessBetter} />}
    </div>
  )
}

function TileChange({ change, isLessBetter }: { change: number | null; isLessBetter: boolean }) {
  if (change === null) return <span className="change">{text.overview.nothingBefore}</span>
  const look = change === 0 ? '' : change > 0 === isLessBetter ? 'bad' : 'good'
  return (
    <span className={`change ${look}`}>
      {change > 0 ? '▲' : change < 0 ? '▼' : '='} {formatShare(Math.abs(change))}
    </span>
  )
}
