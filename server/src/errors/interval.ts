/** Two-sided 90 %. */
const z90 = 1.6449

export type Interval = { low: number; high: number }

/** Wilson's score interval of a share; honest also where nothing or everything happened. */
export function wilson(share: number, count: number): Interval {
  if (count <= 0) return { low: 0, high: 1 }
  const spread = z90 ** 2 / count
  const centre = (share + spread / 2) / (1 + spread)
  const half = (z90 / (1 + spread)) * Math.sqrt((share * (1 - share)) / count + spread / (4 * count))
  return { low: Math.max(0, centre - half), high: Math.min(1, centre + half) }
}

/** Of a mean, by the normal law. */
export function meanInterval(mean: number, variance: number, count: number): Interval {
  if (count <= 1) return { low: mean, high: mean }
  const half = z90 * Math.sqrt(variance / count)
  return { low: Math.max(0, mean - half), high: mean + half }
}

/**
 * Of a difference, from the intervals of both: each end takes the far ends of the two, as if they were independent
 * (the MOVER method: Zou and Donner 2008; with Wilson's intervals it is Newcombe's method 10).
 */
export function differenceInterval(a: number, ofA: Interval, b: number, ofB: Interval): Interval {
  return {
    low: a - b - Math.hypot(a - ofA.low, ofB.high - b),
    high: a - b + Math.hypot(ofA.high - a, b - ofB.low),
  }
}

/** Of a product, likewise, by how far each factor moves it. */
export function productInterval(a: number, ofA: Interval, b: number, ofB: Interval): Interval {
  return {
    low: a * b - Math.hypot((a - ofA.low) * b, (b - ofB.low) * a),
    high: a * b + Math.hypot((ofA.high - a) * b, (ofB.high - b) * a),
  }
}
