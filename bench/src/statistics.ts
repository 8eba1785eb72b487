/** The value below which a share of the values lies, between neighbours by straight line; NaN of nothing. */
export function percentile(values: readonly number[] | Float64Array, share: number): number {
  const sorted = Float64Array.from(values).sort()
  if (sorted.length === 0) return Number.NaN
  const position = Math.min(1, Math.max(0, share)) * (sorted.length - 1)
  const below = sorted[Math.floor(position)] ?? Number.NaN
  const above = sorted[Math.ceil(position)] ?? Number.NaN
  // Rounding may carry it a little beyond its neighbour.
  return Math.min(above, below + (above - below) * (position - Math.floor(position)))
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5)
}

/** Collects numbers without boxing them; the oldest are overwritten when there are more than it holds. */
export class Samples {
  private readonly values: Float64Array
  private written = 0

  constructor(capacity: number) {
    this.values = new Float64Array(capacity)
  }

  add(value: number): void {
    this.values[this.written % this.values.length] = value
    this.written += 1
  }

  get count(): number {
    return this.written
  }

  percentile(share: number): number {
    return percentile(this.values.subarray(0, Math.min(this.written, this.values.length)), share)
  }
}
