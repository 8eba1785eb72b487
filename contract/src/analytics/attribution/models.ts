import { Type } from 'typebox'

export const attributionModels = ['first', 'last', 'linear', 'time_decay', 'position', 'data_driven'] as const
export type AttributionModel = (typeof attributionModels)[number]
/** The accepted spellings: with a hyphen too. */
export const acceptedModels = [...attributionModels, 'time-decay', 'data-driven'] as const

export function attributionModelOf(accepted: (typeof acceptedModels)[number]): AttributionModel {
  if (accepted === 'time-decay') return 'time_decay'
  return accepted === 'data-driven' ? 'data_driven' : accepted
}
export const dataDrivenMethods = ['markov', 'shapley', 'counterfactual'] as const
export const exclusionReasons = [
  'outside_window',
  'after_outcome',
  'bot',
  'consent_denied',
  'channel_excluded',
  'direct_ignored',
  'duplicate_of',
] as const
export type ExclusionReason = (typeof exclusionReasons)[number]
export const sourceCategories = ['search', 'social', 'video', 'shopping', 'ai', 'email', 'other'] as const

/** Where the credit of an outcome without touchpoints is reported. */
export const unattributed = 'Unattributed'

export const attributionLimits = {
  lookbackDaysMax: 90,
  /** Longest range of one computation or report. */
  rangeDaysMax: 400,
  rulesMax: 100,
  /** A dry run covers the latest of these days. */
  dryRunDays: 30,
  touchpointsMax: 1_000,
} as const

export const Credits = Type.Object({
  first: Type.Number(),
  last: Type.Number(),
  linear: Type.Number(),
  time_decay: Type.Number(),
  position: Type.Number(),
  data_driven: Type.Number(),
})
