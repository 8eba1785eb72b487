import type { Dimension } from '../question-terms.ts'
import { traitsAskedMax } from './filters.ts'
import type { Refuse } from './member-checks.ts'

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

/** Counts the traits of a question, each once. */
export function takeTrait(dimension: Dimension, at: string, { traits }: FilterBudget, refuse: Refuse): void {
  if (dimension.kind !== 'trait' || traits.has(dimension.trait)) return
  traits.add(dimension.trait)
  if (traits.size > traitsAskedMax) refuse(at, `is one too many: ${traitsAskedMax} traits at most`)
}

export type Reader = {
  refuse: Refuse
  budget: FilterBudget
  /** Within `where`, which is about single events: nothing that asks for a person. */
  isOfEvents: boolean
}
