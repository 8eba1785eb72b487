import type { AlertCondition } from '@assay/contract'
import { limitsAt } from './conditions.ts'
import { type AlertState, type Judgement, nextState } from './states.ts'
import type { Series } from './usual-range.ts'

/** Judges interval after interval from one on. A preview and the job do the same: this. */
export function judge(
  condition: AlertCondition,
  series: Series,
  fromIndex: number,
  before: AlertState,
): Judgement[] {
  let state = before
  return series.points.slice(fromIndex).map(({ startMs, value }, nth) => {
    const limits = limitsAt(condition, series, fromIndex + nth)
    // Before the site began there was nothing to count.
    const isKnown = value !== 0 || startMs >= series.beginsMs
    state = nextState(state, isKnown ? value : null, limits)
    return { startMs, value, limits, state }
  })
}

/** How often it opened. */
export function countOpenings(judged: readonly Judgement[], before: AlertState): number {
  let last = before
  let openings = 0
  for (const { state } of judged) {
    if (state === 'firing' && last !== 'firing') openings += 1
    last = state
  }
  return openings
}
