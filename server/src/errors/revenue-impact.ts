import {
  type ImpactResult,
  impactResultsMax,
  type OrderValueCorrelation,
  type RevenueImpact,
  segments,
} from '@assay/contract'
import type { Deps } from '../deps.ts'
import { currencyOf } from '../store/money.ts'
import { type ErrorReading, knownGroups, mapOf, requireGroup } from './errors.ts'
import { stateOf } from './grouping.ts'
import { type AffectedCell, type Baseline, type Cell, type Estimate, estimate } from './impact.ts'
import { orderValues, type Segments } from './order-value.ts'
import {
  type OrderSideRow,
  type SessionCell,
  selectOrderCells,
  selectOrderSides,
  selectSessionCells,
} from './session-store.ts'

export async function readRevenueImpact(
  deps: Pick<Deps, 'control' | 'events'>,
  reading: ErrorReading,
  period: string,
  minImpact: number,
): Promise<RevenueImpact & { sessions: number }> {
  const { filter, money } = reading
  const { fromMs, toMs } = reading.period
  const scope = { filter, fromMs, toMs, previousFromMs: fromMs - (toMs - fromMs), money }
  const { groups, states } = await knownGroups(deps, reading)
  const [{ cells, users }, orders] = await Promise.all([
    selectSessionCells(deps.events, scope, mapOf(groups)),
    selectOrderCells(deps.events, scope),
  ])
  const values = orderValues(orders)
  const current = estimatesOf(
    cells.filter((cell) => cell.isCurrent),
    values,
  )
  const previous = estimatesOf(
    cells.filter((cell) => !cell.isCurrent),
    values,
  )
  const usersByGroup = Map.groupBy(users, ({ groupId }) => groupId)
  const results = groups.flatMap((group) => {
    const found = current.get(group.id)
    if (found === undefined) return []
    const usersOf = new Map((usersByGroup.get(group.id) ?? []).map((row) => [row.segment, row.users]))
    const result = toResult(found, previous.get(group.id), usersOf)
    return [{ errorGroup: group.name, groupId: group.id, state: stateOf(group, states), ...result }]
  })
  const ranked = rank(results.filter(({ impact }) => impact.totalRevenueLoss >= minImpact)).slice(
    0,
    impactResultsMax,
  )
  return {
    errorGroup: ranked[0]?.errorGroup ?? null,
    period,
    impact: ranked[0]?.impact ?? nothing,
    currency: currencyOf(money),
    exchangeRates: [...money.rates],
    results: ranked,
    sessions: cells.reduce((sum, cell) => sum + (cell.groupId === '' ? cell.sessions : 0), 0),
  }
}

const nothing = { totalRevenueLoss: 0, affectedSessions: 0, affectedUsers: 0, bySegment: [] }

const certainty = { strong: 0, weak: 1, insufficient: 2 } as const

/** What may be noise does not stand above what is not, however large it looks. */
export function rank<Result extends Pick<ImpactResult, 'evidence' | 'impact' | 'groupId'>>(
  results: readonly Result[],
): Result[] {
  return results.toSorted(
    (a, b) =>
      certainty[a.evidence] - certainty[b.evidence] ||
      b.impact.totalRevenueLoss - a.impact.totalRevenueLoss ||
      b.impact.affectedSessions - a.impact.affectedSessions ||
      (a.groupId < b.groupId ? -1 : 1),
  )
}

function estimatesOf(cells: readonly SessionCell[], values: Segments): Map<string, Estimate> {
  const byGroup = Map.groupBy(cells, (cell) => cell.groupId)
  const everybody = reachedBy(byGroup.get('') ?? [])
  const estimates = new Map<string, Estimate>()
  for (const [groupId, affected] of byGroup) {
    if (groupId === '') continue
    estimates.set(groupId, estimate(affected.map(toAffected), without(everybody, affected), values))
  }
  return estimates
}

const stratumOf = ({ device, isReturning }: SessionCell) => `${device} ${isReturning ? 'returning' : 'new'}`

function toAffected(cell: SessionCell): AffectedCell {
  const { at, cohort, sessions, convertedAfter } = cell
  const segment = segments.find((one) => one === cell.segment) ?? 'new_visitor'
  return {
    stage: at,
    stratum: stratumOf(cell),
    segment,
    cohort,
    sessions,
    converted: at === 4 ? 0 : convertedAfter,
  }
}

/** All sessions that reached a stage, less those that the error met. */
function without(everybody: ReadonlyMap<string, Cell>, affected: readonly SessionCell[]): Baseline {
  const hit = reachedBy(affected)
  return (stage, stratum) => {
    const key = stratum === null ? `${stage}` : `${stage} ${stratum}`
    const [all, less] = [everybody.get(key) ?? nobody, hit.get(key) ?? nobody]
    return { sessions: all.sessions - less.sessions, converted: all.converted - less.converted }
  }
}

const nobody: Cell = { sessions: 0, converted: 0 }

/** How many reached a stage, in all and of each stratum. */
function reachedBy(cells: readonly SessionCell[]): Map<string, Cell> {
  const reached = new Map<string, Cell>()
  for (const cell of cells) {
    for (let stage = 0; stage <= cell.reached; stage++) {
      for (const key of [`${stage}`, `${stage} ${stratumOf(cell)}`]) {
        const so = reached.get(key) ?? nobody
        reached.set(key, {
          sessions: so.sessions + cell.sessions,
          converted: so.converted + cell.converted,
        })
      }
    }
  }
  return reached
}

function toResult(
  found: Estimate,
  before: Estimate | undefined,
  usersOf: ReadonlyMap<string, number>,
): Omit<ImpactResult, 'errorGroup' | 'groupId' | 'state'> {
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
      totalRevenueLoss: money(bySegment.reduce((total, one) => total + one.revenueLoss, 0)),
      affectedSessions: found.affectedSessions,
      affectedUsers: bySegment.reduce((total, one) => total + one.users, 0),
      bySegment,
    },
    stage: found.stage,
    baselineConversionRate: found.baselineRate,
    affectedConversionRate: found.affectedRate,
    dropOffProbability: found.dropOff,
    unweightedRevenueLoss: money(bySegment.reduce((total, one) => total + one.unweightedRevenueLoss, 0)),
    interval90: { low: money(found.interval.low), high: money(found.interval.high) },
    evidence: found.evidence,
    trend: trendOf(found, before),
    previousRevenueLoss: money(before?.loss ?? 0),
  }
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

export async function readCorrelation(
  deps: Pick<Deps, 'control' | 'events'>,
  reading: ErrorReading,
  period: string,
  errorGroup: string,
): Promise<OrderValueCorrelation> {
  const { group } = await requireGroup(deps, reading, errorGroup)
  const { site, filter, money } = reading
  const sides = await selectOrderSides(deps.events, filter, reading.period, money, group.keys)
  const [sessionsWithError, sessionsWithoutError] = [toSide(sides.withError), toSide(sides.without)]
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

function toSide({ sessions, converted, orders, revenue }: OrderSideRow) {
  return {
    avgOrderValue: orders === 0 ? 0 : revenue / orders,
    conversionRate: sessions === 0 ? 0 : converted / sessions,
    sessions,
    orders,
  }
}
