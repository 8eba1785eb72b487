import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  addMoments,
  addTo,
  type Control,
  keysOf,
  type Moments,
  noMoments,
  type Onward,
  type Placed,
} from './baseline.ts'
import type { AffectedCell, Estimate } from './impact.ts'
import { estimate } from './impact.ts'
import type { Segments } from './order-value.ts'

/** Sums over sessions, as the store makes them (landmark-store.ts). */
export type MomentRow = Placed & {
  /** Empty: all sessions. Else what is to be taken away from them, of those that this group met. */
  groupId: string
  isCurrent: boolean
  moments: Moments
  /** Of those that a group met before they bought: the cell where it met them, and the steps before that. */
  onward: { cell: number; steps: number } | null
}

export type HitRow = AffectedCell & { groupId: string; isCurrent: boolean }

export type SessionTally = {
  moments: readonly MomentRow[]
  hits: readonly HitRow[]
}

type Estimates = Map<string, Estimate>

/** What every group cost in one of the two periods. */
export function estimatesOf(tally: SessionTally, isCurrent: boolean, values: Segments): Estimates {
  return new Map(eachEstimate(tally, isCurrent, values))
}

/** Longer than that nothing else waits for estimates: hundreds of groups take several times as long. */
const turnMs = 5

/** The same, with turns for what else there is to do. */
export async function estimatesInTurns(
  tally: SessionTally,
  isCurrent: boolean,
  values: Segments,
): Promise<Estimates> {
  const estimates: Estimates = new Map()
  let endMs = performance.now() + turnMs
  for (const [groupId, own] of eachEstimate(tally, isCurrent, values)) {
    estimates.set(groupId, own)
    if (performance.now() < endMs) continue
    await nextTurn()
    endMs = performance.now() + turnMs
  }
  return estimates
}

function* eachEstimate(
  { moments, hits }: SessionTally,
  isCurrent: boolean,
  values: Segments,
): Generator<[groupId: string, Estimate]> {
  const byGroup = Map.groupBy(
    moments.filter((row) => row.isCurrent === isCurrent),
    ({ groupId }) => groupId,
  )
  const everybody = momentsByKey(byGroup.get('') ?? [])
  const hitsByGroup = Map.groupBy(
    hits.filter((row) => row.isCurrent === isCurrent),
    ({ groupId }) => groupId,
  )
  for (const [groupId, own] of hitsByGroup) {
    const control = controlOf(everybody, byGroup.get(groupId) ?? [])
    yield [groupId, estimate(own, control, values)]
  }
}

export function momentsByKey(rows: readonly Pick<MomentRow, 'cell' | 'stratum' | 'moments'>[]) {
  const byKey = new Map<string, Moments>()
  for (const row of rows) {
    for (const key of keysOf(row)) {
      const known = byKey.get(key)
      if (known === undefined) byKey.set(key, { ...row.moments })
      else addTo(known, row.moments)
    }
  }
  return byKey
}

/** All sessions less those that the error met, and what these did before. */
function controlOf(everybody: ReadonlyMap<string, Moments>, own: readonly MomentRow[]): Control {
  const met = momentsByKey(own)
  const onward = onwardByKey(own)
  // Asked for again and again: for every cell that is like another.
  const rest = new Map<string, Moments>()
  const restOf = (key: string): Moments => {
    const made = less(everybody.get(key) ?? noMoments, met.get(key))
    rest.set(key, made)
    return made
  }
  return {
    moments: (key) => rest.get(key) ?? restOf(key),
    onward: (key) => onward.get(key) ?? [],
  }
}

/** Counts are exact; sums of quotients may differ in their last digits, and nothing must not be taken for a little. */
function less(all: Moments, part: Moments | undefined): Moments {
  if (part === undefined) return all
  const rest = addMoments(all, part, -1)
  const cleared = (sum: number) => (sum < 1e-9 ? 0 : sum)
  return {
    ...rest,
    shares: cleared(rest.shares),
    sharesBought: cleared(rest.sharesBought),
    sharesSquared: cleared(rest.sharesSquared),
  }
}

function onwardByKey(rows: readonly MomentRow[]): Map<string, Onward[]> {
  const byKey = new Map<string, Onward[]>()
  for (const { cell, stratum, onward } of rows) {
    if (onward === null || onward.steps === 0) continue
    const { steps } = onward
    for (const key of keysOf({ cell, stratum })) {
      const known = byKey.get(key)
      const later = { towards: { cell: onward.cell, stratum }, steps }
      if (known === undefined) byKey.set(key, [later])
      else known.push(later)
    }
  }
  return byKey
}
