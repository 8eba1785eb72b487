import type { Random } from './random.ts'

/** A visitor who was seen this many newer ones ago does not come back: that is what keeps memory constant. */
export const poolSlots = 32_768

/** A little over the 30 minutes after which the product begins a new session. */
export const sessionGapMs = 31 * 60_000

/** The recent visitors of one region of one site, in a ring of typed arrays. */
export type VisitorPool = {
  readonly ids: Uint32Array
  readonly lastEndMs: Float64Array
  readonly isKnown: Uint8Array
  count: number
}

export function makeVisitorPool(): VisitorPool {
  return {
    ids: new Uint32Array(poolSlots),
    lastEndMs: new Float64Array(poolSlots),
    isKnown: new Uint8Array(poolSlots),
    count: 0,
  }
}

export function addVisitor(pool: VisitorPool, id: number, isKnown: boolean): number {
  const slot = pool.count % poolSlots
  pool.count += 1
  pool.ids[slot] = id
  pool.lastEndMs[slot] = 0
  pool.isKnown[slot] = isKnown ? 1 : 0
  return slot
}

/** Somebody whose last session is over, rather of late than long ago; −1 when chance finds nobody. */
export function findReturning(pool: VisitorPool, random: Random, startMs: number): number {
  const reach = Math.min(pool.count, poolSlots)
  for (let attempt = 0; attempt < 4 && reach > 0; attempt += 1) {
    const draw = random()
    const age = Math.floor(draw * draw * reach)
    const slot = (pool.count - 1 - age) % poolSlots
    if ((pool.lastEndMs[slot] ?? 0) + sessionGapMs < startMs) return slot
  }
  return -1
}
