import type { AlertCondition } from '@assay/contract'
import { dayMs } from '../../platform/units.ts'
import type { Limits } from './states.ts'
import { type Series, sameTimes, usualRange } from './usual-range.ts'

/** Of a limit or of the width of a range: a value has to come back so far before an alert closes. */
const marginShare = 0.1

/** What the value of an interval is compared with; null where there is nothing to compare it with. */
export function limitsAt(condition: AlertCondition, series: Series, index: number): Limits | null {
  if (condition.type === 'unusual') {
    const range = usualRange(series, index, condition.sensitivity)
    return range === null ? null : around(range.expected, range.below, range.above)
  }
  if (condition.type === 'changedBy') {
    const before = valueAWeekBefore(series, index)
    // There is no share of nothing.
    if (before === null || before === 0) return null
    const width = Math.abs(before) * condition.share
    const { direction } = condition
    return around(before, direction === 'up' ? null : width, direction === 'down' ? null : width)
  }
  const { type, value } = condition
  const margin = marginOf(value, series.isCount)
  return type === 'above'
    ? { expected: null, low: null, lowClose: null, high: value, highClose: value - margin }
    : { expected: null, low: value, lowClose: value + margin, high: null, highClose: null }
}

function around(centre: number, below: number | null, above: number | null): Limits {
  const kept = 1 - marginShare
  return {
    expected: centre,
    low: below === null ? null : centre - below,
    lowClose: below === null ? null : centre - below * kept,
    high: above === null ? null : centre + above,
    highClose: above === null ? null : centre + above * kept,
  }
}

/** Of a count at least one, so that small ones do not flap; none for 0 and 1, where any event is an answer. */
function marginOf(limit: number, isCount: boolean): number {
  const size = Math.abs(limit)
  if (!isCount) return size * marginShare
  return size <= 1 ? 0 : Math.max(1, size * marginShare)
}

/** The same hour or day a week before, or the week before. */
function valueAWeekBefore(series: Series, index: number): number | null {
  const start = series.points[index]?.startMs ?? 0
  const [before] = sameTimes(series, index, 1).filter(({ startMs }) => startMs < start - 6 * dayMs)
  return before?.value ?? null
}
