/** The middle of some numbers, or the mean of the two in the middle; of none it is 0. */
export function median(values: readonly number[]): number {
  if (values.length === 0) return 0
  // Typed arrays are sorted by number, several times faster than by a function that compares.
  const sorted = new Float64Array(values).sort()
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? 0
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2
}

/** Makes the median absolute deviation of normal data its standard deviation. */
export const madScale = 1.4826

/** 95 %: what most people mean by sure. */
const wilsonZ = 1.959964

/** The least that a share can be, by Wilson's interval: right also where there are few, or none. */
export function wilsonLower(hits: number, total: number): number {
  if (total === 0) return 0
  const share = hits / total
  const square = wilsonZ ** 2
  const centre = share + square / (2 * total)
  const spread = wilsonZ * Math.sqrt((share * (1 - share) + square / (4 * total)) / total)
  return Math.max(0, (centre - spread) / (1 + square / total))
}

/** The transform of Anscombe, by which counts, also small ones, become nearly normal. */
const anscombe = 3 / 8
/** Counts below this have no meaningful root of their own. */
const expectedLeast = 0.5

/** How far a count is off, in deviations; `width` is how much wider than by chance alone such counts spread. */
export function countScore(observed: number, expected: number, width: number): number {
  const centre = Math.sqrt(Math.max(expected, expectedLeast) + anscombe)
  return (2 * (Math.sqrt(observed + anscombe) - centre)) / Math.sqrt(width)
}

/** A count that is further off than that, drawn in to it. */
export function drawnIn(observed: number, expected: number, scoreMost: number, width: number): number {
  const score = countScore(observed, expected, width)
  if (Math.abs(score) <= scoreMost) return observed
  const centre = Math.sqrt(Math.max(expected, expectedLeast) + anscombe)
  const root = Math.max(0, centre + (Math.sign(score) * scoreMost * Math.sqrt(width)) / 2)
  return Math.max(0, root ** 2 - anscombe)
}
