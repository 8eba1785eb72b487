import {
  formatCount,
  type getMilestones,
  type Made,
  type Milestone,
  type MilestoneKey,
  milestoneKeys,
  numberLocale,
  readDaysMax,
} from '@assay/contract'
import { isoTime, type Period, toPeriod } from '../analytics/period.ts'
import type { ReadingDeps } from '../analytics/report-query.ts'
import { filterOf } from '../analytics/report-query.ts'
import type { FreshRead } from '../http/fresh-read.ts'
import { forEachItem, type ItemFailure } from '../platform/items.ts'
import type { SendNotice } from '../platform/notices.ts'
import { dayMs } from '../platform/units.ts'
import { moneyOf } from '../sites/exchange-rates.ts'
import { allSites, type SiteRow } from '../sites/sites.ts'
import type { EventFilter } from '../store/event-filter.ts'
import type { Events } from '../store/events.ts'
import type { Money } from '../store/money.ts'
import {
  type Counted,
  lockReached,
  type Reached,
  selectCounted,
  selectSteps,
  type Totals,
  upsertCounted,
} from './milestone-store.ts'

export type MilestoneNeeds = ReadingDeps & {
  sendNotice: SendNotice
  /** Workspaces that want the notice. */
  wantNotice: (type: 'milestone.reached') => readonly string[]
}

/** What is counted over more than a year need not be counted at each look. */
const countEveryMs = 10 * 60_000
/** Less often if no one looks. */
const countUnaskedMs = 3_600_000
/** Long enough for a product that was down over a weekend. */
const newsMs = 7 * dayMs
/** The powers of ten that people celebrate. */
const counts = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000]
const amounts = [100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000]
/** From here on it is worth looking forward to. */
const nearShare = 0.8

export async function readMilestones(
  deps: MilestoneNeeds,
  site: SiteRow,
  period: Period | null,
  read: Pick<FreshRead, 'isAwaited' | 'reachesUntil'>,
): Promise<Made<typeof getMilestones>> {
  const counted = await countWhenOlder(deps, site, read.isAwaited ? 0 : countEveryMs)
  const { countedAt, dataUntil } = counted
  read.reachesUntil((dataUntil ?? countedAt).getTime())
  const isWithin = isInPeriod(period, deps.now())
  return {
    siteId: site.id,
    at: isoTime(countedAt.getTime()),
    period: period === null ? null : toPeriod(period),
    milestones: milestonesOf(counted, site.currency).filter(isWithin),
  }
}

/** Reached in the period; what is near is near now. */
function isInPeriod(period: Period | null, nowMs: number): (milestone: Milestone) => boolean {
  return ({ reachedAt }) => {
    if (period === null) return true
    if (reachedAt === null) return period.toMs > nowMs
    const reachedMs = Date.parse(reachedAt)
    return reachedMs >= period.fromMs && reachedMs < period.toMs
  }
}

/** One run of the schedule: counts where a notice is wanted, also when no one looks. */
export async function sendMilestones(deps: MilestoneNeeds, onFailure: ItemFailure): Promise<void> {
  const ofWorkspace = async (workspaceId: string) => {
    const sites = await allSites(deps.control, workspaceId)
    await forEachItem(sites, (site) => countWhenOlder(deps, site, countUnaskedMs), onFailure)
  }
  await forEachItem(deps.wantNotice('milestone.reached'), ofWorkspace, onFailure)
}

async function countWhenOlder(deps: MilestoneNeeds, site: SiteRow, olderMs: number): Promise<Counted> {
  const { control, events } = deps
  const nowMs = deps.now()
  const known = await selectCounted(control, site.workspace_id, site.id)
  if (known !== null && nowMs - known.countedAt.getTime() < olderMs) return known
  const filter = await filterOf(deps, site.workspace_id, site, {})
  const money = await moneyOf(deps.rates, site.workspace_id, site.currency)
  const dataUntil = new Date(deps.freshness.of(site.workspace_id).dataUntilMs)
  const counted = await countAnew(events, money, filter, nowMs, known?.reached ?? [], dataUntil)
  await keepCounted(deps, site, counted)
  return counted
}

/** Milestones reached just now are announced when they are stored; those of imported history are not. */
async function keepCounted(
  { control, sendNotice }: MilestoneNeeds,
  site: SiteRow,
  counted: Counted,
): Promise<void> {
  const { workspace_id: workspaceId, id: siteId, currency } = site
  await control.transaction(async (sql) => {
    const before = await lockReached(sql, workspaceId, siteId)
    await upsertCounted(sql, workspaceId, siteId, counted)
    const known = new Set(before.map(idOf))
    const newsFromMs = counted.countedAt.getTime() - newsMs
    for (const one of counted.reached) {
      if (known.has(idOf(one)) || one.reachedMs < newsFromMs) continue
      const { id, key, title, threshold } = describe(one, counted.totals, currency)
      const reached_at = isoTime(one.reachedMs)
      const data = { site_id: siteId, id, key, title, threshold, reached_at }
      await sendNotice(workspaceId, { type: 'milestone.reached', subject: `${siteId} ${id}`, data }, sql)
    }
  })
}

async function countAnew(
  events: Events,
  money: Money,
  filter: EventFilter,
  nowMs: number,
  before: readonly Reached[],
  dataUntil: Date,
): Promise<Counted> {
  const range = { fromMs: nowMs - readDaysMax * dayMs, toMs: nowMs + 1 }
  const steps = await selectSteps(events, filter, range, money, counts, amounts)
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
  return { countedAt: new Date(nowMs), dataUntil, totals, reached: [...reached.values()] }
}

const idOf = ({ key, threshold }: Pick<Reached, 'key' | 'threshold'>) => `${key}_${threshold}`

function milestonesOf({ totals, reached }: Counted, currency: string | null): Milestone[] {
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

/** Whole amounts without decimals; before the first amount there is no currency. */
function amountText(amount: number, currency: string | null): string {
  if (currency === null) return formatCount(amount)
  const digits = Number.isInteger(amount) ? 0 : 2
  const options = {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }
  return new Intl.NumberFormat(numberLocale, { ...options, style: 'currency' }).format(amount)
}

function describe(
  { key, threshold }: Pick<Reached, 'key' | 'threshold'>,
  totals: Totals,
  currency: string | null,
): Omit<Milestone, 'reachedAt' | 'status'> {
  const said = (number: number) =>
    key === 'revenue'
      ? `${amountText(number, currency)} of revenue`
      : `${formatCount(number)} ${nouns[key][number === 1 ? 0 : 1]}`
  return {
    id: idOf({ key, threshold }),
    key,
    title: key !== 'revenue' && threshold === 1 ? `The first ${nouns[key][0]}` : said(threshold),
    value: totals[key],
    threshold,
    evidence: `${said(totals[key])} in the last ${readDaysMax} days.`,
  }
}
