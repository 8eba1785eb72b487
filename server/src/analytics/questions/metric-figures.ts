import { type MetricName, metricTerms, missingRateWords } from '@assay/contract'
import { conversionSql, type EventFilter, eventNamesOf, type TimeRange } from '../../store/event-filter.ts'
import type { Money, MoneySql } from '../../store/money.ts'
import { hasPageviews } from '../overview.ts'
import { revenueEvents } from '../store.ts'
import {
  aggregateOf,
  columnOf,
  type Figure,
  named,
  type Plan,
  type RowFigure,
  ratio,
  unknown,
} from './plan.ts'
import { currenciesMax } from './row-amounts.ts'

export type FigureWorld = {
  filter: EventFilter
  range: TimeRange
  /** Whether an event matches the filter itself. */
  matches: string
  money: Money
  moneySql: MoneySql
  hasTime: boolean
}

const orderEvents = "('$purchase')"

const hasPerson = "person_key != cityHash64('')"
const hasSession = "session_key != cityHash64('')"

/** Adds a standard metric to the plan. */
export function addMetric(plan: Plan, name: MetricName, world: FigureWorld): void {
  const { unit, isAdditive } = metricTerms[name]
  plan.figures.push({ name, unit, isAdditive, ...figureOf(plan, name, world) })
}

function figureOf(plan: Plan, name: MetricName, world: FigureWorld): Pick<Figure, 'formula' | 'total'> {
  switch (name) {
    case 'visitors':
      return { formula: named(peopleOf(plan)) }
    case 'newVisitors':
      return newVisitors(plan, world)
    case 'sessions':
      return { formula: named(sessionsOf(plan)) }
    case 'pageviews':
      return { formula: hasPageviews(world.filter) ? named(views(plan, world)) : noViews(plan, world) }
    case 'events':
      return {
        formula: named(aggregateOf(plan, 'countIf', columnOf(plan, world.matches), { figure: 'events' })),
      }
    case 'viewsPerSession':
      return {
        formula: hasPageviews(world.filter)
          ? ratio(views(plan, world), sessionsOf(plan))
          : noViews(plan, world),
      }
    case 'bounceRate':
      return { formula: ratio(visitsWith(plan, 'visit_bounced'), sessionsOf(plan)) }
    case 'conversionRate':
      return { formula: ratio(visitsWith(plan, 'visit_converted'), sessionsOf(plan)) }
    case 'avgSessionMs':
      return { formula: ratio(visitLengths(plan), sessionsOf(plan)) }
    case 'conversions':
      return { formula: named(conversions(plan, world)) }
    case 'revenue':
      return { formula: named(amounts(plan, world, revenueEvents, 'revenue')) }
    case 'averageOrderValue': {
      const isKnown = columnOf(plan, `${hasAmount(orderEvents)} AND ${world.moneySql.isKnown}`)
      const orders = aggregateOf(plan, 'countIf', isKnown, { figure: 'orders' })
      return { formula: ratio(amounts(plan, world, orderEvents, 'orderValue'), orders) }
    }
  }
}

function conversions(plan: Plan, { filter, range }: FigureWorld): string {
  const { sql, params } = conversionSql(filter, range)
  Object.assign(plan.binder.params, params)
  return aggregateOf(plan, 'countIf', columnOf(plan, sql), { figure: 'conversions' })
}

/** Distinct people of the rows for which a condition holds. */
export function peopleOf(plan: Plan, condition = ''): string {
  plan.needs.people = true
  const args = `person_key, ${hasPerson}${condition && ` AND ${condition}`}`
  return aggregateOf(plan, 'uniqExactIf', args, { figure: condition === '' ? 'visitors' : null })
}

export function sessionsOf(plan: Plan, condition = '', figure: RowFigure | null = null): string {
  plan.needs.sessions = true
  const args = `session_key, ${hasSession}${condition && ` AND ${condition}`}`
  return aggregateOf(plan, 'uniqExactIf', args, { figure: condition === '' ? 'sessions' : figure })
}

/** With intervals a person is new in one of them only; over all, new in the period. */
function newVisitors(plan: Plan, { hasTime }: FigureWorld): Pick<Figure, 'formula' | 'total'> {
  plan.needs.firstEvents = true
  const total = named(peopleOf(plan, 'first_ms >= {fromMs:Int64}'))
  if (!hasTime) return { formula: total }
  return { formula: named(peopleOf(plan, 'first_ms >= greatest(bucket, {fromMs:Int64})')), total }
}

function views(plan: Plan, { matches }: FigureWorld): string {
  const [isView, isMatch] = [columnOf(plan, "name = '$pageview'"), columnOf(plan, matches)]
  return aggregateOf(plan, 'countIf', `${isView} AND ${isMatch}`, { figure: 'views' })
}

/** A filter for other events leaves no page views to count. */
function noViews(plan: Plan, { filter }: FigureWorld): typeof unknown {
  const names = eventNamesOf(filter)?.join(', ')
  plan.checks.push({
    aliases: [],
    say: () => `There are no page views to count: only ${names} events match the filters.`,
  })
  return unknown
}

function visitsWith(plan: Plan, condition: 'visit_bounced' | 'visit_converted'): string {
  plan.needs.visits = true
  return sessionsOf(plan, condition, condition === 'visit_bounced' ? 'bounced' : 'converted')
}

/** A visit is in many rows of a group, and its length counts once. */
function visitLengths(plan: Plan): string {
  plan.needs.visits = true
  plan.needs.sessions = true
  return aggregateOf(plan, 'groupUniqArrayIf', `tuple(session_key, visit_ms), ${hasSession}`, {
    finish: (result) => `arraySum(one -> one.2, ${result})`,
    figure: 'lengthMs',
  })
}

const hasAmount = (names: string) => `name IN ${names} AND isNotNull(amount)`

/** Amounts of events in the currency of the report, of refunds less than zero. */
function amounts(
  plan: Plan,
  { moneySql, money }: FigureWorld,
  names: string,
  figure: 'revenue' | 'orderValue',
): string {
  const { amount, isKnown } = moneySql
  warnOfCurrencies(plan, names, moneySql, money)
  const signed = `if(name = '$refund', -${amount}, ${amount})`
  const column = columnOf(plan, `if(${hasAmount(names)} AND ${isKnown}, ${signed}, toDecimal128(0, 4))`)
  return aggregateOf(plan, 'sum', column, { figure })
}

/** By the events whose amounts are asked for. */
const currencyFigures: ReadonlyMap<string, RowFigure> = new Map([
  [revenueEvents, 'unknownCurrencies'],
  [orderEvents, 'unknownOrderCurrencies'],
])

export function warnOfCurrencies(
  plan: Plan,
  names: string,
  { isKnown }: MoneySql,
  { currency }: Money,
): void {
  const column = columnOf(plan, `if(${hasAmount(names)} AND NOT (${isKnown}), toString(currency), '')`)
  const alias = aggregateOf(plan, 'groupUniqArrayIf', `${column}, ${column} != ''`, {
    parameters: `(${currenciesMax})`,
    figure: currencyFigures.get(names) ?? null,
    finish: (result) => `arraySort(${result})`,
  })
  if (plan.checks.some(({ aliases }) => aliases.includes(alias))) return
  plan.checks.push({
    aliases: [alias],
    say: ([found]) => {
      if (!Array.isArray(found) || found.length === 0) return null
      return `Amounts in ${found.join(', ')} are left out: ${missingRateWords} ${currency}.`
    },
  })
}
