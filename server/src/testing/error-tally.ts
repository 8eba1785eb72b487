import type { ValueSegment } from '@assay/contract'
import { type Moments, noMoments } from '../errors/impact/baseline.ts'
import { cellOf } from '../errors/impact/landmark.ts'
import type { HitRow, MomentRow, SessionTally } from '../errors/impact/session-tally.ts'
import type { DrawnVisit } from './error-traffic.ts'

/** A visit with all errors in it, by their groups; the page of an error counts for its stage. */
export type StruckVisit = DrawnVisit & {
  errors: readonly { groupId: string; ms: number; stage: number }[]
  segment?: ValueSegment
  cohort?: string
}

type PathStep = { cell: number; stage: number; ms: number }
/** A visit with what is asked of it for every group that met it. */
type Walk = {
  visit: StruckVisit
  stratum: string
  began: number
  bought: number | null
  /** When the visit first reached each stage. */
  reached: readonly number[]
  /** Every step before the first purchase. */
  path: readonly PathStep[]
  /** How many of these were taken in each cell. */
  stepsByCell: ReadonlyMap<number, number>
}
/** Where a group met a visit: the cell of its last step by then, and how many steps came before that. */
type Landmark = { before: number; cell: number }
/** By group, by stratum, and by the two cells of a row. */
type Rows = Map<string, Map<string, Map<number, MomentRow>>>

/** The sums that the store makes in SQL, visit by visit, in the plainest way there is; all of the current period. */
export function tallyVisits(visits: readonly StruckVisit[]): SessionTally {
  const moments: Rows = new Map()
  const hits = new Map<string, HitRow>()
  for (const visit of visits) {
    const walk = walkOf(visit)
    addWhole(moments, walk)
    for (const [groupId, ms] of firstErrors(visit)) {
      const landmark = landmarkOf(walk, ms)
      addMet(moments, walk, groupId, landmark)
      if (landmark !== null) addHit(hits, walk, groupId, landmark)
    }
  }
  const rows = [...moments.values()].flatMap((ofGroup) => [...ofGroup.values()])
  return { moments: rows.flatMap((ofStratum) => [...ofStratum.values()]), hits: [...hits.values()] }
}

function firstErrors({ errors }: StruckVisit): Map<string, number> {
  const first = new Map<string, number>()
  for (const { groupId, ms } of errors) first.set(groupId, Math.min(first.get(groupId) ?? ms, ms))
  return first
}

function walkOf(visit: StruckVisit): Walk {
  const { device, isReturning, steps, errors } = visit
  const bought = steps.find(({ isPurchase }) => isPurchase)?.ms ?? null
  const reached = [0, 1, 2, 3].map(() => Number.POSITIVE_INFINITY)
  let began = steps[0]?.ms ?? Number.POSITIVE_INFINITY
  for (const { ms, stage, isPurchase } of steps) if (!isPurchase) note(reached, stage, ms)
  for (const { ms, stage } of errors) {
    note(reached, stage, ms)
    began = Math.min(began, ms)
  }
  const path: PathStep[] = []
  const stepsByCell = new Map<number, number>()
  let before = -1
  for (const { ms, isPurchase } of steps) {
    if (isPurchase || (bought !== null && ms >= bought)) continue
    const stage = stageAt(reached, ms)
    const position = { stage, isLater: stage === before, steps: path.length + 1, elapsedMs: ms - began }
    const cell = cellOf(position)
    path.push({ cell, stage, ms })
    stepsByCell.set(cell, (stepsByCell.get(cell) ?? 0) + 1)
    before = stage
  }
  const stratum = `${device} ${isReturning ? 'returning' : 'new'}`
  return { visit, stratum, began, bought, reached, path, stepsByCell }
}

function note(reached: number[], stage: number, ms: number): void {
  reached[stage] = Math.min(reached[stage] ?? ms, ms)
}

function stageAt(reached: readonly number[], ms: number): number {
  for (let stage = 3; stage > 0; stage -= 1) if ((reached[stage] ?? ms) <= ms) return stage
  return 0
}

/** The last step at the time of the error, and how many came before it; null where it had bought already. */
function landmarkOf({ began, bought, reached, path }: Walk, hitMs: number): Landmark | null {
  if (bought !== null && bought <= hitMs) return null
  const taken = path.filter(({ ms }) => ms <= hitMs).length
  const last = path[taken - 1]
  const stage = stageAt(reached, hitMs)
  if (last !== undefined && last.stage === stage) return { before: taken - 1, cell: last.cell }
  const elapsedMs = last === undefined ? 0 : last.ms - began
  const cell = cellOf({ stage, isLater: false, steps: Math.max(1, taken), elapsedMs })
  return { before: Math.max(0, taken - 1), cell }
}

function addWhole(all: Rows, walk: Walk): void {
  const rows = rowsOf(all, '', walk.stratum)
  for (const [cell, steps] of walk.stepsByCell) {
    const { moments } = rowOf(rows, '', walk, cell, null)
    addSteps(moments, walk, steps)
    addShares(moments, walk, steps)
  }
}

/** What a visit that a group met no longer adds: its steps only where it had not bought before that. */
function addMet(all: Rows, walk: Walk, groupId: string, landmark: Landmark | null): void {
  const rows = rowsOf(all, groupId, walk.stratum)
  for (const [cell, steps] of walk.stepsByCell) {
    const { moments, onward } = rowOf(rows, groupId, walk, cell, landmark?.cell ?? null)
    if (landmark !== null) addSteps(moments, walk, steps)
    addShares(moments, walk, steps)
    if (onward !== null) onward.steps += stepsBefore(walk, cell, landmark?.before ?? 0)
  }
}

function stepsBefore({ path }: Walk, cell: number, before: number): number {
  let count = 0
  for (let at = 0; at < before; at += 1) if (path[at]?.cell === cell) count += 1
  return count
}

function rowsOf(all: Rows, groupId: string, stratum: string): Map<number, MomentRow> {
  const ofGroup = all.get(groupId) ?? new Map<string, Map<number, MomentRow>>()
  all.set(groupId, ofGroup)
  const rows = ofGroup.get(stratum) ?? new Map<number, MomentRow>()
  ofGroup.set(stratum, rows)
  return rows
}

function rowOf(
  rows: Map<number, MomentRow>,
  groupId: string,
  { stratum }: Walk,
  cell: number,
  towards: number | null,
): MomentRow {
  const key = cell * 1_000 + (towards ?? 999)
  const known = rows.get(key)
  if (known !== undefined) return known
  const onward = towards === null ? null : { cell: towards, steps: 0 }
  const row = { groupId, isCurrent: true, stratum, cell, moments: { ...noMoments }, onward }
  rows.set(key, row)
  return row
}

/** In place, as below: simulations add hundreds of millions of them. */
function addSteps(sums: Moments, { bought, stepsByCell }: Walk, steps: number): void {
  sums.sessions += steps > 0 ? 1 : 0
  sums.steps += steps
  sums.stepsBought += bought === null ? 0 : steps
  sums.stepsSquared += steps ** 2 * stepsByCell.size
}

function addShares(sums: Moments, { visit, bought, stepsByCell }: Walk, steps: number): void {
  const share = steps / visit.steps.length
  sums.shares += share
  sums.sharesBought += bought === null ? 0 : share
  sums.sharesSquared += share ** 2 * stepsByCell.size
}

function addHit(
  rows: Map<string, HitRow>,
  { visit, stratum, bought }: Walk,
  groupId: string,
  { cell }: Landmark,
): void {
  const { segment = 'new_visitor', cohort = '' } = visit
  const key = `${groupId} ${stratum} ${cell} ${segment} ${cohort}`
  const place = { groupId, stratum, cell, isCurrent: true, segment, cohort }
  const known = rows.get(key) ?? { ...place, sessions: 0, converted: 0 }
  known.sessions += 1
  known.converted += bought === null ? 0 : 1
  rows.set(key, known)
}
