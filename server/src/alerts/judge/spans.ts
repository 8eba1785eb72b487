import type { AlertCondition, AlertInterval } from '@assay/contract'
import { intervalStarts } from '../../analytics/period.ts'
import { dayMs, hourMs } from '../../platform/units.ts'
import { weeksBack } from './usual-range.ts'

/** An interval is judged when this much of the next is over: events come late. As event health does. */
export const settleMs = 10 * 60_000

const usualMs = { hour: hourMs, day: dayMs, week: 7 * dayMs } as const satisfies Record<AlertInterval, number>

/** Intervals that a preview shows: with those before them, no more than a question answers. */
export const previewIntervals = { hour: 312, day: 90, week: 26 } as const satisfies Record<
  AlertInterval,
  number
>
/** Intervals that are judged one after the other after a pause of the product; older ones are left out. */
export const catchUpIntervals = { hour: 24, day: 7, week: 4 } as const satisfies Record<AlertInterval, number>

/** For intervals that are cut off at the beginning, and clocks that are changed. */
const slackMs = { hour: 3 * hourMs, day: dayMs, week: 8 * dayMs } as const

/** The interval that is judged at a time: the last that is over and settled. */
export function settledSpan(interval: AlertInterval, timezone: string, nowMs: number) {
  const settledMs = nowMs - settleMs
  const lengthMs = usualMs[interval]
  const starts = intervalStarts(
    { fromMs: settledMs - 2 * lengthMs, toMs: settledMs + 2 * lengthMs, timezone },
    interval,
  )
  const running = starts.findLastIndex((startMs) => startMs <= settledMs)
  const [startMs = 0, endMs = 0, nextEndMs = 0] = starts.slice(running - 1)
  return { startMs, endMs, nextCheckMs: nextEndMs + settleMs }
}

/** What to ask for so many intervals up to an end, with what they are compared with. */
export function askedPeriod(
  { interval, condition }: { interval: AlertInterval; condition: AlertCondition },
  endMs: number,
  intervals: number,
): { fromMs: number; toMs: number } {
  const weeks = { unusual: weeksBack[interval], changedBy: 1, above: 0, below: 0 }[condition.type]
  const fromMs = endMs - intervals * usualMs[interval] - weeks * 7 * dayMs - slackMs[interval]
  return { fromMs, toMs: endMs }
}
