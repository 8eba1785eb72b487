import {
  type EvidenceLevel,
  type ImpactResult,
  impactResultsMax,
  type OrderValueCorrelation,
  type RevenueImpact,
} from '@assay/contract'
import { previousPeriod } from '../../analytics/period.ts'
import type { Platform } from '../../platform/platform.ts'
import { currencyOf } from '../../store/money.ts'
import { type ErrorReading, knownGroups, mapOf, requireGroup } from '../errors.ts'
import { stateOf } from '../groups.ts'
import { noMoments } from './baseline.ts'
import { type Estimate, estimate } from './impact.ts'
import type { Tallied } from './landmark-store.ts'
import { type OrderSum, selectOrderSides } from './order-side-store.ts'
import { orderValues } from './order-value.ts'
import type { ImpactScope } from './session-store.ts'
import { estimatesInTurns, estimatesOf } from './session-tally.ts'
import { readSessionTally, type TallyNeeds } from './sessions/session-tallies.ts'

type ImpactWish = { minImpact: number; evidence: EvidenceLevel | null }

export async function readRevenueImpact(
  deps: Pick<Platform, 'control'> & TallyNeeds,
  reading: ErrorReading,
  period: string,
  { minImpact, evidence }: ImpactWish,
): Promise<RevenueImpact & { sessions: number }> {
  const { money } = reading
  const scope = scopeOf(reading, null)
  const known = knownGroups(deps, reading)
  const map = known.then(({ groups }) => mapOf(groups))
  const [{ groups, states }, { tallied, orders }] = await Promise.all([
    known,
    readSessionTally(deps, scope, map, null),
  ])
  const values = orderValues(orders)
  const current = await estimatesInTurns(tallied, true, values)
  const previous = await estimatesInTurns(tallied, false, values)
  const metByGroup = Map.groupBy(tallied.met, ({ groupId }) => groupId)
  const results = groups.flatMap((group) => {
    const met = metByGroup.get(group.id)
    if (met === undefined) return []
    const result = toResult(current.get(group.id) ?? unmet, previous.get(group.id), met)
    return [{ errorGroup: group.name, groupId: group.id, state: stateOf(group, states), ...result }]
  })
  const wanted = results.filter(
    (result) =>
      result.impact.totalRevenueLoss >= minImpact && (evidence === null || result.evidence === evidence),
  )
  const ranked = rank(wanted).slice(0, impactResultsMax)
  return {
    errorGroup: ranked[0]?.errorGroup ?? null,
    period,
    impact: ranked[0]?.impact ?? nothing,
    currency: currencyOf(money),
    exchangeRates: [...money.rates],
    results: ranked,
    sessions: tallied.sessions,
  }
}

/** The period, and the same days and time of day before it. */
function scopeOf({ filter, money, period }: ErrorReading, only: readonly string[] | null): ImpactScope {
  const { fromMs, toMs } = period
  const previous = previousPeriod(period)
  const span = { fromMs, toMs, previousFromMs: previous.fromMs, previousToMs: previous.toMs }
  return { filter, ...span, money, only }
}

const nothing = { totalRevenueLoss: 0, affectedSessions: 0, affectedUsers: 0, bySegment: [] }

/** A group that met sessions only after they had bought, or only events without a session. */
const unmet = estimate([], { moments: () => noMoments, onward: () => [] }, orderValues([]))

/**
 * By estimated loss; where nothing is lost, by how many sessions were met. Groups of which too little is known for an
 * estimate come after all that have one: chance alone makes the largest losses of a few sessions.
 */
export function rank<Result extends Pick<ImpactResult, 'impact' | 'groupId' | 'evidence'>>(
  results: readonly Result[],
): Result[] {
  const isUnknown = ({ evidence }: Result) => Number(evidence === 'insufficient')
  return results.toSorted(
    (a, b) =>
      isUnknown(a) - isUnknown(b) ||
      b.impact.totalRevenueLoss - a.impact.totalRevenueLoss ||
      b.impact.affectedSessions - a.impact.affectedSessions ||
      (a.groupId < b.groupId ? -1 : 1),
  )
}

function toResult(
  found: Estimate,
  before: Estimate | undefined,
  met: Tallied['met'],
): Omit<ImpactResult, 'errorGroup' | 'groupId' | 'state'> {
  const usersOf = new Map(met.map(({ segment, users }) => [segment, users]))
  const bySegment = found.bySegment.map(({ segment, sessions, orderValue, loss, weight }) => ({
    segment,
    users: usersOf.get(segment) ?? 0,
    revenueLoss: money(loss * weight),
    weight,
    sessions,
    averageOrderValue: money(orderValue),
    unweightedRevenueLoss: money(loss),
  }))
  return {
    impact: {
      totalRevenueLoss: money(total(bySegment.map((one) => one.revenueLoss))),
      affectedSessions: total(met.map((one) => one.sessions)),
      affectedUsers: total(bySegment.map((one) => one.users)),
      bySegment,
    },
    stage: found.stage,
    comparedSessions: found.affectedSessions,
    convertedSessions: found.converted,
    expectedConversions: found.affectedSessions * found.baselineRate,
    baselineConversionRate: found.baselineRate,
    affectedConversionRate: found.affectedRate,
    reliability: found.reliability,
    dropOffProbability: found.dropOff,
    unweightedRevenueLoss: money(total(bySegment.map((one) => one.unweightedRevenueLoss))),
    interval90: scaled(found.interval, 1),
    weightedInterval90: scaled(found.interval, found.weight),
    evidence: found.evidence,
    trend: trendOf(found, before),
    previousRevenueLoss: money(before?.loss ?? 0),
  }
}

const scaled = ({ low, high }: Estimate['interval'], factor: number) => ({
  low: money(low * factor),
  high: money(high * factor),
})

function total(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0)
}

/** Hundredths are as fine as an estimate can mean. */
function money(amount: number): number {
  return Math.round(amount * 100) / 100
}

/** A change counts beyond a tenth, and where the intervals do not touch. */
function trendOf(found: Estimate, before: Estimate | undefined): ImpactResult['trend'] {
  const earlier = before?.loss ?? 0
  const past = before?.interval ?? { low: 0, high: 0 }
  if (found.loss > earlier * 1.1 && found.interval.low > past.high) return 'up'
  return found.loss < earlier * 0.9 && found.interval.high < past.low ? 'down' : 'flat'
}

/** The comparison of one group's revenue impact, with the order values of both sides. */
export async function readCorrelation(
  deps: Pick<Platform, 'control'> & TallyNeeds,
  reading: ErrorReading,
  period: string,
  errorGroup: string,
): Promise<OrderValueCorrelation> {
  const { group } = await requireGroup(deps, reading, errorGroup)
  const { site, money } = reading
  const scope = scopeOf(reading, group.keys)
  const { tallied } = await readSessionTally(deps, scope, mapOf([group]), { high: 0, medium: 0 })
  const found = estimatesOf(tallied, true, orderValues([])).get(group.id) ?? unmet
  const cells = tallied.hits.filter(({ isCurrent }) => isCurrent).map(({ cell }) => cell)
  const sides = await selectOrderSides(deps.events, scope, [...new Set(cells)])
  const { affectedSessions, converted, affectedRate, baselineRate } = found
  const sessionsWithError = toSide(affectedSessions, converted, affectedRate, sides.withError)
  const expected = affectedSessions * baselineRate
  const sessionsWithoutError = toSide(affectedSessions, expected, baselineRate, sides.without)
  return {
    siteId: site.id,
    period,
    currency: currencyOf(money),
    exchangeRates: [...money.rates],
    correlation: {
      errorGroup: group.name,
      aovImpact: {
        sessionsWithError,
        sessionsWithoutError,
        aovDelta: sessionsWithError.avgOrderValue - sessionsWithoutError.avgOrderValue,
        conversionDelta: sessionsWithError.conversionRate - sessionsWithoutError.conversionRate,
      },
    },
  }
}

function toSide(
  sessions: number,
  convertedSessions: number,
  conversionRate: number,
  { orders, revenue }: OrderSum,
) {
  return {
    avgOrderValue: orders === 0 ? 0 : revenue / orders,
    conversionRate,
    sessions,
    convertedSessions,
    orders,
  }
}
