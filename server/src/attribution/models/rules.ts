/** What a rule-based model needs of the path: the time of each touchpoint, the earliest first. */
type TimedPath = { touchMs: readonly number[]; outcomeMs: number }

export function firstWeights(length: number): number[] {
  return Array.from({ length }, (_, index) => (index === 0 ? 1 : 0))
}

export function lastWeights(length: number): number[] {
  return Array.from({ length }, (_, index) => (index === length - 1 ? 1 : 0))
}

/** One share per touchpoint, not per channel: two touches count twice. */
export function linearWeights(length: number): number[] {
  return Array.from({ length }, () => 1)
}

/**
 * A touchpoint one half-life earlier is worth half as much, continuously. Only distances from the latest
 * touchpoint matter for the shares, and measured from there only the oldest weights can underflow.
 */
export function decayWeights({ touchMs, outcomeMs }: TimedPath, halfLifeMs: number): number[] {
  const ages = touchMs.map((ms) => outcomeMs - ms)
  const youngest = Math.min(...ages)
  return ages.map((age) => 2 ** (-(age - youngest) / halfLifeMs))
}

export type PositionShares = { first: number; last: number }

/**
 * Both ends have their share, those between divide the rest equally; with two touchpoints the ends' shares
 * decide.
 */
export function positionWeights(length: number, { first, last }: PositionShares): number[] {
  if (length === 1) return [1]
  if (length === 2) return first + last > 0 ? [first, last] : [1, 1]
  const between = Math.max(0, 1 - first - last) / (length - 2)
  return Array.from({ length }, (_, index) => (index === 0 ? first : index === length - 1 ? last : between))
}
