import type { alertStates } from '@assay/contract'

export type AlertState = (typeof alertStates)[number]

/** When an alert opens, and when it closes again. Null where nothing bounds it. */
export type Limits = {
  /** What was expected, where the limits lie around something. */
  expected: number | null
  low: number | null
  high: number | null
  /** Within the limits by the margin: a value between stays what it was. */
  lowClose: number | null
  highClose: number | null
}

/** One interval: its value, null where there is none, and the limits, null where there is nothing to compare with. */
export type Judgement = { startMs: number; value: number | null; limits: Limits | null; state: AlertState }

/**
 * The next state. What cannot be judged neither opens nor closes an alert. It opens with a value beyond a limit, and
 * closes with one that is back by the margin.
 */
export function nextState(before: AlertState, value: number | null, limits: Limits | null): AlertState {
  if (value === null || limits === null) return before === 'firing' ? 'firing' : 'unknown'
  if (before === 'firing') return isWithin(value, limits.lowClose, limits.highClose) ? 'ok' : 'firing'
  return isWithin(value, limits.low, limits.high) ? 'ok' : 'firing'
}

function isWithin(value: number, low: number | null, high: number | null): boolean {
  return (low === null || value >= low) && (high === null || value <= high)
}
