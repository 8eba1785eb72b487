/** Two-sided 90 %, and 95 %. */
export const z90 = 1.6449
export const z95 = 1.96

export type Interval = { low: number; high: number }

/** Wilson's score interval of a share; honest also where nothing or everything happened. */
export function wilson(share: number, count: number, z: number): Interval {
  if (count <= 0) return { low: 0, high: 1 }
  const spread = z ** 2 / count
  const centre = (share + spread / 2) / (1 + spread)
  const half = (z / (1 + spread)) * Math.sqrt((share * (1 - share)) / count + spread / (4 * count))
  return { low: Math.max(0, centre - half), high: Math.min(1, centre + half) }
}

/** Of a mean, by the normal law. */
export function meanInterval(mean: number, variance: number, count: number): Interval {
  if (count <= 1) return { low: mean, high: mean }
  const half = z90 * Math.sqrt(variance / count)
  return { low: Math.max(0, mean - half), high: mean + half }
}

/**
 * Of a product, by how far each factor moves it, as if they were independent (the MOVER method: Zou and Donner 2008).
 */
export function productInterval(a: number, ofA: Interval, b: number, ofB: Interval): Interval {
  return {
    low: a * b - Math.hypot((a - ofA.low) * b, (b - ofB.low) * a),
    high: a * b + Math.hypot((ofA.high - a) * b, (ofB.high - b) * a),
  }
}
