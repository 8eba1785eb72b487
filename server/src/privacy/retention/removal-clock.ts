/**
 * Deleted data is gone permanently, so the clock alone does not decide what is old: a machine that wakes up
 * years ahead would delete everything. Time is trusted as it passes, and a jump only after it has lasted.
 */
export type RemovalClock = {
  /** What counts as now for removals. */
  believedMs: number
  /** A leap that is not believed yet: when the clock was last looked at, and for how long it was seen to hold. */
  doubt: { seenMs: number; heldMs: number } | null
}

/** A week without running is a holiday and not a leap; so much too early may go what a wrong clock removes. */
export const leapMs = 7 * 86_400_000
/** A weekend and a day: enough to notice a wrong clock before anything is deleted. */
export const holdMs = 3 * 86_400_000
/** Two looks are an hour apart; a longer time between them was not seen, and may be another leap. */
export const lookMs = 3_600_000

/**
 * The next state, by what the clock says now. Back is always believed, since it only keeps more. Several nodes share
 * one state: one that is wrong is contradicted by each look of one that is right.
 */
export function lookAtClock({ believedMs, doubt }: RemovalClock, nowMs: number): RemovalClock {
  if (nowMs <= believedMs + leapMs) return { believedMs: nowMs, doubt: null }
  if (doubt === null) return { believedMs, doubt: { seenMs: nowMs, heldMs: 0 } }
  const heldMs = doubt.heldMs + Math.min(Math.max(nowMs - doubt.seenMs, 0), lookMs)
  return heldMs >= holdMs
    ? { believedMs: nowMs, doubt: null }
    : { believedMs, doubt: { seenMs: nowMs, heldMs } }
}
