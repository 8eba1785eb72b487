import type { FitShape } from '@assay/contract'
import type { Static } from 'typebox'
import type { StateRow } from '../computation/day-store.ts'
import type { Fit } from './credits.ts'

/** The last fit, or the reason why there is none yet. */
export function fitOf({ fit }: Pick<StateRow, 'fit'>): Fit {
  return (
    fit ?? {
      method: 'fallback',
      wanted: 'counterfactual',
      reason: 'too_few_outcomes',
      conversions: 0,
      nulls: 0,
      channels: 0,
    }
  )
}

export function toFitShape(state: Pick<StateRow, 'fit' | 'fitted_at'>): Static<typeof FitShape> {
  const fit = fitOf(state)
  const isMarkov = fit.method === 'markov'
  return {
    method: fit.method,
    conversions: fit.conversions,
    non_converting: fit.nulls,
    channels: fit.channels,
    fallback_reason: fit.method === 'fallback' ? fit.reason : null,
    approximation: isMarkov ? 'path_normalised_removal_effect' : null,
    removal_effects: isMarkov ? { ...fit.removalEffects } : null,
    base_rate: isMarkov ? fit.baseRate : null,
    fitted_at: state.fitted_at?.toISOString() ?? null,
  }
}
