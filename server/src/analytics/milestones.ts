import { type Milestone, type MilestoneKey, milestoneKeys, readDaysMax } from '@assay/contract'
import type { SiteRow } from '../sites/sites.ts'
import type { Control } from '../store/control.ts'
import type { EventFilter } from '../store/event-filter.ts'
import type { Events } from '../store/events.ts'
import {
  type Counted,
  type Reached,
  selectCounted,
  selectSteps,
  type Totals,
  upsertCounted,
} from './milestone-store.ts'
import { isoTime } from './period.ts'

const dayMs = 86_400_000
/** What is counted over more than a year need not be counted at each look. */
const countEveryMs = 10 * 60_000
/** The powers of ten that people celebrate. */
const counts = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000]
const amounts = [100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000]
/** From here on it is worth looking forward to. */
const nearShare = 0.8

export async function readMilestones(
  { control, events }: { control: Control; events: Events },
  site: SiteRow,
  filter: EventFilter,
  nowMs: number,
): Promise<{ siteId: string; at: string; milestones: Milestone[] }> {
  const known = await selectCounted(control, site.workspace_id, site.id)
  const isFresh = known !== null && nowMs - known.countedAt.getTime() < countEveryMs
  const counted = isFresh ? known : await countAnew(events, site, filter, nowMs, known?.reached ?? [])
  if (!isFresh) await upsertCounted(control, site.workspace_id, site.id, counted)
  return {
    siteId: site.id,
    at: isoTime(counted.countedAt.getTime()),
    milestones: milestonesOf(counted, site.currency),
  }
}

async function countAnew(
  events: Events,
  { currency }: SiteRow,
  filter: EventFilter,
  nowMs: number,
  before: readonly Reached[],
): Promise<Counted> {
  const range = { fromMs: nowMs - readDaysMax * dayMs, toMs: nowMs + 1 }
  const steps = await selectSteps(events, filter, range, currency, counts, amounts)
  const totalOf = (key: MilestoneKey) =>
    steps.find((step) => step.key === key && step.threshold === 0)?.total ?? 0
  const totals: Totals = {
    visitors: totalOf('visitors'),
    signups: totalOf('signups'),
    orders: totalOf('orders'),
    subscriptions: totalOf('subscriptions'),
    revenue: totalOf('revenue'),
  }
  // What was reached once stays, also when the events of that time are no longer looked at.
  const reached = new Map(before.map((one) => [idOf(one), one]))
  for (const { key, threshold, reachedMs } of steps) {
    const known = milestoneKeys.find((one) => one === key)
    if (known === undefined || threshold === 0) continue
    const one = { key: known, threshold, reachedMs }
    if (!reached.has(idOf(one))) reached.set(idOf(one), one)
  }
  return { countedAt: new Date(nowMs), totals, reached: [...reached.values()] }
}

const idOf = ({ key, threshold }: Pick<Reached, 'key' | 'threshold'>) => `${key}_${threshold}`

export function milestonesOf({ totals, reached }: Counted, currency: string): Milestone[] {
  const ids = new Set(reached.map(idOf))
  const near = milestoneKeys.flatMap((key): Milestone[] => {
    const ladder = key === 'revenue' ? amounts : counts
    const threshold = ladder.find((rung) => rung > totals[key] && !ids.has(idOf({ key, threshold: rung })))
    if (threshold === undefined || totals[key] < threshold * nearShare) return []
    return [{ ...describe({ key, threshold }, totals, currency), reachedAt: null, status: 'approaching' }]
  })
  const done = reached
    .toSorted((a, b) => b.reachedMs - a.reachedMs || b.threshold - a.threshold || (a.key < b.key ? -1 : 1))
    .map(
      (one): Milestone => ({
        ...describe(one, totals, currency),
        reachedAt: isoTime(one.reachedMs),
        status: 'reached',
      }),
    )
  return [...near, ...done]
}

const nouns: Readonly<Record<Exclude<MilestoneKey, 'revenue'>, readonly [one: string, many: string]>> = {
  visitors: ['visitor', 'visitors'],
  signups: ['sign-up', 'sign-ups'],
  orders: ['order', 'orders'],
  subscriptions: ['subscription', 'subscriptions'],
}

function describe(
  { key, threshold }: Pick<Reached, 'key' | 'threshold'>,
  totals: Totals,
  currency: string,
): Omit<Milestone, 'reachedAt' | 'status'> {
  const write = (number: number) => number.toLocaleString('en-US', { maximumFractionDigits: 2 })
  const said = (number: number) =>
    key === 'revenue'
      ? `${write(number)} ${currency} of revenue`
      : `${write(number)} ${nouns[key][number === 1 ? 0 : 1]}`
  return {
    id: idOf({ key, threshold }),
    key,
    title: key !== 'revenue' && threshold === 1 ? `The first ${nouns[key][0]}` : said(threshold),
    value: totals[key],
    threshold,
    evidence: `${said(totals[key])} in the last ${readDaysMax} days.`,
  }
}
