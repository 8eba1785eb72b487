import type { FunnelStep } from '@assay/contract'
import { tieOf } from '../../store/event-order.ts'
import { isPathPattern, pathTest, placeholdersIn, placeholdersMax } from '../../store/filters/path-pattern.ts'
import type { KeptRead } from '../kept-rows/kept-read.ts'
import { medianOf } from '../statistics.ts'
import type { EventRows, TextColumn } from '../tally/event-rows.ts'
import { orderedBy } from '../tally/tally.ts'
import { eventOf, type FunnelPlan, type LevelRow, mayOverlap, tieSpan } from './funnel-store.ts'
import { PlainWalk } from './plain-walk.ts'
import { anyOrderFunnel, type StepEvent, type Walk, windowFunnel } from './window-funnel.ts'

/** Breakdowns whose values are among the rows. */
const rowBreakdowns = ['country', 'device', 'source', 'channel'] as const
type RowBreakdown = (typeof rowBreakdowns)[number]

type FunnelOfRows = Omit<FunnelPlan, 'breakdown'> & { breakdown: RowBreakdown | undefined }
export type FunnelCounts = { levels: LevelRow[]; medians: (number | null)[] }

/**
 * The same plan where rows can answer it; null where a step asks for properties or has many placeholders, or where a
 * breakdown is by other columns.
 */
export function planOfRows({ breakdown, ...plan }: FunnelPlan): FunnelOfRows | null {
  const own = rowBreakdowns.find((one) => one === breakdown)
  if (breakdown !== undefined && own === undefined) return null
  if (plan.steps.some(({ where = [] }) => where.length > 0)) return null
  if (plan.steps.some(({ path = '' }) => placeholdersIn(path) > placeholdersMax)) return null
  return { ...plan, breakdown: own }
}

export const funnelRead: KeptRead<FunnelOfRows, FunnelCounts> = {
  file: import.meta.url,
  name: 'funnelRead',
  isOfVisits: false,
  takesFilters: true,
  read: (view, plan) => funnelOf(view.rows(), plan),
}

/** How many reached which step at most, by segment, and the median times from step to step. */
export function funnelOf(rows: EventRows, plan: FunnelOfRows): FunnelCounts {
  const masks = masksOf(rows, plan.steps)
  const { order, starts } = orderedBy(subjectsOf(rows, masks, plan), subjectCount(rows, plan))
  const compare = inOrder(rows, masks, plan)
  const walk = walkOf(rows, masks, order, plan)
  const took: number[][] = plan.steps.map(() => [])
  // bounded: by steps and values of the breakdown.
  const levels = new Map<string, Int32Array>()
  for (let subject = 0; subject + 1 < starts.length; subject += 1) {
    const [begin, end] = [starts[subject] ?? 0, starts[subject + 1] ?? 0]
    if (begin === end) continue
    sortRows(order, begin, end, compare)
    const { level, times } = walk(begin, end)
    if (level === 0) continue
    for (let step = 1; step < level; step += 1) took[step]?.push((times[step] ?? 0) - (times[step - 1] ?? 0))
    const segment =
      plan.breakdown === undefined ? '' : segmentOf(rows, masks, order.subarray(begin, end), plan)
    const known = levels.get(segment) ?? new Int32Array(plan.steps.length + 1)
    known[level] = (known[level] ?? 0) + 1
    levels.set(segment, known)
  }
  const counts = [...levels].flatMap(([segment, known]) =>
    Array.from(known, (subjects, level) => ({ level, segment, subjects })),
  )
  return { levels: counts.filter(({ subjects }) => subjects > 0), medians: took.map(medianOf) }
}

const subjectCount = (rows: EventRows, { by }: FunnelOfRows) =>
  by === 'session' ? rows.sessions : rows.people

/** Whose each event is; -1 for events that no path depends on. */
function subjectsOf(rows: EventRows, masks: Uint32Array, { by, order }: FunnelOfRows): Int32Array {
  const owners = by === 'session' ? rows.session : rows.person
  if (order === 'strict-order') return owners
  const subjects = new Int32Array(owners.length)
  for (let row = 0; row < subjects.length; row += 1)
    subjects[row] = masks[row] === 0 ? -1 : (owners[row] ?? -1)
  return subjects
}

/** Few events, nearly always in order. */
function sortRows(
  order: Int32Array,
  begin: number,
  end: number,
  compare: (one: number, other: number) => number,
): void {
  for (let place = begin + 1; place < end; place += 1) {
    if (compare(order[place - 1] ?? 0, order[place] ?? 0) <= 0) continue
    order.subarray(begin, end).sort(compare)
    return
  }
}

/** A bit for each step that an event is: of those that its name, its target and its path allow. */
function masksOf(rows: EventRows, steps: readonly FunnelStep[]): Uint32Array {
  const masks = new Uint32Array(rows.count).fill(2 ** steps.length - 1)
  const names = steps.map(eventOf)
  keepAllowed(
    masks,
    rows.name,
    names.map((name) => (name === undefined ? null : (text) => text === name)),
  )
  const targets = steps.map(({ target }) => target)
  keepAllowed(
    masks,
    rows.target,
    targets.map((target) => (target === undefined ? null : (text) => text === target)),
  )
  keepAllowed(
    masks,
    rows.path,
    steps.map(({ path }) => (path === undefined ? null : pathFits(path))),
  )
  return masks
}

/** A step without a test allows every text. */
function keepAllowed(
  masks: Uint32Array,
  { texts, numbers }: TextColumn,
  tests: readonly (((text: string) => boolean) | null)[],
): void {
  if (tests.every((test) => test === null)) return
  const allowed = Uint32Array.from(texts, (text) =>
    tests.reduce((bits, test, step) => (test === null || test(text) ? bits | (1 << step) : bits), 0),
  )
  for (let row = 0; row < masks.length; row += 1) {
    const mask = masks[row] ?? 0
    // Most events are none.
    if (mask !== 0) masks[row] = mask & (allowed[numbers[row] ?? 0] ?? 0)
  }
}

const pathFits = (path: string) => (isPathPattern(path) ? pathTest(path) : (text: string) => text === path)

/** By time, then as `tiedTime` orders events of one time, then by step. */
function inOrder({ ms, arrival }: EventRows, masks: Uint32Array, { order }: FunnelOfRows) {
  const placeOf = (row: number) => {
    const arrived = arrival[row] ?? 0
    const delay = arrived - (ms[row] ?? 0) * 1000
    return delay < tieSpan ? Math.max(delay, 0) : tieSpan + (arrived % tieSpan)
  }
  const firstStep = (row: number) => Math.clz32(lowestBit(masks[row] ?? 0))
  return (one: number, other: number): number =>
    (ms[one] ?? 0) - (ms[other] ?? 0) ||
    (order === 'strict-increase' ? 0 : placeOf(one) - placeOf(other)) ||
    firstStep(other) - firstStep(one)
}

const lowestBit = (mask: number) => mask & -mask

type WalkRows = (begin: number, end: number) => { level: number; times: ArrayLike<number> }

/** Walks the rows of one subject, which are ordered. */
function walkOf(rows: EventRows, masks: Uint32Array, order: Int32Array, plan: FunnelOfRows): WalkRows {
  const isPlain = plan.order === 'in-order' && masks.every((mask) => (mask & (mask - 1)) === 0)
  if (!isPlain) return (begin, end) => listedWalk(rows, masks, order.subarray(begin, end), plan)
  const walk = new PlainWalk(plan.steps.length, plan.withinMs)
  return (begin, end) => {
    walk.begin()
    for (let place = begin; place < end; place += 1) {
      const row = order[place] ?? 0
      if (walk.take(31 - Math.clz32(masks[row] ?? 0), rows.ms[row] ?? 0)) break
    }
    return walk
  }
}

function listedWalk(rows: EventRows, masks: Uint32Array, places: Int32Array, plan: FunnelOfRows): Walk {
  const { order, withinMs, steps } = plan
  const events = Array.from(
    places,
    (row): StepEvent => ({
      ms: rows.ms[row] ?? 0,
      steps: bitsOf(masks[row] ?? 0),
    }),
  )
  if (order === 'any-order') return { level: anyOrderFunnel(events, steps.length, withinMs), times: [] }
  return windowFunnel(events, steps.length, withinMs, {
    strictOrder: order === 'strict-order',
    strictIncrease: order === 'strict-increase',
    strictOnce: mayOverlap(steps),
  })
}

export function bitsOf(mask: number): number[] {
  const bits: number[] = []
  for (let bit = 0; 2 ** bit <= mask; bit += 1) if ((mask & (2 ** bit)) !== 0) bits.push(bit)
  return bits
}

/** The value of the first event that is the first step, or any step if the order does not matter. */
function segmentOf(rows: EventRows, masks: Uint32Array, places: Int32Array, plan: FunnelOfRows): string {
  const { texts, numbers } = rows[plan.breakdown ?? 'country']
  const wanted = plan.order === 'any-order' ? ~0 : 1
  const textOf = (row: number) => texts[numbers[row] ?? 0] ?? ''
  const isBefore = (one: number, other: number) =>
    (rows.ms[one] ?? 0) - (rows.ms[other] ?? 0) ||
    (rows.arrival[one] ?? 0) - (rows.arrival[other] ?? 0) ||
    tieOf(textOf(one)) - tieOf(textOf(other))
  const found = places.filter((row) => ((masks[row] ?? 0) & wanted) !== 0)
  const first = found.reduce((least, row) => (isBefore(row, least) < 0 ? row : least), found[0] ?? 0)
  return textOf(first)
}
