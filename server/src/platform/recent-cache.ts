import { RecentMap } from './recent-map.ts'

export interface RecentCache<Value> {
  get(key: string): Value | undefined
  set(key: string, value: Value): void
}

/**
 * The longest common keys are landing URLs with click ids, about 600 characters; user agents stay under 300.
 */
const keyCharsMax = 1_024
/** Most are shorter. */
const keyCharactersUsual = 256

/**
 * Cache of recent answers with bounded memory: at most twice `entriesMax`, and bounded total length of keys.
 */
export function createRecentCache<Value>(entriesMax: number): RecentCache<Value> {
  const recent = new RecentMap<Value>(entriesMax, entriesMax * keyCharactersUsual)
  return {
    get: (key) => recent.get(key),
    set(key, value) {
      // A key this long rarely repeats, and a flood of them must not fill the heap.
      if (key.length <= keyCharsMax) recent.set(key, value)
    },
  }
}

/** Memoises a pure function of a string for recent arguments. `undefined` is never cached. */
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
