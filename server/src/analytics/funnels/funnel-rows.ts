import type { FunnelStep } from '@assay/contract'
import { tieOf } from '../../store/event-order.ts'
import { isPathPattern, pathExpression } from '../../store/path-pattern.ts'
import type { KeptRead } from '../kept-rows/kept-read.ts'
import { medianOf } from '../statistics.ts'
import type { EventRows, TextColumn } from '../tally/event-rows.ts'
import { orderedBy } from '../tally/tally.ts'
import { eventOf, type FunnelPlan, type LevelRow, mayOverlap, tieSpan } from './funnel-store.ts'
import { anyOrderFunnel, type StepEvent, type Walk, windowFunnel } from './window-funnel.ts'

/** Breakdowns whose values are among the rows. */
const rowBreakdowns = ['country', 'device', 'source', 'channel'] as const
type RowBreakdown = (typeof rowBreakdowns)[number]

export type FunnelOfRows = Omit<FunnelPlan, 'breakdown'> & { breakdown: RowBreakdown | undefined }
export type FunnelCounts = { levels: LevelRow[]; medians: (number | null)[] }

/** The same plan where rows can answer it; null where a step asks for properties, or a breakdown for other columns. */
export function planOfRows({ breakdown, ...plan }: FunnelPlan): FunnelOfRows | null {
  const own = rowBreakdowns.find((one) => one === breakdown)
  if (breakdown !== undefined && own === undefined) return null
  if (plan.steps.some(({ where = [] }) => where.length > 0)) return null
  return { ...plan, breakdown: own }
}

export const funnelRead: KeptRead<FunnelOfRows, FunnelCounts> = {
  file: import.meta.url,
  name: 'funnelRead',
  isOfVisits: false,
  read: (view, plan) => funnelOf(view.rows(), plan),
}

/** How many reached which step at most, by segment, and the median times from step to step. */
export function funnelOf(rows: EventRows, plan: FunnelOfRows): FunnelCounts {
  const masks = masksOf(rows, plan.steps)
  const owners = plan.by === 'session' ? rows.session : rows.person
  const isRead = plan.order === 'strict-order' ? () => true : (row: number) => masks[row] !== 0
  const keyOf = owners.map((owner, row) => (isRead(row) ? owner : -1))
  const { order, starts } = orderedBy(keyOf, plan.by === 'session' ? rows.sessions : rows.people)
  const compare = inOrder(rows, masks, plan)
  const took: number[][] = plan.steps.map(() => [])
  // bounded: by steps and values of the breakdown.
  const levels = new Map<string, LevelRow & { subjects: number }>()
  for (let subject = 0; subject + 1 < starts.length; subject += 1) {
    const places = order.subarray(starts[subject] ?? 0, starts[subject + 1] ?? 0)
    if (places.length === 0) continue
    if (places.length > 1) places.sort(compare)
    const { level, times } = walkOf(rows, masks, places, plan)
    if (level === 0) continue
    for (let step = 1; step < times.length; step += 1)
      took[step]?.push((times[step] ?? 0) - (times[step - 1] ?? 0))
    const segment = plan.breakdown === undefined ? '' : segmentOf(rows, masks, places, plan)
    const key = `${level} ${segment}`
    const known = levels.get(key) ?? { level, segment, subjects: 0 }
    known.subjects += 1
    levels.set(key, known)
  }
  return { levels: [...levels.values()], medians: took.map(medianOf) }
}

/** A bit for each step that an event is. */
function masksOf(rows: EventRows, steps: readonly FunnelStep[]): Uint32Array {
  const masks = new Uint32Array(rows.count)
  for (const [index, step] of steps.entries()) {
    const { path, target } = step
    const event = eventOf(step)
    const fits = [
      fitting(rows.name, event === undefined ? null : (text) => text === event),
      fitting(rows.target, target === undefined ? null : (text) => text === target),
      fitting(rows.path, path === undefined ? null : pathTest(path)),
    ].filter((column) => column !== null)
    const isStep = new Uint8Array(rows.count).fill(1)
    for (const column of fits) keepFitting(isStep, column)
    for (let row = 0; row < rows.count; row += 1)
      masks[row] = (masks[row] ?? 0) | ((isStep[row] ?? 0) << index)
  }
  return masks
}

function keepFitting(
  isStep: Uint8Array,
  { numbers, isFit }: { numbers: Int32Array; isFit: Uint8Array },
): void {
  for (let row = 0; row < isStep.length; row += 1)
    isStep[row] = (isStep[row] ?? 0) & (isFit[numbers[row] ?? 0] ?? 0)
}

function fitting({ texts, numbers }: TextColumn, test: ((text: string) => boolean) | null) {
  return test === null ? null : { numbers, isFit: Uint8Array.from(texts, (text) => (test(text) ? 1 : 0)) }
}

function pathTest(path: string): (text: string) => boolean {
  if (!isPathPattern(path)) return (text) => text === path
  const expression = new RegExp(pathExpression(path), 's')
  return (text) => expression.test(text)
}

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

function walkOf(rows: EventRows, masks: Uint32Array, places: Int32Array, plan: FunnelOfRows): Walk {
  const { order, withinMs, steps } = plan
  const isPlain = order === 'in-order' && !mayOverlap(steps)
  if (isPlain) return plainWalk(rows, masks, places, steps.length, withinMs)
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

/** `windowFunnel` where every event is at most one step and others do not matter: no lists of chains. */
function plainWalk(
  { ms }: EventRows,
  masks: Uint32Array,
  places: Int32Array,
  stepCount: number,
  windowMs: number,
): Walk {
  // When each step was last taken, on a path that began not too long before.
  const chains: (readonly number[] | undefined)[] = []
  let best: readonly number[] = []
  for (const row of places) {
    const [at, step] = [ms[row] ?? 0, 31 - Math.clz32(masks[row] ?? 0)]
    const before = step === 0 ? [] : chains[step - 1]
    if (before === undefined || at > (before[0] ?? at) + windowMs) continue
    const times = [...before, at]
    chains[step] = times
    if (times.length > best.length) best = times
    if (times.length === stepCount) break
  }
  return { level: best.length, times: best }
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
