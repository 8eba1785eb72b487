import { tieOf } from '../../../store/event-order.ts'
import { placeholdersIn, placeholdersMax } from '../../../store/filters/path-pattern.ts'
import type { KeptRead } from '../../kept-rows/kept-read.ts'
import { medianOf } from '../../statistics.ts'
import type { ChunkRows, TextColumn } from '../../tally/event-rows.ts'
import { orderedBy } from '../../tally/tally.ts'
import { type FunnelPlan, type LevelRow, mayOverlap, tieSpan } from '../funnel-store.ts'
import { PlainWalk } from './plain-walk.ts'
import { type FunnelOfRows, rowBreakdowns, type StepRows, stepRowsOf } from './step-rows.ts'
import { anyOrderFunnel, type StepEvent, type Walk, windowFunnel } from './window-funnel.ts'

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
  read: (view, plan) => funnelOf(view.chunks(), plan),
}

/** How many reached which step at most, by segment, and the median times from step to step. */
export function funnelOf(source: ChunkRows, plan: FunnelOfRows): FunnelCounts {
  const rows = stepRowsOf(source, plan)
  const { order, starts } = orderedBy(rows.subject, rows.subjects)
  const compare = inOrder(rows, plan)
  const walk = walkOf(rows, order, plan)
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
      rows.segment === null ? '' : segmentOf(rows, rows.segment, order.subarray(begin, end), plan)
    const known = levels.get(segment) ?? new Int32Array(plan.steps.length + 1)
    known[level] = (known[level] ?? 0) + 1
    levels.set(segment, known)
  }
  const counts = [...levels].flatMap(([segment, known]) =>
    Array.from(known, (subjects, level) => ({ level, segment, subjects })),
  )
  return { levels: counts.filter(({ subjects }) => subjects > 0), medians: took.map(medianOf) }
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

/** By time, then as `tiedTime` orders events of one time, then by step. */
function inOrder({ ms, arrival, mask }: StepRows, { order }: FunnelOfRows) {
  const placeOf = (row: number) => {
    const arrived = arrival[row] ?? 0
    const delay = arrived - (ms[row] ?? 0) * 1000
    return delay < tieSpan ? Math.max(delay, 0) : tieSpan + (arrived % tieSpan)
  }
  const firstStep = (row: number) => Math.clz32(lowestBit(mask[row] ?? 0))
  return (one: number, other: number): number =>
    (ms[one] ?? 0) - (ms[other] ?? 0) ||
    (order === 'strict-increase' ? 0 : placeOf(one) - placeOf(other)) ||
    firstStep(other) - firstStep(one)
}

const lowestBit = (mask: number) => mask & -mask

type WalkRows = (begin: number, end: number) => { level: number; times: ArrayLike<number> }

/** Walks the rows of one subject, which are ordered. */
function walkOf(rows: StepRows, order: Int32Array, plan: FunnelOfRows): WalkRows {
  const masks = rows.mask
  const isPlain = plan.order === 'in-order' && masks.every((mask) => (mask & (mask - 1)) === 0)
  if (!isPlain) return (begin, end) => listedWalk(rows, order.subarray(begin, end), plan)
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

function listedWalk(rows: StepRows, places: Int32Array, plan: FunnelOfRows): Walk {
  const { order, withinMs, steps } = plan
  const events = Array.from(
    places,
    (row): StepEvent => ({
      ms: rows.ms[row] ?? 0,
      steps: bitsOf(rows.mask[row] ?? 0),
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
function segmentOf(
  rows: StepRows,
  { texts, numbers }: TextColumn,
  places: Int32Array,
  plan: FunnelOfRows,
): string {
  const wanted = plan.order === 'any-order' ? ~0 : 1
  const textOf = (row: number) => texts[numbers[row] ?? 0] ?? ''
  const isBefore = (one: number, other: number) =>
    (rows.ms[one] ?? 0) - (rows.ms[other] ?? 0) ||
    (rows.arrival[one] ?? 0) - (rows.arrival[other] ?? 0) ||
    tieOf(textOf(one)) - tieOf(textOf(other))
  const found = places.filter((row) => ((rows.mask[row] ?? 0) & wanted) !== 0)
  const first = found.reduce((least, row) => (isBefore(row, least) < 0 ? row : least), found[0] ?? 0)
  return textOf(first)
}
