import { formatShare } from '../format.ts'
import { text } from '../text.ts'

type ChangeProps = {
  /** Null where there was nothing before. */
  change: number | null
  isLessBetter?: boolean
  /** What it was, where there is space for it. */
  before?: string | undefined
}

/** Below half a tenth of a percent. */
const leastShown = 0.0005
export const isUnchanged = (change: number | null): boolean =>
  change !== null && Math.abs(change) < leastShown

/** By how much a figure differs from the one that it is compared with, and whether that is good. */
export function Change({ change, isLessBetter = false, before }: ChangeProps) {
  if (change === null) return <span className="change">{text.overview.nothingBefore}</span>
  const by = formatShare(Math.abs(change))
  // What is too small to be written is neither good nor bad.
  const isSame = isUnchanged(change)
  const look = isSame ? '' : change > 0 === isLessBetter ? 'bad' : 'good'
  return (
    <span className={`change ${look}`}>
      {isSame ? text.chart.unchanged : `${change > 0 ? '▲' : '▼'} ${by}`}
      {before !== undefined && <span className="soft"> {text.overview.from(before)}</span>}
    </span>
  )
}

/** Figures of which less is better. */
export const isLessBetter = (metric: string): boolean => metric === 'bounceRate'
