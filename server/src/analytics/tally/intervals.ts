import type { EventRows } from './event-rows.ts'

/** The last interval that began before each event. */
export function intervalsOf(
  { ms, count }: Pick<EventRows, 'ms' | 'count'>,
  starts: readonly number[],
): Int32Array {
  const intervals = new Int32Array(count)
  const bounds = Float64Array.from([...starts, Infinity])
  let place = 0
  for (let row = 0; row < count; row += 1) {
    const at = ms[row] ?? 0
    // Most events are in the interval of the one before.
    const isSame = (bounds[place] ?? 0) <= at && at < (bounds[place + 1] ?? 0)
    if (!isSame) place = placeOf(bounds, at)
    intervals[row] = place
  }
  return intervals
}

/** The last interval that began before a time. */
export function placeOf(bounds: Float64Array, at: number): number {
  let [low, high] = [0, bounds.length - 1]
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if ((bounds[middle] ?? 0) <= at) low = middle
    else high = middle
  }
  return low
}
