import type { AttributionModel, dataDrivenMethods } from '@assay/contract'
import { unitsOf } from './credit.ts'
import { fitMarkov, type MarkovFit, markovWeights } from './markov.ts'
import { channelsOf, collapseRepeats, gatherPaths, type PathCount } from './paths.ts'
import {
  decayWeights,
  firstWeights,
  lastWeights,
  linearWeights,
  type PositionShares,
  positionWeights,
} from './rules.ts'
import {
  type CounterfactualFit,
  counterfactualWeights,
  fitCounterfactual,
  shapleyWeights,
} from './shapley.ts'

type DataDrivenMethod = (typeof dataDrivenMethods)[number]

/** The touchpoints that share one outcome, the earliest first. */
export type Path = { channels: readonly string[]; touchMs: readonly number[]; outcomeMs: number }

export type ModelSettings = { halfLifeMs: number; position: PositionShares }

/** What the data gave; or why it was not enough, and the position model is used instead. */
export type Fit = { conversions: number; nulls: number; channels: number } & (
  | ({ method: 'markov' } & MarkovFit)
  | ({ method: 'counterfactual' } & CounterfactualFit)
  | { method: 'shapley' }
  | { method: 'fallback'; wanted: DataDrivenMethod; reason: 'too_few_outcomes' }
)

/**
 * Below these a removal effect is noise: algorithms §1.1, 300 outcomes, and 20 for every participating
 * channel.
 */
const fitFloor = { conversions: 300, conversionsPerChannel: 20 } as const

export function fitPaths(method: DataDrivenMethod, rows: readonly PathCount[]): Fit {
  const paths = gatherPaths(rows)
  const conversions = paths.reduce((sum, path) => sum + path.conversions, 0)
  const nulls = paths.reduce((sum, path) => sum + path.nulls, 0)
  const channels = channelsOf(paths.filter((path) => path.conversions > 0)).length
  const counts = { conversions, nulls, channels }
  if (conversions < Math.max(fitFloor.conversions, channels * fitFloor.conversionsPerChannel)) {
    return { ...counts, method: 'fallback', wanted: method, reason: 'too_few_outcomes' }
  }
  if (method === 'markov') return { ...counts, method, ...fitMarkov(paths) }
  if (method === 'counterfactual') return { ...counts, method, ...fitCounterfactual(paths) }
  return { ...counts, method }
}

/** Credit of each touchpoint in units; a path that is not empty adds up to exactly one credit. */
export function creditUnits(
  model: AttributionModel,
  path: Path,
  settings: ModelSettings,
  fit: Fit,
): number[] {
  return unitsOf(weightsOf(model, path, settings, fit))
}

function weightsOf(model: AttributionModel, path: Path, settings: ModelSettings, fit: Fit): number[] {
  const { length } = path.channels
  if (length === 0) return []
  if (model === 'first') return firstWeights(length)
  if (model === 'last') return lastWeights(length)
  if (model === 'linear') return linearWeights(length)
  if (model === 'time_decay') return decayWeights(path, settings.halfLifeMs)
  if (model === 'position' || fit.method === 'fallback') return positionWeights(length, settings.position)
  if (fit.method === 'markov') return markovWeights(fit, path.channels)
  if (fit.method === 'shapley') return shapleyWeights(path.channels)
  return spread(counterfactualWeights(fit, collapseRepeats(path.channels)), path.channels)
}

/** Divides the weight of an exposure equally over its touchpoints. */
function spread(weights: readonly number[], channels: readonly string[]): number[] {
  let exposure = -1
  const exposures = channels.map((channel, index) => {
    if (channel !== channels[index - 1]) exposure++
    return exposure
  })
  return exposures.map((place) => (weights[place] ?? 0) / exposures.filter((other) => other === place).length)
}
