import {
  affectedSessionsMin,
  type EvidenceLevel,
  type FunnelStage,
  funnelStages,
  segments,
  segmentWeights,
  type ValueSegment,
} from '@assay/contract'
import { type Baseline, baselineOf, type Moments, type Placed } from './baseline.ts'
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
 * What one group of errors cost: affected sessions × baseline conversion × order value × drop-off. Both sides are
 * taken at the same point of a session: the affected ones where the error first met them, the others where they stood
 * in the same cell without it; neither had bought, and only what they bought afterwards counts.
 */
export function estimate(
  cells: readonly AffectedCell[],
  control: (key: string) => Moments,
  values: Segments,
): Estimate {
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
function gapOf(
  affected: number,
  converted: number,
  cells: readonly AffectedCell[],
  control: (key: string) => Moments,
): Gap {
  const baseline = baselineOf(cells, control)
  const affectedRate = affected === 0 ? 0 : converted / affected
  const { rate, gainBaseline, gainAffected } = withoutLater(baseline, affectedRate)
  const deviation = gainBaseline * Math.sqrt(baseline.variance)
  const own = chanceOf(affected, affectedRate, rate, z90)
  const seen = Math.hypot(deviation, (gainAffected * (own.above + own.below)) / 2 / z90)
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
        low: shrunk - narrow * Math.hypot(z * deviation, gainAffected * above),
        high: shrunk + narrow * Math.hypot(z * deviation, gainAffected * below),
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

/** What a session that meets the error later lost is never taken for more than three times what it kept. */
const restoredMax = 4

/**
 * Sessions that meet the error later are part of the baseline, since to leave them out would leave out long ones. But
 * they lost by it as the affected ones did, so what they bought is multiplied by the factor that this very comparison
 * finds: rate = (baseline − later) + later × factor, with factor = rate / affected. How much the factor widens the
 * deviations of both sides follows from its derivatives. Where they bought next to nothing there is nothing to
 * multiply, and the rate is that of the others.
 */
function withoutLater({ rate, rateLater, shareLater }: Baseline, affectedRate: number) {
  const rest = rate - rateLater
  const kept = affectedRate - rateLater
  const factor = kept <= 0 ? restoredMax : Math.min(restoredMax, Math.max(1, rest / kept))
  const restored = rest + rateLater * factor
  const others = shareLater < 1 ? rest / (1 - shareLater) : 0
  if (rateLater <= 0 || factor === 1 || factor === restoredMax || others > restored)
    return { rate: Math.max(restored, others), gainBaseline: 1, gainAffected: 1 }
  return {
    rate: restored,
    gainBaseline: affectedRate / kept,
    gainAffected: Math.abs(factor - 1 - (factor * affectedRate) / kept),
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

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
