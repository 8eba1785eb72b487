/** Items in their order, gaps allowed, and how many sequences hold them so. */
export type Pattern = { items: readonly number[]; support: number }

export type PatternOptions = {
  /** How often each sequence is there; once unless said. */
  weights?: readonly number[]
  supportMin: number
  lengthMax: number
  /** Mining stops there; the commonest beginnings are looked at first. */
  patternsMax?: number
}

/** Where the rest of a sequence begins behind the items found so far. */
type Rest = { sequence: ArrayLike<number>; from: number; weight: number }
type Behind = { rests: Rest[]; support: number }

/**
 * PrefixSpan (Pei et al. 2001) over single items: each pattern is grown by what follows it in enough sequences, and
 * only the rests behind it are looked at again.
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

/** What follows, each with the rests behind its first place: one of a sequence at most. */
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
