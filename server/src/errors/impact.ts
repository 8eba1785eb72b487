import {
  affectedSessionsMin,
  type FunnelStage,
  funnelStages,
  segments,
  segmentWeights,
  type ValueSegment,
} from '@assay/contract'
import { differenceInterval, type Interval, productInterval, wilson } from './interval.ts'
import type { Segments } from './order-value.ts'

/** Sessions that are alike, with how many there are and how many of them bought something. */
export type Cell = { sessions: number; converted: number }

export type AffectedCell = Cell & {
  stage: number
  /** Device and whether they were there before. */
  stratum: string
  segment: ValueSegment
  cohort: string
}

/** Sessions without the error that reached a stage, of one stratum or of all together. */
export type Baseline = (stage: number, stratum: string | null) => Cell

export type Estimate = {
  stage: FunnelStage
  affectedSessions: number
  baselineRate: number
  affectedRate: number
  dropOff: number
  loss: number
  interval: Interval
  evidence: 'strong' | 'weak' | 'insufficient'
  bySegment: readonly {
    segment: ValueSegment
    sessions: number
    orderValue: number
    loss: number
    weight: number
  }[]
}

/** A stratum with fewer sessions tells less than all sessions of the stage do (algorithms §5.1). */
const stratumSessionsMin = 50
/** So many sessions that behaved like the baseline are added to the affected ones: few sessions show little effect. */
const priorSessions = 20
/** After the purchase there is nothing left to lose. */
const boughtStage = 4

/**
 * What one group of errors cost: affected sessions × baseline conversion × order value × drop-off. The baseline is
 * that of sessions that reached the same stages without the error, weighted as the affected ones are spread.
 */
export function estimate(cells: readonly AffectedCell[], baseline: Baseline, values: Segments): Estimate {
  const affectedSessions = sum(cells.map((cell) => cell.sessions))
  const expected = expectedRate(cells, affectedSessions, baseline)
  const converted = sum(cells.map((cell) => cell.converted))
  const affectedRate = affectedSessions === 0 ? 0 : converted / affectedSessions
  const shrunk = (converted + priorSessions * expected.rate) / (affectedSessions + priorSessions)
  const dropOff = expected.rate === 0 ? 0 : Math.max(0, 1 - shrunk / expected.rate)
  const bySegment = segments.map((segment) => {
    const own = cells.filter((cell) => cell.segment === segment)
    const sessions = sum(own.map((cell) => cell.sessions))
    const orderValue = values.valueOf(segment, own)
    const loss = sessions * expected.rate * orderValue * dropOff
    return { segment, sessions, orderValue, loss, weight: segmentWeights[segment] }
  })
  const loss = sum(bySegment.map((one) => one.loss))
  const sessionValue = sum(bySegment.map(({ sessions, orderValue }) => sessions * orderValue))
  const interval = lossInterval(affectedSessions, affectedRate, expected, sessionValue, values.spread)
  return {
    stage: stageOf(cells),
    affectedSessions,
    baselineRate: expected.rate,
    affectedRate,
    dropOff,
    loss,
    interval: { low: Math.min(loss, interval.low), high: Math.max(loss, interval.high) },
    evidence: evidenceOf(affectedSessions, expected.sessions, sessionValue, interval),
    bySegment,
  }
}

type Expected = {
  rate: number
  /** Sessions without the error that it rests on, weighted as they count. */
  sessions: number
}

/** Strata that are too small share the sessions of their stage, so their weights are added before anything else. */
function expectedRate(cells: readonly AffectedCell[], affected: number, baseline: Baseline): Expected {
  const sources = new Map<string, { weight: number; cell: Cell }>()
  for (const { stage, stratum, sessions } of cells) {
    if (stage === boughtStage) continue
    const own = baseline(stage, stratum)
    const isLarge = own.sessions >= stratumSessionsMin
    const key = isLarge ? `${stage} ${stratum}` : `${stage}`
    const known = sources.get(key) ?? { weight: 0, cell: isLarge ? own : baseline(stage, null) }
    sources.set(key, { ...known, weight: known.weight + sessions / affected })
  }
  let rate = 0
  let variance = 0
  for (const { weight, cell } of sources.values()) {
    if (cell.sessions === 0) continue
    const share = cell.converted / cell.sessions
    rate += weight * share
    variance += (weight ** 2 * share * (1 - share)) / cell.sessions
  }
  const sessions =
    variance === 0
      ? sum([...sources.values()].map(({ cell }) => cell.sessions))
      : (rate * (1 - rate)) / variance
  return { rate, sessions }
}

function lossInterval(
  affected: number,
  affectedRate: number,
  expected: Expected,
  sessionValue: number,
  spread: Interval,
): Interval {
  const difference = differenceInterval(
    expected.rate,
    wilson(expected.rate, expected.sessions),
    affectedRate,
    wilson(affectedRate, affected),
  )
  const gap = expected.rate - affectedRate
  // The value of all affected sessions, were each of them an order; its spread is that of the average order.
  const value = { low: sessionValue * spread.low, high: sessionValue * spread.high }
  const { low, high } = productInterval(gap, difference, sessionValue, value)
  return { low: Math.max(0, Math.min(low, high)), high: Math.max(0, low, high) }
}

function evidenceOf(
  affected: number,
  unaffected: number,
  sessionValue: number,
  interval: Interval,
): Estimate['evidence'] {
  if (affected < affectedSessionsMin || unaffected < affectedSessionsMin || sessionValue === 0)
    return 'insufficient'
  return interval.low > 0 ? 'strong' : 'weak'
}

/** Where most of them were; of two the costlier one. After a purchase they were at the checkout. */
function stageOf(cells: readonly AffectedCell[]): FunnelStage {
  const counts = [0, 0, 0, 0]
  for (const { stage, sessions } of cells) {
    const at = Math.min(stage, counts.length - 1)
    counts[at] = (counts[at] ?? 0) + sessions
  }
  return funnelStages[counts.lastIndexOf(Math.max(...counts))] ?? 'browse'
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
