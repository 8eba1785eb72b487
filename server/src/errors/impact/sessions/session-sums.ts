import type { ValueSegment } from '@assay/contract'
import { segments } from '@assay/contract/error-bounds'
import { KeyNumbers } from '../../../analytics/sequences/key-numbers.ts'
import { noMoments } from '../baseline.ts'
import { cellOf, cellsMax, isFirstStep } from '../landmark.ts'
import type { Tallied } from '../landmark-store.ts'
import type { HitRow, MomentRow } from '../session-tally.ts'
import { segmentBy, type ValueLimits } from '../value-store.ts'
import { countCells } from './cell-counts.ts'
import { CellSums } from './cell-sums.ts'
import type { DayWalks } from './day-walks.ts'
import type { Walk } from './session-walks.ts'

/** What numbers stand for. */
type SumTexts = { devices: readonly string[]; countries: readonly string[]; groups: readonly string[] }

/** Where a session counts, besides its group and its cells. */
type Side = { isNow: boolean; isBack: boolean; net: number }

type Met = { group: number; segment: string; sessions: number; users: number }
type Sums = MomentRow & { moments: Mutable<MomentRow['moments']>; onward: Mutable<OnwardSteps> | null }
type OnwardSteps = NonNullable<MomentRow['onward']>
type Mutable<Of> = { -readonly [Name in keyof Of]: Of[Name] }

/** All sessions, and those that each group met: the group that all of them are in has the empty name. */
const everyone = 0

/** Sums over sessions, as the statement of `selectSessionTally` makes them. */
export class SessionSums {
  readonly #texts: SumTexts
  readonly #limits: ValueLimits
  /** Of all sessions, by period, device, and whether they came back. */
  // bounded: by devices.
  readonly #everyone = new Map<number, CellSums>()
  // bounded: by groups, devices and cells.
  readonly #moments = new Map<number, Sums>()
  /** By group, period, device, and whether they came back; then by segment, country and cell. */
  // bounded: by groups, devices, countries and cells.
  readonly #hits = new Map<number, Map<number, Mutable<HitRow>>>()
  // bounded: by groups and segments.
  readonly #met = new Map<number, Met>()
  /** Each person who was met, with the place of the group and the segment. */
  readonly #users = new KeyNumbers()
  /** Of one walk: its steps by cell, and the cells that have any. */
  readonly #counts = new Int32Array(cellsMax)
  readonly #cells = new Uint16Array(cellsMax)

  constructor(texts: SumTexts, limits: ValueLimits) {
    this.#texts = texts
    this.#limits = limits
  }

  add(walk: Walk, side: Side): void {
    const sums = this.#everyoneAt(walk.device, side)
    const different = countCells(walk, this.#counts, this.#cells)
    for (let index = 0; index < different; index += 1) {
      const cell = this.#cells[index] ?? 0
      sums.add(cell, this.#counts[cell] ?? 0, walk.length, different, walk.boughtMs < Infinity)
      this.#counts[cell] = 0
    }
    for (let index = 0; index < walk.errorCount; index += 1)
      this.#addHit(walk, side, walk.errorGroups[index] ?? 0, walk.errorMs[index] ?? 0)
  }

  /** One that met no error, as it was walked when its day was counted. */
  addKept(walks: DayWalks, visit: number, side: Side): void {
    const { firsts, starts, cells, counts, length, hasBought } = walks
    const sums = this.#everyoneAt(firsts.device[visit] ?? 0, side)
    const [start, end] = [starts[visit] ?? 0, starts[visit + 1] ?? 0]
    for (let at = start; at < end; at += 1)
      sums.add(cells[at] ?? 0, counts[at] ?? 0, length[visit] ?? 0, end - start, hasBought[visit] === 1)
  }

  #everyoneAt(device: number, { isNow, isBack }: Side): CellSums {
    const key = device * 4 + Number(isNow) * 2 + Number(isBack)
    const known = this.#everyone.get(key)
    if (known !== undefined) return known
    const sums = new CellSums()
    this.#everyone.set(key, sums)
    return sums
  }

  #addHit(walk: Walk, side: Side, group: number, ms: number): void {
    const segment = segmentBy(side.net, this.#limits)
    const isOpen = walk.boughtMs > ms
    const taken = countUntil(walk, ms - walk.startedMs)
    const cell = cellThen(walk, ms, taken)
    this.#addSteps(walk, side, { group, taken, onwardCell: isOpen ? cell : null })
    if (side.isNow) this.#addMet(walk.person, group, segment)
    if (!isOpen) return
    const known = this.#hitsAt(walk, side, group, cell)
    known.sessions += 1
    if (walk.boughtMs < Infinity) known.converted += 1
  }

  #hitsAt(walk: Walk, side: Side, group: number, cell: number): Mutable<HitRow> {
    const segment = segmentBy(side.net, this.#limits)
    const hasCohort = side.net <= 0
    const place = this.#placeNumber(walk.device, side, group)
    const byCell = this.#hits.get(place) ?? new Map<number, Mutable<HitRow>>()
    this.#hits.set(place, byCell)
    const cohort = hasCohort ? walk.country + 1 : 0
    const key = (cohort * segments.length + segments.indexOf(segment)) * cellsMax + cell
    const known = byCell.get(key)
    if (known !== undefined) return known
    const hits = {
      ...this.#placeOf(walk.device, side, group),
      segment,
      cohort: hasCohort ? this.#cohortOf(walk) : '',
      cell,
      sessions: 0,
      converted: 0,
    }
    byCell.set(key, hits)
    return hits
  }

  #addMet(person: number, group: number, segment: ValueSegment): void {
    const key = group * segments.length + segments.indexOf(segment)
    const met = this.#met.get(key) ?? { group, segment, sessions: 0, users: 0 }
    this.#met.set(key, met)
    met.sessions += 1
    const known = this.#users.size
    // No person is one, too.
    if (this.#users.take(person + 1, key) === known) met.users += 1
  }

  /** Every cell of a session that a group met. Its steps count only where it had not bought yet. */
  #addSteps(
    walk: Walk,
    side: Side,
    { group, taken, onwardCell }: { group: number; taken: number; onwardCell: number | null },
  ): void {
    const isCounted = onwardCell !== null
    const hasBought = walk.boughtMs < Infinity
    const different = countCells(walk, this.#counts, this.#cells)
    for (let index = 0; index < different; index += 1) {
      const cell = this.#cells[index] ?? 0
      const all = this.#counts[cell] ?? 0
      this.#counts[cell] = 0
      const { moments, onward } = this.#sumsOf(walk, side, group, cell, onwardCell)
      const [steps, share] = [isCounted ? all : 0, all / walk.length]
      if (steps > 0) moments.sessions += 1
      moments.steps += steps
      moments.stepsSquared += different * steps * steps
      moments.shares += share
      moments.sharesSquared += different * share * share
      if (hasBought) moments.stepsBought += steps
      if (hasBought) moments.sharesBought += share
      if (onward !== null) onward.steps += countOf(walk.cells, cell, Math.max(taken, 1) - 1)
    }
  }

  #sumsOf(walk: Walk, side: Side, group: number, cell: number, onwardCell: number | null): Sums {
    const place = this.#placeNumber(walk.device, side, group)
    const key = (place * cellsMax + cell) * (cellsMax + 1) + (onwardCell === null ? 0 : onwardCell + 1)
    const known = this.#moments.get(key)
    if (known !== undefined) return known
    const sums: Sums = {
      ...this.#placeOf(walk.device, side, group),
      cell,
      moments: { ...noMoments },
      onward: onwardCell === null ? null : { cell: onwardCell, steps: 0 },
    }
    this.#moments.set(key, sums)
    return sums
  }

  #placeNumber(device: number, { isNow, isBack }: Pick<Side, 'isNow' | 'isBack'>, group: number): number {
    return ((group * 2 + Number(isNow)) * this.#texts.devices.length + device) * 2 + Number(isBack)
  }

  #placeOf(device: number, { isNow, isBack }: Pick<Side, 'isNow' | 'isBack'>, group: number) {
    return {
      groupId: this.#texts.groups[group] ?? '',
      isCurrent: isNow,
      stratum: `${this.#texts.devices[device] ?? ''} ${isBack ? 'returning' : 'new'}`,
    }
  }

  #cohortOf({ device, country }: Walk): string {
    return `${this.#texts.devices[device] ?? ''} ${this.#texts.countries[country] ?? ''}`
  }

  #momentsOfEveryone(): MomentRow[] {
    return [...this.#everyone].flatMap(([key, sums]) => {
      const side = { isNow: (key & 2) !== 0, isBack: (key & 1) !== 0 }
      const place = this.#placeOf(key >> 2, side, everyone)
      return sums.taken().map(({ cell, moments }) => ({ ...place, cell, moments, onward: null }))
    })
  }

  taken(): Tallied {
    const moments = [...this.#momentsOfEveryone(), ...this.#moments.values()]
    return {
      moments,
      hits: Array.from(this.#hits.values(), (byCell) => [...byCell.values()]).flat(),
      sessions: moments
        .filter(({ groupId, cell }) => groupId === '' && isFirstStep(cell))
        .reduce((sum, row) => sum + row.moments.sessions, 0),
      met: Array.from(this.#met.values(), ({ group, ...met }) => ({
        groupId: this.#texts.groups[group] ?? '',
        ...met,
      })),
    }
  }
}

function countUntil({ steps, stepCount }: Walk, ms: number): number {
  let count = 0
  while (count < stepCount && (steps[count] ?? 0) <= ms) count += 1
  return count
}

function countOf(cells: Uint16Array, wanted: number, most: number): number {
  let count = 0
  for (let index = 0; index < most; index += 1) if (cells[index] === wanted) count += 1
  return count
}

/** The landmark: the last step at the time of the error; and the stage then, which the error's page may have raised. */
function cellThen({ steps, stages, stageAt }: Walk, ms: number, taken: number): number {
  const stage = stageAt(ms)
  const isLater = taken > 1 && stages[taken - 2] === stage && stages[taken - 1] === stage
  return cellOf({ stage, isLater, steps: Math.max(taken, 1), elapsedMs: steps[taken - 1] ?? 0 })
}
