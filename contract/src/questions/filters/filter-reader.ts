import type { FieldError } from '../../problems.ts'
import type { Condition } from './condition.ts'
import { type FilterBudget, newFilterBudget } from './filter-budget.ts'
import { readList } from './filter-tree.ts'
import { type Refuse, wrongMembers } from './member-checks.ts'

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
