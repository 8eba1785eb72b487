import { cellOf, cellsMax, isFirstStep } from './landmark.ts'
import type { Tallied } from './landmark-store.ts'
import type { HitRow, MomentRow } from './session-tally.ts'
import type { Walk } from './session-walks.ts'
import { segmentBy, type ValueLimits } from './value-store.ts'

/** What numbers stand for. */
type SumTexts = { devices: readonly string[]; countries: readonly string[]; groups: readonly string[] }

/** Where a session counts, besides its group and its cells. */
type Side = { isNow: boolean; isBack: boolean; net: number }

type Met = { sessions: number; users: Set<number> }
type Sums = MomentRow & { moments: Mutable<MomentRow['moments']>; onward: Mutable<OnwardSteps> | null }
type OnwardSteps = NonNullable<MomentRow['onward']>
type Mutable<Of> = { -readonly [Name in keyof Of]: Of[Name] }

/** All sessions, and those that each group met: the group that all of them are in has the empty name. */
const everyone = 0

/** Sums over sessions, as the statement of `selectSessionTally` makes them. */
export class SessionSums {
  readonly #texts: SumTexts
  readonly #limits: ValueLimits
  // bounded: by groups, devices and cells.
  readonly #moments = new Map<number, Sums>()
  // bounded: by groups, devices, countries and cells.
  readonly #hits = new Map<string, Mutable<HitRow>>()
  // bounded: by groups and segments.
  readonly #met = new Map<string, Met>()
  /** Of one walk: its steps by cell, and the cells that have any. */
  readonly #counts = new Int32Array(cellsMax)
  readonly #cells = new Uint16Array(cellsMax)

  constructor(texts: SumTexts, limits: ValueLimits) {
    this.#texts = texts
    this.#limits = limits
  }

  add(walk: Walk, side: Side): void {
    this.#addSteps(walk, side, { group: everyone, taken: 0, onwardCell: null })
    for (const { group, ms } of walk.errors) this.#addHit(walk, side, group, ms)
  }

  #addHit(walk: Walk, side: Side, group: number, ms: number): void {
    const segment = segmentBy(side.net, this.#limits)
    const isOpen = walk.boughtMs > ms
    const taken = countUntil(walk, ms - walk.startedMs)
    const cell = cellThen(walk, ms, taken)
    this.#addSteps(walk, side, { group, taken, onwardCell: isOpen ? cell : null })
    if (side.isNow) this.#addMet(walk.person, group, segment)
    if (!isOpen) return
    const { groupId, isCurrent, stratum } = this.#placeOf(walk, side, group)
    const cohort = side.net <= 0 ? this.#cohortOf(walk) : ''
    const key = `${group} ${isCurrent} ${segment} ${stratum} ${cell} ${cohort}`
    const known = this.#hits.get(key) ?? {
      groupId,
      isCurrent,
      stratum,
      segment,
      cohort,
      cell,
      sessions: 0,
      converted: 0,
    }
    this.#hits.set(key, known)
    known.sessions += 1
    if (walk.boughtMs < Infinity) known.converted += 1
  }

  #addMet(person: number, group: number, segment: string): void {
    const key = `${group} ${segment}`
    const met = this.#met.get(key) ?? { sessions: 0, users: new Set<number>() }
    this.#met.set(key, met)
    met.sessions += 1
    met.users.add(person)
  }

  /** Every cell of the session. Of a group, its steps count only where it had not bought yet. */
  #addSteps(
    walk: Walk,
    side: Side,
    { group, taken, onwardCell }: { group: number; taken: number; onwardCell: number | null },
  ): void {
    const isCounted = group === everyone || onwardCell !== null
    const hasBought = walk.boughtMs < Infinity
    const different = this.#countCells(walk)
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

  /** Counts the steps of each cell; returns how many cells there are, which are listed then. */
  #countCells({ cells, stepCount }: Walk): number {
    let different = 0
    for (let index = 0; index < stepCount; index += 1) {
      const cell = cells[index] ?? 0
      if (this.#counts[cell] === 0) {
        this.#cells[different] = cell
        different += 1
      }
      this.#counts[cell] = (this.#counts[cell] ?? 0) + 1
    }
    return different
  }

  #sumsOf(walk: Walk, side: Side, group: number, cell: number, onwardCell: number | null): Sums {
    const devices = this.#texts.devices.length
    const place = ((group * 2 + Number(side.isNow)) * devices + walk.device) * 2 + Number(side.isBack)
    const key = (place * cellsMax + cell) * (cellsMax + 1) + (onwardCell === null ? 0 : onwardCell + 1)
    const known = this.#moments.get(key)
    if (known !== undefined) return known
    const sums: Sums = {
      ...this.#placeOf(walk, side, group),
      cell,
      moments: {
        sessions: 0,
        steps: 0,
        stepsBought: 0,
        stepsSquared: 0,
        shares: 0,
        sharesBought: 0,
        sharesSquared: 0,
      },
      onward: onwardCell === null ? null : { cell: onwardCell, steps: 0 },
    }
    this.#moments.set(key, sums)
    return sums
  }

  #placeOf({ device }: Walk, { isNow, isBack }: Side, group: number) {
    return {
      groupId: this.#texts.groups[group] ?? '',
      isCurrent: isNow,
      stratum: `${this.#texts.devices[device] ?? ''} ${isBack ? 'returning' : 'new'}`,
    }
  }

  #cohortOf({ device, country }: Walk): string {
    return `${this.#texts.devices[device] ?? ''} ${this.#texts.countries[country] ?? ''}`
  }

  taken(): Tallied {
    const moments = [...this.#moments.values()]
    return {
      moments,
      hits: [...this.#hits.values()],
      sessions: moments
        .filter(({ groupId, cell }) => groupId === '' && isFirstStep(cell))
        .reduce((sum, row) => sum + row.moments.sessions, 0),
      met: Array.from(this.#met, ([key, { sessions, users }]) => {
        const [group = '', segment = ''] = key.split(' ')
        return { groupId: this.#texts.groups[Number(group)] ?? '', segment, users: users.size, sessions }
      }),
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
