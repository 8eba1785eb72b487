import { mathTerms, type ReadMetric } from '@assay/contract'
import { eventConditions, goalSql, type TimeRange } from '../../store/event-filter.ts'
import { propertySql } from '../../store/filters/dimension-sql.ts'
import { type FigureWorld, peopleOf, sessionsOf, warnOfCurrencies } from './metric-figures.ts'
import { aggregateOf, columnOf, type Figure, named, type Plan, ratio } from './plan.ts'

type MathMetric = Extract<ReadMetric, { kind: 'math' }>

const quantiles = { p50: '(0.5)', p90: '(0.9)', p95: '(0.95)', p99: '(0.99)' } as const

/** Events whose amount has a currency, so that it can be converted. */
const moneyEvents = "('$purchase', '$subscribe', '$upgrade', '$refund')"

/** Adds something about the events of one name to the plan. They are those of the visits, whether they match or not. */
export function addMath(
  plan: Plan,
  metric: MathMetric,
  world: FigureWorld,
  range: TimeRange,
  properties: readonly string[],
): void {
  const { math, name, event, property } = metric
  const { unit, isAdditive } = mathTerms[math]
  const isEvent = columnOf(plan, isEventSql(plan, metric, world, range))
  const isMoney = property === 'amount' && unit === 'number'
  plan.figures.push({
    name,
    unit: isMoney ? 'money' : unit,
    isAdditive,
    formula: formulaOf(plan, metric, isEvent, world),
  })
  if (event !== null) warnOfGroups(plan, event, isEvent, properties)
}

function isEventSql(
  { binder }: Plan,
  { event, goal, where }: MathMetric,
  { filter }: FigureWorld,
  range: TimeRange,
): string {
  const isOfName = event === null ? '1' : `name = ${binder.bind('String', event)}`
  const isNamed = goal === null ? isOfName : goalSql(filter, range, goal, binder)
  return `(${isNamed}${eventConditions(filter, range, where, binder)})`
}

function formulaOf(plan: Plan, metric: MathMetric, isEvent: string, world: FigureWorld): Figure['formula'] {
  const { math } = metric
  const value = () => valueColumn(plan, metric, isEvent, world)
  switch (math) {
    case 'count':
      return named(aggregateOf(plan, 'countIf', isEvent))
    case 'people':
      return named(peopleOf(plan, isEvent))
    case 'sessions':
      return named(sessionsOf(plan, isEvent))
    case 'perPerson': {
      plan.needs.people = true
      const events = aggregateOf(plan, 'countIf', `${isEvent} AND person_key != cityHash64('')`)
      return ratio(events, peopleOf(plan, isEvent))
    }
    case 'distinct': {
      const text = columnOf(plan, `if(${isEventOf(plan, isEvent)}, ${textOf(plan, metric)}, '')`)
      warnOfAbsent(plan, metric, isEvent, `${text} = ''`)
      return named(aggregateOf(plan, 'uniqExactIf', `${text}, ${text} != ''`))
    }
    case 'sum':
      return named(aggregateOf(plan, 'sum', value(), { finish: (result) => `ifNull(${result}, 0)` }))
    case 'avg':
    case 'min':
    case 'max':
      return named(aggregateOf(plan, math, value()))
    default:
      return named(aggregateOf(plan, 'quantileExactInclusive', value(), { parameters: quantiles[math] }))
  }
}

const textOf = ({ binder }: Plan, { property }: MathMetric) => propertySql(property, binder).text

/** The expression of a column, to be part of another one. */
function isEventOf({ columns }: Plan, alias: string): string {
  return [...columns].find(([, known]) => known === alias)?.[0] ?? '0'
}

function valueColumn(plan: Plan, metric: MathMetric, isEvent: string, world: FigureWorld): string {
  const { number } = propertySql(metric.property, plan.binder)
  const { amount, isKnown } = world.moneySql
  const converted = `if(isNull(amount), ${number}, if(${isKnown}, toNullable(toFloat64(${amount})), NULL))`
  const isMoney = metric.property === 'amount'
  if (isMoney) warnOfCurrencies(plan, moneyEvents, world.moneySql, world.money)
  const value = columnOf(plan, `if(${isEventOf(plan, isEvent)}, ${isMoney ? converted : number}, NULL)`)
  warnOfAbsent(plan, metric, isEvent, `isNull(${value})`)
  return value
}

function warnOfAbsent(plan: Plan, metric: MathMetric, isEvent: string, isAbsent: string): void {
  const { event, goal, property, math } = metric
  const what = math === 'distinct' ? property : `${property} that is a number`
  warnOfShare(plan, isEvent, isAbsent, goal === null ? (event ?? 'all') : 'goal', what)
}

/** Groups by a property have those without it in a row of their own, which deserves a word. */
function warnOfGroups(plan: Plan, event: string, isEvent: string, properties: readonly string[]): void {
  for (const [index, property] of properties.entries()) {
    if (property !== '') warnOfShare(plan, isEvent, `d${index} = ''`, event, property)
  }
}

function warnOfShare(plan: Plan, isEvent: string, isAbsent: string, event: string, what: string): void {
  const all = aggregateOf(plan, 'countIf', isEvent)
  const absent = aggregateOf(plan, 'countIf', `${isEvent} AND ${isAbsent}`)
  plan.checks.push({
    aliases: [absent, all],
    say: ([part, whole]) => {
      const share = Number(part) / Number(whole)
      if (!(share > 0)) return null
      const percent = Math.round(share * 100)
      return `${percent === 0 ? 'Less than 1' : percent}% of ${event} events have no ${what}.`
    },
  })
}
