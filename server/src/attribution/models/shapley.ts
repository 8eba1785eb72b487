import { gatherPaths, keyOfPath, type PathCount } from './paths.ts'

/**
 * The simplified Shapley value of Zhao, Mahboobi and Bagheri (arXiv 1804.05327), as computed by Ads Data Hub:
 * every channel of a converting path gets the same share, however many touches it had. Paths without an
 * outcome are ignored.
 */
export function shapleyWeights(channels: readonly string[]): number[] {
  const times = new Map<string, number>()
  for (const channel of channels) times.set(channel, (times.get(channel) ?? 0) + 1)
  return channels.map((channel) => 1 / (times.get(channel) ?? 1))
}

/** How often each path, as exposures, led to an outcome. */
export type CounterfactualFit = { rates: Readonly<Record<string, number>> }

/**
 * What a touchpoint adds to its path by the rates of the paths themselves, as in google/fractribution: the
 * rate of the path minus that of the same path without the touchpoint, at least 0. An unobserved path has the
 * rate 0.
 */
export function fitCounterfactual(rows: readonly PathCount[]): CounterfactualFit {
  const rates = gatherPaths(rows).flatMap(({ channels, conversions, nulls }) =>
    conversions > 0 ? [[keyOfPath(channels), conversions / (conversions + nulls)] as const] : [],
  )
  return { rates: Object.fromEntries(rates) }
}

/** For a path as exposures; everything to the last if no touchpoint adds anything. */
export function counterfactualWeights({ rates }: CounterfactualFit, exposures: readonly string[]): number[] {
  const rate = rates[keyOfPath(exposures)] ?? 0
  const added = exposures.map((_, index) => {
    const without = exposures.filter((__, other) => other !== index)
    return Math.max(0, rate - (rates[keyOfPath(without)] ?? 0))
  })
  if (added.some((part) => part > 0)) return added
  return exposures.map((_, index) => (index === exposures.length - 1 ? 1 : 0))
}
