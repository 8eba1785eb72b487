import type { ReactNode } from 'react'
import { Change, isLessBetter } from '../../kit/change.tsx'

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
}

export function TileFigure({ metric, name, value, change }: TileFigureProps) {
  return (
    <div className="tile-figure" data-metric={metric}>
      <span className="soft small">{name}</span>
      <span className="value">{value}</span>
      {change !== undefined && <Change change={change} isLessBetter={isLessBetter(metric)} />}
    </div>
  )
}
