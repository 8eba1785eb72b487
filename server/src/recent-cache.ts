export interface RecentCache<Value> {
  get(key: string): Value | undefined
  set(key: string, value: Value): void
}

/** Longest common keys are landing URLs with click ids, about 600 characters; user agents stay under 300. */
const keyCharsMax = 1_024

/**
 * Keeps recent answers without growing for ever.
 *
 * Two generations stand in for a least-recently-used list: when the young one is full it becomes the old one,
 * and what is asked for again moves back to the young. A hit therefore costs one Map lookup and no relinking,
 * and what was used within the last `entriesMax` distinct keys is always still there. At most twice
 * `entriesMax` are held.
 */
export function createRecentCache<Value>(entriesMax: number): RecentCache<Value> {
  let young = new Map<string, Value>()
  let old = new Map<string, Value>()

  function set(key: string, value: Value): void {
    // A key this long is rarely met twice, and a flood of them must not hold the heap.
    if (key.length > keyCharsMax) return
    if (young.size >= entriesMax) {
      old = young
      young = new Map()
    }
    young.set(key, value)
  }

  function get(key: string): Value | undefined {
    const recent = young.get(key)
    if (recent !== undefined) return recent
    const known = old.get(key)
    if (known !== undefined) set(key, known)
    return known
  }

  return { get, set }
}

/** A pure function of a string that remembers what it answered recently. `undefined` is never remembered. */
export function rememberRecent<Value>(
  compute: (key: string) => Value,
  entriesMax: number,
): (key: string) => Value {
  const cache = createRecentCache<Value>(entriesMax)
  return (key) => {
    const known = cache.get(key)
    if (known !== undefined) return known
    const value = compute(key)
    cache.set(key, value)
    return value
  }
}
