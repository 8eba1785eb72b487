import type { ValueSegment } from '@assay/contract'
import type { Moments } from '../errors/impact/baseline.ts'
import { cellOf } from '../errors/impact/landmark.ts'
import type { HitRow, MomentRow, SessionTally } from '../errors/impact/session-tally.ts'
import type { DrawnVisit } from './error-traffic.ts'

/** A visit with all errors in it, by their groups; the page of an error counts for its stage. */
export type StruckVisit = DrawnVisit & {
  errors: readonly { groupId: string; ms: number; stage: number }[]
  segment?: ValueSegment
  cohort?: string
}

type PathStep = { cell: number; ms: number; stage: number; isLater: boolean }
type CellSums = Pick<MomentRow, 'cell' | 'moments' | 'onward'>

/** The sums that the store makes in SQL, visit by visit, in the plainest way there is; all of the current period. */
export function tallyVisits(visits: readonly StruckVisit[]): SessionTally {
  const moments = new Map<string, Map<number, MomentRow>>()
  const hits = new Map<string, HitRow>()
  for (const visit of visits) {
    const stratum = `${visit.device} ${visit.isReturning ? 'returning' : 'new'}`
    const path = pathOf(visit)
    const whole = wholeSums(visit, path)
    addRows(moments, '', stratum, whole)
    for (const [groupId, errors] of Map.groupBy(visit.errors, (error) => error.groupId)) {
      const landmark = landmarkOf(visit, path, Math.min(...errors.map(({ ms }) => ms)))
      addRows(moments, groupId, stratum, metSums(whole, path, landmark))
      if (landmark === null) continue
      addHit(hits, visit, { groupId, stratum, cell: landmark.cell })
    }
  }
  return { moments: [...moments.values()].flatMap((rows) => [...rows.values()]), hits: [...hits.values()] }
}

const boughtMs = ({ steps }: DrawnVisit) => steps.find(({ isPurchase }) => isPurchase)?.ms ?? null

/** The stage of a visit at any time, by when it first reached each. */
function stagesOf({ steps, errors }: StruckVisit): (ms: number) => number {
  const reached = [0, 1, 2, 3].map(() => Number.POSITIVE_INFINITY)
  const note = (ms: number, stage: number) => {
    reached[stage] = Math.min(reached[stage] ?? ms, ms)
  }
  for (const { ms, stage, isPurchase } of steps) if (!isPurchase) note(ms, stage)
  for (const { ms, stage } of errors) note(ms, stage)
  return (ms) =>
    Math.max(
      0,
      reached.findLastIndex((first) => first <= ms),
    )
}

function beganMs({ steps, errors }: StruckVisit): number {
  return Math.min(steps[0]?.ms ?? Number.POSITIVE_INFINITY, ...errors.map(({ ms }) => ms))
}

/** Every step before the first purchase. */
function pathOf(visit: StruckVisit): PathStep[] {
  const bought = boughtMs(visit)
  const began = beganMs(visit)
  const stageAt = stagesOf(visit)
  const risk = visit.steps.filter(({ ms, isPurchase }) => !isPurchase && (bought === null || ms < bought))
  let before = -1
  return risk.map(({ ms }, index) => {
    const stage = stageAt(ms)
    const isLater = stage === before
    before = stage
    return { cell: cellOf({ stage, isLater, steps: index + 1, elapsedMs: ms - began }), ms, stage, isLater }
  })
}

/** The last step at the time of the error, and how many came before it; null where it had bought already. */
function landmarkOf(
  visit: StruckVisit,
  path: readonly PathStep[],
  hitMs: number,
): { before: number; cell: number } | null {
  const bought = boughtMs(visit)
  if (bought !== null && bought <= hitMs) return null
  const taken = path.filter(({ ms }) => ms <= hitMs).length
  const last = path[taken - 1]
  const stage = stagesOf(visit)(hitMs)
  if (last !== undefined && last.stage === stage) return { before: taken - 1, cell: last.cell }
  const elapsedMs = last === undefined ? 0 : last.ms - beganMs(visit)
  const cell = cellOf({ stage, isLater: false, steps: Math.max(1, taken), elapsedMs })
  return { before: Math.max(0, taken - 1), cell }
}

function cellsOf(path: readonly PathStep[]): Map<number, number> {
  const counts = new Map<number, number>()
  for (const { cell } of path) counts.set(cell, (counts.get(cell) ?? 0) + 1)
  return counts
}

function wholeSums(visit: DrawnVisit, path: readonly PathStep[]): CellSums[] {
  const counts = cellsOf(path)
  const bought = boughtMs(visit) === null ? 0 : 1
  return [...counts].map(([cell, steps]) => ({
    cell,
    moments: sumsOf(visit, bought, steps, counts.size),
    onward: null,
  }))
}

/** What a visit that a group met no longer adds: its steps only where it had not bought before that. */
function metSums(
  whole: readonly CellSums[],
  path: readonly PathStep[],
  landmark: { before: number; cell: number } | null,
): CellSums[] {
  const early = cellsOf(path.slice(0, landmark?.before ?? 0))
  return whole.map(({ cell, moments }) =>
    landmark === null
      ? {
          cell,
          moments: { ...moments, sessions: 0, steps: 0, stepsBought: 0, stepsSquared: 0 },
          onward: null,
        }
      : { cell, moments, onward: { cell: landmark.cell, steps: early.get(cell) ?? 0 } },
  )
}

function sumsOf(visit: DrawnVisit, bought: number, steps: number, cells: number): Moments {
  const share = steps / visit.steps.length
  return {
    sessions: steps > 0 ? 1 : 0,
    steps,
    stepsBought: steps * bought,
    stepsSquared: steps ** 2 * cells,
    shares: share,
    sharesBought: share * bought,
    sharesSquared: share ** 2 * cells,
  }
}

function addRows(
  all: Map<string, Map<number, MomentRow>>,
  groupId: string,
  stratum: string,
  own: readonly CellSums[],
): void {
  const place = `${groupId} ${stratum}`
  const rows = all.get(place) ?? new Map<number, MomentRow>()
  all.set(place, rows)
  for (const { cell, moments, onward } of own) {
    const key = cell * 1_000 + (onward?.cell ?? 999)
    const known = rows.get(key)
    if (known === undefined) {
      // A copy: more is added to it, and other groups of the visit begin with the same sums.
      rows.set(key, { groupId, isCurrent: true, stratum, cell, moments: { ...moments }, onward })
      continue
    }
    addTo(known.moments, moments)
    if (known.onward && onward) known.onward.steps += onward.steps
  }
}

/** In place: simulations add hundreds of millions of them. */
function addTo(sums: Moments, more: Moments): void {
  sums.sessions += more.sessions
  sums.steps += more.steps
  sums.stepsBought += more.stepsBought
  sums.stepsSquared += more.stepsSquared
  sums.shares += more.shares
  sums.sharesBought += more.sharesBought
  sums.sharesSquared += more.sharesSquared
}

function addHit(
  rows: Map<string, HitRow>,
  visit: StruckVisit,
  place: { groupId: string; stratum: string; cell: number },
): void {
  const { segment = 'new_visitor', cohort = '' } = visit
  const key = `${place.groupId} ${place.stratum} ${place.cell} ${segment} ${cohort}`
  const known = rows.get(key)
  rows.set(key, {
    ...place,
    isCurrent: true,
    segment,
    cohort,
    sessions: (known?.sessions ?? 0) + 1,
    converted: (known?.converted ?? 0) + (boughtMs(visit) === null ? 0 : 1),
  })
}
