import { type Formula, namesIn, type ReadMetric, type ReadQuestion } from '@assay/contract'
import { type EventFilter, type TimeRange, visitsOf, withoutPeople } from '../../store/event-filter.ts'
import { type Money, moneySql } from '../../store/money.ts'
import { addMath } from './event-figures.ts'
import { addMetric, type FigureWorld } from './metric-figures.ts'
import { newPlan, type Plan } from './plan.ts'
import type { GroupDimension } from './row-store.ts'

type PlanScope = {
  filter: EventFilter
  range: TimeRange
  money: Money
  hasTime: boolean
  groups: readonly GroupDimension[]
}

/** What has to be read and computed for these metrics. */
export function planOf(metrics: readonly ReadMetric[], scope: PlanScope): Plan {
  const { filter, range, money, hasTime, groups } = scope
  const plan = newPlan()
  const { matches } = visitsOf(withoutPeople(filter), range)
  const world: FigureWorld = { filter, range, matches, money, moneySql: moneySql(money), hasTime }
  const properties = groups.map((group) => (group.kind === 'property' ? group.property : ''))
  for (const metric of metrics) {
    if (metric.kind === 'metric') addMetric(plan, metric.name, world)
    else if (metric.kind === 'math') addMath(plan, metric, world, range, properties)
    else addFormula(plan, metric.name, metric.formula)
  }
  Object.assign(plan.binder.params, world.moneySql.params)
  return plan
}

function addFormula(plan: Plan, name: string, formula: Formula): void {
  const figureOf = (wanted: string) => plan.figures.find((figure) => figure.name === wanted)
  plan.figures.push({
    name,
    unit: 'number',
    isAdditive: false,
    formula: replaced(formula, (wanted) => figureOf(wanted)?.formula),
    total: replaced(formula, (wanted) => figureOf(wanted)?.total ?? figureOf(wanted)?.formula),
  })
}

/** A formula over metrics as one over aggregates. */
function replaced(formula: Formula, formulaOf: (name: string) => Formula | undefined): Formula {
  if (formula.kind === 'name') return formulaOf(formula.name) ?? formula
  if (formula.kind === 'negative') return { kind: 'negative', of: replaced(formula.of, formulaOf) }
  if (formula.kind === 'number') return formula
  const { left, right } = formula
  return { ...formula, left: replaced(left, formulaOf), right: replaced(right, formulaOf) }
}

/** The metrics by which groups are ordered, and those of which their formulas consist. */
export function orderMetrics({ metrics, orderBy }: ReadQuestion): ReadMetric[] {
  const wanted = new Set<string>()
  const add = (metric: ReadMetric | undefined): void => {
    if (metric === undefined) return
    wanted.add(metric.name)
    if (metric.kind !== 'formula') return
    for (const name of namesIn(metric.formula)) add(metrics.find((one) => one.name === name))
  }
  if (orderBy.length === 0) add(metrics[0])
  for (const { by, index } of orderBy) if (by === 'metric') add(metrics[index])
  return metrics.filter(({ name }) => wanted.has(name))
}
