import { formatShare } from '../format.ts'
import { text } from '../text.ts'

type ChangeProps = {
  /** Null where there was nothing before. */
  change: number | null
  isLessBetter?: boolean
  /** What it was, where there is space for it. */
  before?: string | undefined
}

/** By how much a figure differs from the one that it is compared with, and whether that is good. */
export function Change({ change, isLessBetter = false, before }: ChangeProps) {
  if (change === null) return <span className="change">{text.overview.nothingBefore}</span>
  const look = change === 0 ? '' : change > 0 === isLessBetter ? 'bad' : 'good'
  return (
    <span className={`change ${look}`}>
      {change > 0 ? '▲' : change < 0 ? '▼' : '='} {formatShare(Math.abs(change))}
      {before !== undefined && <span className="soft"> {text.overview.from(before)}</span>}
    </span>
  )
}

/** Figures of which less is better. */
export const isLessBetter = (metric: string): boolean => metric === 'bounceRate'
