import { type FunnelResult, type FunnelStep, invalidParameter } from '@assay/contract'
import type { Table } from '../../http/csv.ts'
import type { EventFilter } from '../../store/event-filter.ts'
import type { Events } from '../../store/events.ts'
import type { ReadKept } from '../kept-rows/kept-rows.ts'
import { type Period, toPeriod } from '../period.ts'
import { medianOf, shareOf, wilson90 } from '../statistics.ts'
import {
  eventOf,
  type FunnelPlan,
  type LevelRow,
  mayOverlap,
  type StepTimesRow,
  selectLevels,
  selectStepTimes,
} from './funnel-store.ts'
import { bitsOf, type FunnelCounts, funnelRead, planOfRows } from './rows/funnel-rows.ts'
import { type StepEvent, windowFunnel } from './rows/window-funnel.ts'
import { enteredOf, stepFigures } from './step-figures.ts'

/** The median of this many samples is accurate to a few per cent; more would only cost memory. */
const walksMax = 5_000
const segmentsMax = 20
const daysMax = 400
const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

export function readWithin(text: string | undefined): number {
  const [, count, unit] = /^(\d+)([smhd])$/.exec(text ?? '1d') ?? []
  const ms = Number(count) * (unit === 's' || unit === 'm' || unit === 'h' ? unitMs[unit] : unitMs.d)
  if (ms > daysMax * unitMs.d) throw invalidParameter('within', `may be ${daysMax}d at most`)
  return ms
}

/** A step has to select events, and a comparison needs a value. */
export function requireSoundSteps(steps: readonly FunnelStep[]): void {
  for (const [index, { event, path, target, where = [] }] of steps.entries()) {
    const field = `steps[${index}]`
    if (event === undefined && path === undefined && target === undefined && where.length === 0) {
      throw invalidParameter(field, 'must name an event, a path, a target or a property')
    }
    for (const { op, value } of where) {
      if (op !== 'exists' && value === undefined) throw invalidParameter(field, `needs a value for ${op}`)
      const isNumber =
        typeof value === 'number' || (typeof value === 'string' && Number.isFinite(Number(value || 'x')))
      if ((op === 'at-least' || op === 'at-most') && !isNumber)
        throw invalidParameter(field, `needs a number for ${op}`)
    }
  }
}

type FunnelNeeds = { events: Events; readKept: ReadKept }

export async function readFunnel(
  needs: FunnelNeeds,
  filter: EventFilter,
  period: Period,
  plan: FunnelPlan,
): Promise<FunnelResult> {
  const { levels: rows, medians } = await countFunnel(needs, filter, period, plan)
  const entered = enteredOf(rows, plan.steps.length)
  const first = entered[0] ?? 0
  const last = entered.at(-1) ?? 0
  return {
    siteId: filter.siteId,
    period: toPeriod(period),
    by: plan.by,
    order: plan.order,
    withinMs: plan.withinMs,
    steps: plan.steps.map((step, index) => ({
      label: step.label ?? labelOf(step),
      ...stepFigures(entered, index),
      medianTimeMs: medians[index] ?? null,
    })),
    conversionRate: shareOf(last, first),
    ci90: wilson90(last, first),
    breakdown: plan.breakdown === undefined ? [] : segmentsOf(rows, plan.steps.length),
  }
}

/** From rows that are kept, or by the store. */
async function countFunnel(
  { events, readKept }: FunnelNeeds,
  filter: EventFilter,
  period: Period,
  plan: FunnelPlan,
): Promise<FunnelCounts> {
  const ofRows = planOfRows(plan)
  const span = { fromMs: period.fromMs, toMs: period.toMs }
  const kept = ofRows === null ? null : await readKept(funnelRead, filter, [span], ofRows)
  if (kept !== null) return kept
  const levels = await selectLevels(events, filter, period, plan)
  const walks = enteredOf(levels, plan.steps.length)[1] ?? 0
  return { levels, medians: await stepMedians(events, filter, period, plan, walks) }
}

/** Time since the previous step, of those who came this far. Without an order there is no previous step. */
async function stepMedians(
  events: Events,
  filter: EventFilter,
  period: Period,
  plan: FunnelPlan,
  walks: number,
): Promise<(number | null)[]> {
  if (plan.order === 'any-order' || walks === 0) return []
  const every = Math.max(1, Math.ceil(walks / walksMax))
  const rows = await selectStepTimes(events, filter, period, plan, every)
  const modes = {
    strictOrder: plan.order === 'strict-order',
    strictIncrease: plan.order === 'strict-increase',
    strictOnce: mayOverlap(plan.steps),
  }
  const took: number[][] = plan.steps.map(() => [])
  for (const row of rows) {
    const { times } = windowFunnel(stepEvents(row), plan.steps.length, plan.withinMs, modes)
    for (let step = 1; step < times.length; step += 1) {
      took[step]?.push((times[step] ?? 0) - (times[step - 1] ?? 0))
    }
  }
  return took.map(medianOf)
}

function stepEvents({ ms, masks }: StepTimesRow): StepEvent[] {
  return ms.map((at, index) => ({ ms: Number(at), steps: bitsOf(masks[index] ?? 0) }))
}

function segmentsOf(rows: readonly LevelRow[], steps: number): FunnelResult['breakdown'] {
  const bySegment = Map.groupBy(rows, ({ segment }) => segment)
  return [...bySegment]
    .map(([key, levels]) => {
      const entered = enteredOf(levels, steps)
      return { key, entered, conversionRate: shareOf(entered.at(-1) ?? 0, entered[0] ?? 0) }
    })
    .sort((a, b) => (b.entered[0] ?? 0) - (a.entered[0] ?? 0) || (a.key < b.key ? -1 : 1))
    .slice(0, segmentsMax)
}

export function labelOf(step: FunnelStep): string {
  const parts = [eventOf(step), step.target, step.path].filter((part) => part !== undefined)
  return parts.join(' ') || 'any event'
}

export function funnelTable({ steps }: Pick<FunnelResult, 'steps'>): Table {
  return {
    columns: ['step', 'label', 'entered', 'drop_off', 'conversion_rate', 'median_time_ms'],
    rows: steps.map((step, index) => [
      index + 1,
      step.label,
      step.entered,
      step.dropOff,
      step.conversionRate,
      step.medianTimeMs,
    ]),
  }
}
