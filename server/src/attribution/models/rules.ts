/** What a rule-based model needs to know of the path: when each touchpoint was, the earliest first. */
export type TimedPath = { touchMs: readonly number[]; outcomeMs: number }

export function firstWeights(length: number): number[] {
  return Array.from({ length }, (_, index) => (index === 0 ? 1 : 0))
}

export function lastWeights(length: number): number[] {
  return Array.from({ length }, (_, index) => (index === length - 1 ? 1 : 0))
}

/** One share a touchpoint, not a channel: who was met twice counts twice. */
export function linearWeights(length: number): number[] {
  return Array.from({ length }, () => 1)
}

/**
 * A touchpoint one half-life earlier is worth half as much, without steps. Only distances from the latest touchpoint
 * matter for the shares, and taken from there no weight but the oldest ones can vanish.
 */
export function decayWeights({ touchMs, outcomeMs }: TimedPath, halfLifeMs: number): number[] {
  const ages = touchMs.map((ms) => outcomeMs - ms)
  const youngest = Math.min(...ages)
  return ages.map((age) => 2 ** (-(age - youngest) / halfLifeMs))
}

export type PositionShares = { first: number; last: number }

/** Both ends have their share, those between have the rest in equal parts; of two the ends' shares decide. */
export function positionWeights(length: number, { first, last }: PositionShares): number[] {
  if (length === 1) return [1]
  if (length === 2) return first + last > 0 ? [first, last] : [1, 1]
  const between = Math.max(0, 1 - first - last) / (length - 2)
  return Array.from({ length }, (_, index) => (index === 0 ? first : index === length - 1 ? last : between))
}
