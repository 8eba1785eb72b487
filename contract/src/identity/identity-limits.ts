import { identifierCharactersMax } from './identifier.ts'

/** Limits of one person, from the decisions: beyond them the answer is 409 identity-limit. */
export const identityLimits = {
  identifiersMax: 1_000,
  mergesMax: 100,
  /** Per identifier. */
  traitsMax: 1_000,
  valueCharactersMax: identifierCharactersMax,
  identifiersPerCallMax: 50,
} as const

export const confidences = ['certain', 'likely', 'possible'] as const
export type Confidence = (typeof confidences)[number]
