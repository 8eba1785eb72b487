/** The same numbers for the same seed on every machine, cheap enough for millions of requests (mulberry32). */
export type Random = {
  /** From 0 up to, but without, 1. */
  next: () => number
  below: (limit: number) => number
  pick: <Value>(values: readonly Value[]) => Value
  chance: (share: number) => boolean
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    next,
    below,
    pick: (values) => {
      const value = values[below(values.length)]
      if (value === undefined) throw new Error('nothing to pick from')
      return value
    },
    chance: (share) => next() < share,
  }
}
