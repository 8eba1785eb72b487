import type { Random } from './random.ts'

/** A visitor who was seen this many newer ones ago does not come back: that is what keeps memory constant. */
const poolSlots = 32_768

/** A little over the 30 minutes after which the product begins a new session. */
const sessionGapMs = 31 * 60_000

/** The recent visitors of one region of one site, in a ring of typed arrays. */
export type VisitorPool = {
  readonly ids: Uint32Array
  readonly lastEndMs: Float64Array
  readonly isKnown: Uint8Array
  /** How many of the newest may come back; the same at any time, so that no day has more regulars than another. */
  readonly reach: number
  count: number
}

/** Begins with as many visitors as may come back: they were here before the range. */
export function makeVisitorPool(
  regulars: number,
  newVisitor: () => { id: number; isKnown: boolean },
): VisitorPool {
  const pool = {
    ids: new Uint32Array(poolSlots),
    lastEndMs: new Float64Array(poolSlots),
    isKnown: new Uint8Array(poolSlots),
    reach: Math.min(Math.max(1, Math.round(regulars)), poolSlots),
    count: 0,
  }
  for (let made = 0; made < pool.reach; made += 1) {
    const { id, isKnown } = newVisitor()
    addVisitor(pool, id, isKnown)
  }
  return pool
}

export function addVisitor(pool: VisitorPool, id: number, isKnown: boolean): number {
  const slot = pool.count % poolSlots
  pool.count += 1
  pool.ids[slot] = id
  pool.lastEndMs[slot] = 0
  pool.isKnown[slot] = isKnown ? 1 : 0
  return slot
}

/** Whether a visitor of the pool comes for the first time in the range. */
export function isUnseen(pool: VisitorPool, slot: number): boolean {
  return pool.lastEndMs[slot] === 0
}

/** A visitor whose last session is over, more likely a recent one; −1 if none is found. */
export function findReturning(pool: VisitorPool, random: Random, startMs: number): number {
  for (let attempt = 0; attempt < 4; attempt += 1) {
    const draw = random()
    const age = Math.floor(draw * draw * pool.reach)
    const slot = (pool.count - 1 - age) % poolSlots
    if ((pool.lastEndMs[slot] ?? 0) + sessionGapMs < startMs) return slot
  }
  return -1
}
