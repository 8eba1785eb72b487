import {
  affectedSessionsMin,
  type EvidenceLevel,
  type FunnelStage,
  funnelStages,
  segments,
  segmentWeights,
  type ValueSegment,
} from '@assay/contract'
import { baselineOf, type Control, type Placed } from './baseline.ts'
import { type Interval, productInterval, wilson, z90, z95 } from './interval.ts'
import { stageOfCell } from './landmark.ts'
import type { Segments } from './order-value.ts'

/** Sessions that had not bought yet when the error first met them, alike in everything that matters for its cost. */
export type AffectedCell = Placed & {
  segment: ValueSegment
  cohort: string
  sessions: number
  /** Bought something afterwards. */
  converted: number
}

export type Estimate = {
  stage: FunnelStage
  /** Those that had not bought yet. */
  affectedSessions: number
  converted: number
  baselineRate: number
  affectedRate: number
  /** How much of the difference is kept: little where chance could have made it. */
  reliability: number
  dropOff: number
  loss: number
  interval: Interval
  /** What the weights of the segments make of the loss. */
  weight: number
  evidence: EvidenceLevel
  bySegment: readonly {
    segment: ValueSegment
    sessions: number
    orderValue: number
    loss: number
    weight: number
  }[]
}

/** By which share errors commonly change what is bought: most do little, and hardly one does more than twice this. */
const priorDropOff = 0.5

/**
 * Sessions in one cell are not all alike: of drawn shops, whose truth is known, the baseline is off by so much of
 * itself however many sessions there are.
 */
const modelError = 0.04

/**
 * What one group of errors cost: affected sessions × baseline conversion × order value × drop-off. Both sides are
 * taken at the same point of a session: the affected ones where the error first met them, the others where they stood
 * in the same cell without it; neither had bought, and only what they bought afterwards counts.
 */
export function estimate(cells: readonly AffectedCell[], control: Control, values: Segments): Estimate {
  const affectedSessions = sum(cells.map((cell) => cell.sessions))
  const converted = sum(cells.map((cell) => cell.converted))
  const gap = gapOf(affectedSessions, converted, cells, control)
  const dropOff = gap.baselineRate === 0 ? 0 : Math.max(0, gap.shrunk) / gap.baselineRate
  const bySegment = segments.map((segment) => {
    const own = cells.filter((cell) => cell.segment === segment)
    const sessions = sum(own.map((cell) => cell.sessions))
    const orderValue = values.valueOf(segment, own)
    const loss = sessions * gap.baselineRate * orderValue * dropOff
    return { segment, sessions, orderValue, loss, weight: segmentWeights[segment] }
  })
  const sessionValue = sum(bySegment.map(({ sessions, orderValue }) => sessions * orderValue))
  // The value of all affected sessions, were each of them an order; its spread is that of the average order.
  const value = { low: sessionValue * values.spread.low, high: sessionValue * values.spread.high }
  const { low, high } = productInterval(gap.shrunk, gap.intervalAt(z90), sessionValue, value)
  const isComparable = affectedSessions >= affectedSessionsMin && gap.sessions >= affectedSessionsMin
  return {
    stage: stageOf(cells),
    affectedSessions,
    converted,
    baselineRate: gap.baselineRate,
    affectedRate: gap.affectedRate,
    reliability: gap.reliability,
    dropOff,
    loss: sum(bySegment.map((one) => one.loss)),
    // A loss is nothing at least: so for the estimate, so for both ends.
    interval: { low: Math.max(0, low), high: Math.max(0, high) },
    weight: weightOf(bySegment),
    evidence: evidenceOf(isComparable && sessionValue > 0, gap.intervalAt(z95).low > 0 && low > 0),
    bySegment,
  }
}

/** Of the segments by what their sessions are worth, which also holds where nothing was lost. */
function weightOf(bySegment: Estimate['bySegment']): number {
  const worth = (weigh: (weight: number) => number) =>
    sum(bySegment.map(({ sessions, orderValue, weight }) => sessions * orderValue * weigh(weight)))
  return worth(() => 1) === 0 ? 1 : worth((weight) => weight) / worth(() => 1)
}

type Gap = {
  baselineRate: number
  affectedRate: number
  /** How much of the difference is kept: little where chance could have made it. */
  reliability: number
  /** Baseline less affected, drawn to nothing by that. */
  shrunk: number
  intervalAt: (z: number) => Interval
  /** Unaffected sessions behind the baseline. */
  sessions: number
}

/** One posterior: what errors do is normal around nothing with `priorDropOff`, what is seen is normal around that. */
function gapOf(affected: number, converted: number, cells: readonly AffectedCell[], control: Control): Gap {
  const baseline = baselineOf(cells, control)
  const affectedRate = affected === 0 ? 0 : converted / affected
  const { rate } = baseline
  const deviation = Math.hypot(Math.sqrt(baseline.variance), modelError * rate)
  const own = chanceOf(affected, affectedRate, rate, z90)
  const seen = Math.hypot(deviation, (own.above + own.below) / 2 / z90)
  const prior = priorDropOff * rate
  const reliability = rate === 0 || affected === 0 ? 0 : prior ** 2 / (prior ** 2 + seen ** 2)
  const shrunk = reliability * (rate - affectedRate)
  return {
    baselineRate: rate,
    affectedRate,
    reliability,
    shrunk,
    sessions: baseline.sessions,
    intervalAt(z) {
      const { above, below } = chanceOf(affected, affectedRate, rate, z)
      const narrow = Math.sqrt(reliability)
      return {
        low: shrunk - narrow * Math.hypot(z * deviation, above),
        high: shrunk + narrow * Math.hypot(z * deviation, below),
      }
    },
  }
}

/**
 * How far chance may have moved what the affected sessions bought, up and down. They lost what they would have bought
 * less what they did; how many would have is as uncertain as the baseline says, so the wider of both counts.
 */
function chanceOf(sessions: number, affectedRate: number, rate: number, z: number) {
  const sides = [affectedRate, rate].map((share) => ({ share, ...wilson(share, sessions, z) }))
  return {
    above: Math.max(...sides.map(({ share, high }) => high - share)),
    below: Math.max(...sides.map(({ share, low }) => share - low)),
  }
}

function evidenceOf(isComparable: boolean, isBeyondChance: boolean): EvidenceLevel {
  if (!isComparable) return 'insufficient'
  return isBeyondChance ? 'strong' : 'weak'
}

/** Where most of them were; of two the costlier one. */
function stageOf(cells: readonly AffectedCell[]): FunnelStage {
  const counts = [0, 0, 0, 0]
  for (const { cell, sessions } of cells) {
    const at = stageOfCell(cell)
    counts[at] = (counts[at] ?? 0) + sessions
  }
  return funnelStages[counts.lastIndexOf(Math.max(...counts))] ?? 'browse'
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
