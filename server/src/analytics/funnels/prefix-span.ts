/** Items in order, gaps allowed, and how many sequences contain them. */
export type Pattern = { items: readonly number[]; support: number }

type PatternOptions = {
  /** Number of occurrences of each sequence; by default one. */
  weights?: readonly number[]
  supportMin: number
  lengthMax: number
  /** Mining stops there; the most common prefixes are examined first. */
  patternsMax?: number
}

/** Where the rest of a sequence begins after the items found so far. */
type Rest = { sequence: ArrayLike<number>; from: number; weight: number }
type Behind = { rests: Rest[]; support: number }

/**
 * PrefixSpan (Pei et al. 2001) over single items: each pattern is extended by what follows it in enough
 * sequences, and only the rests after it are examined again.
 */
export function prefixSpan(
  sequences: readonly ArrayLike<number>[],
  { weights, supportMin, lengthMax, patternsMax = Number.POSITIVE_INFINITY }: PatternOptions,
): Pattern[] {
  const found: Pattern[] = []
  const grow = (prefix: readonly number[], rests: readonly Rest[]): void => {
    if (prefix.length === lengthMax || found.length >= patternsMax) return
    const byItem = [...nextItems(rests)].filter(([, { support }]) => support >= supportMin)
    byItem.sort(([a, left], [b, right]) => right.support - left.support || a - b)
    for (const [item, behind] of byItem) {
      if (found.length >= patternsMax) return
      const items = [...prefix, item]
      found.push({ items, support: behind.support })
      grow(items, behind.rests)
    }
  }
  grow(
    [],
    sequences.map((sequence, place) => ({ sequence, from: 0, weight: weights?.[place] ?? 1 })),
  )
  return found
}

/** Next items, each with the rests after its first occurrence: at most one per sequence. */
function nextItems(rests: readonly Rest[]): Map<number, Behind> {
  const byItem = new Map<number, Behind>()
  const seen = new Map<number, number>()
  for (const [number, { sequence, from, weight }] of rests.entries()) {
    for (let place = from; place < sequence.length; place += 1) {
      const item = sequence[place] ?? 0
      if (seen.get(item) === number) continue
      seen.set(item, number)
      const behind = byItem.get(item) ?? { rests: [], support: 0 }
      byItem.set(item, behind)
      behind.rests.push({ sequence, from: place + 1, weight })
      behind.support += weight
    }
  }
  return byItem
}
