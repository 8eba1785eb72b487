import { compilePattern } from '../../gate/patterns/pattern.ts'
import { isRecord } from '../../gate/raw-event.ts'
import { readDaysMax } from '../../maxima.ts'
import { printedText } from '../../printed-text.ts'
import { isPathPattern } from '../path-pattern.ts'
import {
  dimensionOf,
  knownDimensions,
  type OperatorName,
  type OperatorTakes,
  operatorNames,
  operatorTerms,
} from '../question-terms.ts'
import type { Condition, FilterDimension } from './condition.ts'
import { type Reader, takeTrait } from './filter-budget.ts'
import {
  type CountOperator,
  countOperators,
  didCountMax,
  type FilterValue,
  filterCharactersMax,
  filterNameCharactersMax,
  filterPatternsMax,
  filterValueCharactersMax,
  filterValuesMax,
  filterWords,
} from './filters.ts'
import { isName, isStorable, type Refuse, requireMembers } from './member-checks.ts'

const windowShape = /^[1-9][0-9]{0,2}[hd]$/

export function isWindow(value: unknown): boolean {
  if (typeof value !== 'string' || !windowShape.test(value)) return false
  return value.endsWith('h') || Number.parseInt(value, 10) <= readDaysMax
}

export function readCount(value: unknown, at: string, refuse: Refuse): { op: CountOperator; value: number } {
  const once = { op: 'gte', value: 1 } as const
  if (value === undefined) return once
  if (!isRecord(value)) {
    refuse(at, 'must be an object: {"op": "gte", "value": 2}')
    return once
  }
  requireMembers(value, ['op', 'value'], at, refuse)
  const op = countOperators.find((one) => one === value.op)
  if (op === undefined) refuse(`${at}.op`, `must be one of ${countOperators.join(', ')}`)
  const { value: times } = value
  const isCount = typeof times === 'number' && Number.isInteger(times) && times >= 0 && times <= didCountMax
  if (!isCount) refuse(`${at}.value`, `must be a whole number up to ${didCountMax}`)
  return { op: op ?? 'gte', value: isCount ? times : 1 }
}

export function readComparison(
  word: unknown,
  name: unknown,
  given: unknown,
  length: number,
  at: string,
  { refuse, budget, isOfEvents }: Reader,
): Condition | null {
  const op = operatorNames.find((one) => one === word)
  if (op === undefined) {
    refuse(`${at}[0]`, `must be one of ${[...operatorNames, ...filterWords].join(', ')}`)
    return null
  }
  const dimension = readFilterDimension(name, `${at}[1]`, refuse)
  if (dimension === null) return null
  if (isOfEvents && dimension.of === 'person') {
    refuse(`${at}[1]`, 'asks about people, where only single events can be asked about')
    return null
  }
  takeTrait(dimension, `${at}[1]`, budget, refuse)
  const { takes, on } = operatorTerms[op]
  if (!on.includes(dimension.type)) {
    const fitting = operatorNames.filter((one) => operatorTerms[one].on.includes(dimension.type))
    refuse(`${at}[0]`, `must be one of ${fitting.join(', ')} for ${dimension.name}`)
    return null
  }
  if (takes === 'nothing') {
    if (length !== 2) refuse(at, `must have two items: ["${op}", "${dimension.name}"]`)
    return { kind: 'compare', op, dimension, values: [] }
  }
  const values = readValues(op, given, `${at}[2]`, refuse)
  if (values === null) return null
  const isPattern = (value: FilterValue) =>
    takes === 'patterns' || (dimension.type === 'path' && isPathPattern(printedText(value)))
  budget.patterns += values.filter(isPattern).length
  budget.characters += values.reduce<number>((sum, value) => sum + printedText(value).length, 0)
  if (budget.patterns > filterPatternsMax) {
    refuse(`${at}[2]`, `makes more than ${filterPatternsMax} patterns of all filters together`)
  }
  if (budget.characters > filterCharactersMax) {
    refuse(`${at}[2]`, `makes the values of all filters longer than ${filterCharactersMax} characters`)
  }
  return { kind: 'compare', op, dimension, values }
}

const valueCounts: Readonly<Record<OperatorTakes, { least: number; most: number; says: string }>> = {
  nothing: { least: 0, most: 0, says: '' },
  limit: { least: 1, most: 1, says: 'must be one value' },
  range: { least: 2, most: 2, says: 'must be a list of two values' },
  values: { least: 1, most: filterValuesMax, says: `must be a list of 1 to ${filterValuesMax} values` },
  patterns: {
    least: 1,
    most: filterPatternsMax,
    says: `must be a list of 1 to ${filterPatternsMax} patterns`,
  },
}

/** An empty part is in every text. */
const partOperators: readonly OperatorName[] = ['contains', 'notContains', 'startsWith', 'matches']

function readValues(op: OperatorName, given: unknown, at: string, refuse: Refuse): FilterValue[] | null {
  const { takes } = operatorTerms[op]
  const values: unknown = takes === 'limit' && !Array.isArray(given) ? [given] : given
  const { least, most, says } = valueCounts[takes]
  if (!Array.isArray(values) || values.length < least || values.length > most) {
    refuse(at, says)
    return null
  }
  if (!values.every(isFilterValue)) {
    refuse(at, `must contain texts of up to ${filterValueCharactersMax} characters, numbers, true or false`)
    return null
  }
  if (partOperators.includes(op) && values.includes('')) refuse(at, 'cannot contain an empty text')
  if (takes === 'patterns') requirePatterns(values, at, refuse)
  return values
}

function readFilterDimension(name: unknown, at: string, refuse: Refuse): FilterDimension | null {
  const dimension = isName(name, filterNameCharactersMax) ? dimensionOf(name) : null
  if (dimension?.kind === 'time') {
    refuse(at, 'cannot be a time: say from, to or window')
    return null
  }
  if (dimension === null) refuse(at, unknownDimension)
  return dimension
}

export const unknownDimension = `must be one of ${knownDimensions.join(', ')}`

function requirePatterns(values: readonly FilterValue[], at: string, refuse: Refuse): void {
  for (const [index, value] of values.entries()) {
    const compiled = compilePattern(printedText(value))
    if (!compiled.ok) refuse(`${at}[${index}]`, `is not a pattern that can be used: ${compiled.problem}`)
  }
}

function isFilterValue(value: unknown): value is FilterValue {
  if (typeof value === 'string') return value.length <= filterValueCharactersMax && isStorable(value)
  return typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))
}
