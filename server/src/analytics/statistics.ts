/** 90 % of a normal distribution is within this many standard deviations. */
const z90 = 1.6448536269514722

/** The 90 % interval of a share by Wilson's score, which is accurate for small and rare counts too. */
export function wilson90(successes: number, trials: number): [number, number] {
  if (trials === 0) return [0, 1]
  const share = successes / trials
  const z2 = z90 * z90
  const centre = share + z2 / (2 * trials)
  const spread = z90 * Math.sqrt((share * (1 - share)) / trials + z2 / (4 * trials * trials))
  const scale = 1 + z2 / trials
  return [Math.max(0, (centre - spread) / scale), Math.min(1, (centre + spread) / scale)]
}

/** The middle one, or the mean of the two in the middle. */
export function medianOf(values: readonly number[]): number | null {
  return quantileOf(values, 0.5)
}

/** Interpolates between two values. */
export function quantileOf(values: readonly number[], share: number): number | null {
  if (values.length === 0) return null
  const sorted = Float64Array.from(values).sort()
  const place = (sorted.length - 1) * share
  const below = sorted[Math.floor(place)] ?? 0
  const above = sorted[Math.ceil(place)] ?? below
  return below + (above - below) * (place - Math.floor(place))
}

export const shareOf = (part: number, whole: number) => (whole === 0 ? 0 : part / whole)
