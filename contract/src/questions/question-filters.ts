import { compilePattern } from '../gate/patterns/pattern.ts'
import { isRecord } from '../gate/raw-event.ts'
import { eventNameCharactersMax, readDaysMax } from '../maxima.ts'
import { printedText } from '../printed-text.ts'
import { type FieldError, Problem } from '../problems.ts'
import {
  type CountOperator,
  countOperators,
  didConditionsMax,
  didCountMax,
  type FilterValue,
  filterAudiencesMax,
  filterCharactersMax,
  filterConditionsMax,
  filterDepthMax,
  filterGoalsMax,
  filterItemsMax,
  filterNameCharactersMax,
  filterPatternsMax,
  filterValueCharactersMax,
  filterValuesMax,
  filterWords,
  traitsAskedMax,
} from './filters.ts'
import { isPathPattern } from './path-pattern.ts'
import {
  type Dimension,
  dimensionOf,
  knownDimensions,
  type OperatorName,
  type OperatorTakes,
  operatorNames,
  operatorTerms,
} from './question-terms.ts'

/** A dimension that an event can be compared by. */
export type FilterDimension = Exclude<Dimension, { kind: 'time' }>

/** A filter that was found sound. */
export type Condition =
  | { kind: 'and' | 'or'; of: readonly Condition[] }
  | { kind: 'not'; of: Condition }
  | { kind: 'compare'; op: OperatorName; dimension: FilterDimension; values: readonly FilterValue[] }
  | {
      kind: 'did'
      event: string
      count: { op: CountOperator; value: number }
      within: string | null
      where: readonly Condition[]
    }
  | { kind: 'inAudience'; audiences: readonly string[] }
  /** An event that reaches one of these goals. */
  | { kind: 'reached'; goals: readonly string[] }

export type Refuse = (field: string, message: string) => void

/** Conditions of one question, counted over all its filters. */
export type FilterBudget = {
  conditions: number
  dids: number
  characters: number
  patterns: number
  traits: Set<string>
}
export const newFilterBudget = (): FilterBudget => ({
  conditions: 0,
  dids: 0,
  characters: 0,
  patterns: 0,
  traits: new Set(),
})

type Reader = {
  refuse: Refuse
  budget: FilterBudget
  /** Within `where`, which is about single events: nothing that asks for a person. */
  isOfEvents: boolean
}

const windowShape = /^[1-9][0-9]{0,2}[hd]$/

/** All filters of a list; `refuse` hears of everything that is wrong, each with its place. */
export function readFilterList(
  value: unknown,
  at: string,
  refuse: Refuse,
  budget: FilterBudget,
): Condition[] {
  return readList(value, at, 1, { refuse, budget, isOfEvents: false })
}

/** The same where only events are asked about: `where`. */
export function readEventFilters(
  value: unknown,
  at: string,
  refuse: Refuse,
  budget: FilterBudget,
): Condition[] {
  return readList(value, at, 1, { refuse, budget, isOfEvents: true })
}

/** `filters` of a read: JSON, or the same as text in an address. */
export function readFilters(given: unknown): Condition[] {
  const errors: FieldError[] = []
  const refuse: Refuse = (field, message) => errors.push({ field, message })
  const value = typeof given === 'string' ? parsed(given) : given
  const conditions = value === undefined ? [] : readFilterList(value, 'filters', refuse, newFilterBudget())
  if (value === undefined) refuse('filters', 'must be JSON: [["is", "country", ["DE"]]]')
  if (errors.length > 0) throw wrongMembers(errors)
  return conditions
}

/** Conditions of a goal: on single events, which neither a person nor a whole visit has to be asked for. */
export function readGoalFilters(given: unknown, most: number): Condition[] {
  const errors: FieldError[] = []
  const refuse: Refuse = (field, message) => errors.push({ field, message })
  const budget = newFilterBudget()
  const conditions = readEventFilters(given, 'filters', refuse, budget)
  if (budget.conditions > most) refuse('filters', `may have ${most} conditions at most`)
  if (errors.length === 0 && conditions.some(asksVisits))
    refuse('filters', 'may not ask for entryPage, exitPage or another goal')
  if (errors.length > 0) throw wrongMembers(errors)
  return conditions
}

function asksVisits(condition: Condition): boolean {
  if (condition.kind === 'and' || condition.kind === 'or') return condition.of.some(asksVisits)
  if (condition.kind === 'not') return asksVisits(condition.of)
  if (condition.kind !== 'compare') return true
  return condition.dimension.name === 'entryPage' || condition.dimension.name === 'exitPage'
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Says the first in words, and all of them by their place. */
export function wrongMembers(errors: readonly FieldError[]): Problem {
  const [first] = errors
  return new Problem('invalid-parameter', { detail: `${first?.field} ${first?.message}.`, errors })
}

function readList(value: unknown, at: string, depth: number, reader: Reader): Condition[] {
  if (!Array.isArray(value)) {
    reader.refuse(at, 'must be a list of filters')
    return []
  }
  if (value.length > filterItemsMax) {
    reader.refuse(at, `may have ${filterItemsMax} items at most`)
    return []
  }
  return value.flatMap((item, index) => {
    const condition = readFilter(item, `${at}[${index}]`, depth, reader)
    return condition === null ? [] : [condition]
  })
}

function readFilter(value: unknown, at: string, depth: number, reader: Reader): Condition | null {
  const { refuse } = reader
  if (!Array.isArray(value) || value.length < 2 || value.length > 3) {
    refuse(at, 'must be a filter: ["is", "country", ["DE"]]')
    return null
  }
  if (depth > filterDepthMax) {
    refuse(at, `is nested too deep: ${filterDepthMax} levels at most`)
    return null
  }
  const [word, first, second] = value
  if (word === 'and' || word === 'or') {
    const of = readList(first, `${at}[1]`, depth + 1, reader)
    if (Array.isArray(first) && first.length === 0) refuse(`${at}[1]`, 'must have a filter')
    return requirePair(value, at, refuse) ? { kind: word, of } : null
  }
  if (word === 'not') {
    const of = readFilter(first, `${at}[1]`, depth + 1, reader)
    return requirePair(value, at, refuse) && of !== null ? { kind: 'not', of } : null
  }
  if (!takeCondition(at, reader)) return null
  if (word === 'did' || word === 'didNot') {
    const did = requirePair(value, at, refuse) ? readDid(first, `${at}[1]`, depth, reader) : null
    return did === null || word === 'did' ? did : { kind: 'not', of: did }
  }
  if (word === 'inAudience') return requirePair(value, at, refuse) ? readAudiences(first, at, reader) : null
  if (word === 'reached') return requirePair(value, at, refuse) ? readGoals(first, at, reader) : null
  return readComparison(word, first, second, value.length, at, reader)
}

function requirePair(value: readonly unknown[], at: string, refuse: Refuse): boolean {
  if (value.length !== 2) refuse(at, 'must have two items')
  return value.length === 2
}

function takeCondition(at: string, { budget, refuse }: Reader): boolean {
  budget.conditions += 1
  if (budget.conditions <= filterConditionsMax) return true
  // Once is enough: the rest of a thousand conditions says nothing new.
  if (budget.conditions === filterConditionsMax + 1) {
    refuse(at, `is one too many: ${filterConditionsMax} conditions at most`)
  }
  return false
}

function readDid(value: unknown, at: string, depth: number, reader: Reader): Condition | null {
  const { refuse, budget, isOfEvents } = reader
  if (isOfEvents) {
    refuse(at, 'asks about people, where only single events can be asked about')
    return null
  }
  budget.dids += 1
  if (budget.dids > didConditionsMax) {
    refuse(at, `is one too many: ${didConditionsMax} of did and didNot at most`)
    return null
  }
  if (!isRecord(value)) {
    refuse(at, 'must be an object: {"event": "$signup", "within": "7d"}')
    return null
  }
  requireMembers(value, ['event', 'count', 'within', 'where'], at, refuse)
  const { event, count, within, where } = value
  if (!isName(event, eventNameCharactersMax)) refuse(`${at}.event`, 'must be the name of an event')
  if (within !== undefined && !isWindow(within)) {
    refuse(`${at}.within`, `must be days or hours such as 7d or 24h, ${readDaysMax}d at most`)
  }
  return {
    kind: 'did',
    event: printedText(event),
    count: readCount(count, `${at}.count`, refuse),
    within: within === undefined ? null : printedText(within),
    where:
      where === undefined ? [] : readList(where, `${at}.where`, depth + 1, { ...reader, isOfEvents: true }),
  }
}

function isWindow(value: unknown): boolean {
  if (typeof value !== 'string' || !windowShape.test(value)) return false
  return value.endsWith('h') || Number.parseInt(value, 10) <= readDaysMax
}

function readCount(value: unknown, at: string, refuse: Refuse): { op: CountOperator; value: number } {
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

function readAudiences(value: unknown, at: string, { refuse, isOfEvents }: Reader): Condition | null {
  if (isOfEvents) refuse(at, 'asks about people, where only single events can be asked about')
  const isList = Array.isArray(value) && value.length > 0 && value.length <= filterAudiencesMax
  if (!isList || !value.every((one) => isName(one, 64))) {
    refuse(`${at}[1]`, `must be a list of 1 to ${filterAudiencesMax} ids of audiences`)
    return null
  }
  return { kind: 'inAudience', audiences: value.map(String) }
}

function readGoals(value: unknown, at: string, { refuse }: Reader): Condition | null {
  const isList = Array.isArray(value) && value.length > 0 && value.length <= filterGoalsMax
  if (!isList || !value.every((one) => isName(one, 64))) {
    refuse(`${at}[1]`, `must be a list of 1 to ${filterGoalsMax} ids of goals`)
    return null
  }
  return { kind: 'reached', goals: value.map(String) }
}

function readComparison(
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

/** Counts the traits of a question, each once. */
export function takeTrait(dimension: Dimension, at: string, { traits }: FilterBudget, refuse: Refuse): void {
  if (dimension.kind !== 'trait' || traits.has(dimension.trait)) return
  traits.add(dimension.trait)
  if (traits.size > traitsAskedMax) refuse(at, `is one too many: ${traitsAskedMax} traits at most`)
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

/** A text that every store accepts, which no NUL and no half of a character is. */
export function isName(value: unknown, charactersMax: number): value is string {
  return typeof value === 'string' && value !== '' && value.length <= charactersMax && isStorable(value)
}

const isStorable = (text: string) => !text.includes('\0') && text.isWellFormed()

function isFilterValue(value: unknown): value is FilterValue {
  if (typeof value === 'string') return value.length <= filterValueCharactersMax && isStorable(value)
  return typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))
}

export function requireMembers(
  value: Readonly<Record<string, unknown>>,
  known: readonly string[],
  at: string,
  refuse: Refuse,
): void {
  for (const name of Object.keys(value)) {
    if (known.includes(name)) continue
    const field = at === '' ? name : `${at}.${name}`
    refuse(field, `is not known here: ${known.join(', ')}`)
  }
}
