import { isRecord } from '../../gate/raw-event.ts'
import { eventNameCharactersMax, propertyNameCharactersMax } from '../../maxima.ts'
import { printedText } from '../../printed-text.ts'
import type { newFilterBudget } from '../filters/filter-budget.ts'
import { readEventFilters } from '../filters/filter-reader.ts'
import { isName, type Refuse, requireMembers } from '../filters/member-checks.ts'
import { namesIn, parseFormula } from '../question-formula.ts'
import { formulaCharactersMax, metricsMax } from '../question-limits.ts'
import { mathNames, mathTerms, metricNames } from '../question-terms.ts'
import type { ReadMetric } from './read-question.ts'

export function readMetrics(
  value: unknown,
  refuse: Refuse,
  budget: ReturnType<typeof newFilterBudget>,
): ReadMetric[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > metricsMax) {
    refuse(
      'metrics',
      `must be a list of 1 to ${metricsMax} metrics: ${metricNames.join(', ')}, or {"as", "event", "math"}`,
    )
    return []
  }
  const metrics: ReadMetric[] = []
  for (const [index, item] of value.entries()) {
    const at = `metrics[${index}]`
    const metric = readMetric(item, at, metrics, refuse, budget)
    if (metric === null) continue
    if (metrics.some(({ name }) => name === metric.name))
      refuse(at, `has a name that is taken: ${metric.name}`)
    else metrics.push(metric)
  }
  return metrics
}

function readMetric(
  item: unknown,
  at: string,
  before: readonly ReadMetric[],
  refuse: Refuse,
  budget: ReturnType<typeof newFilterBudget>,
): ReadMetric | null {
  if (!isRecord(item)) {
    const name = metricNames.find((one) => one === item)
    if (name === undefined)
      refuse(at, `must be one of ${metricNames.join(', ')}, or an object with a name in as`)
    return name === undefined ? null : { kind: 'metric', name }
  }
  const { as } = item
  const isNamed = typeof as === 'string' && /^[A-Za-z][A-Za-z0-9_]{0,39}$/.test(as)
  if (!isNamed) refuse(`${at}.as`, 'must be a name of letters, digits and underscores, 40 at most')
  else if (metricNames.some((name) => name === as)) refuse(`${at}.as`, `is the name of a metric: ${as}`)
  if ('formula' in item) return readFormula(item, printedText(as), at, before, refuse)
  requireMembers(item, ['as', 'event', 'goal', 'math', 'property', 'where'], at, refuse)
  const { event, goal, property, where = [] } = item
  if (goal !== undefined && !isName(goal, 64)) refuse(`${at}.goal`, 'must be the id of a goal')
  if (goal !== undefined && event !== undefined) refuse(`${at}.goal`, 'cannot be combined with event')
  if (event !== undefined && !isName(event, eventNameCharactersMax)) {
    refuse(`${at}.event`, 'must be the name of an event')
  }
  const math = mathNames.find((one) => one === item.math)
  if (math === undefined) {
    refuse(`${at}.math`, `must be one of ${mathNames.join(', ')}`)
    return null
  }
  const { needsProperty } = mathTerms[math]
  if (needsProperty && !isName(property, propertyNameCharactersMax)) {
    refuse(`${at}.property`, `must be the name of a property, of which ${math} is computed`)
  }
  if (!needsProperty && property !== undefined) refuse(`${at}.property`, `is of no use for ${math}`)
  const conditions = readEventFilters(where, `${at}.where`, refuse, budget)
  const name = printedText(as)
  const shared = {
    event: event === undefined ? null : printedText(event),
    goal: goal === undefined ? null : printedText(goal),
    property: printedText(property ?? ''),
  }
  return { kind: 'math', name, math, ...shared, where: conditions }
}

function readFormula(
  item: Record<string, unknown>,
  name: string,
  at: string,
  before: readonly ReadMetric[],
  refuse: Refuse,
): ReadMetric | null {
  requireMembers(item, ['as', 'formula'], at, refuse)
  const { formula: text } = item
  if (typeof text !== 'string' || text.length > formulaCharactersMax) {
    refuse(`${at}.formula`, `must be a text of up to ${formulaCharactersMax} characters`)
    return null
  }
  const parsed = parseFormula(text)
  if (!parsed.ok) {
    refuse(`${at}.formula`, parsed.problem)
    return null
  }
  const known = before.map((metric) => metric.name)
  const missing = namesIn(parsed.formula).find((one) => !known.includes(one))
  if (missing !== undefined) {
    refuse(
      `${at}.formula`,
      `names ${missing}, which is none of the metrics before it: ${known.join(', ') || 'none'}`,
    )
  }
  return { kind: 'formula', name, formula: parsed.formula }
}
