import { RecentMap } from './recent-map.ts'

export interface RecentCache<Value> {
  get(key: string): Value | undefined
  set(key: string, value: Value): void
}

/** Longest common keys are landing URLs with click ids, about 600 characters; user agents stay under 300. */
const keyCharsMax = 1_024
/** Few are as long as that. */
const keyCharactersUsual = 256

/** Keeps recent answers without growing for ever: at most twice `entriesMax`, and their keys within a bound too. */
export function createRecentCache<Value>(entriesMax: number): RecentCache<Value> {
  const recent = new RecentMap<Value>(entriesMax, entriesMax * keyCharactersUsual)
  return {
    get: (key) => recent.get(key),
    set(key, value) {
      // A key this long is rarely met twice, and a flood of them must not hold the heap.
      if (key.length <= keyCharsMax) recent.set(key, value)
    },
  }
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
