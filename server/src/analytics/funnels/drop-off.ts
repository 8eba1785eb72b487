import { dropOffNextMax, type FunnelDropOff, invalidParameter } from '@assay/contract'
import type { EventFilter } from '../../store/event-filter.ts'
import type { Events } from '../../store/events.ts'
import { type Period, toPeriod } from '../period.ts'
import { type Node, nodesOf } from '../sequences/nodes.ts'
import { shareOf } from '../statistics.ts'
import { selectNext } from './drop-off-store.ts'
import type { FunnelPlan } from './funnel-store.ts'
import { labelOf } from './query.ts'

/** Only a step that another one follows can be dropped off at. */
export function requireStep({ steps, order }: Pick<FunnelPlan, 'steps' | 'order'>, step: number): void {
  if (order === 'any-order') throw invalidParameter('order', 'any-order has no next step to drop off before')
  if (step >= steps.length) throw invalidParameter('step', 'must be one that another step follows')
}

/** Where those went who took a step and not the next one. */
export async function readDropOff(
  events: Events,
  filter: EventFilter,
  period: Period,
  plan: FunnelPlan,
  step: number,
): Promise<FunnelDropOff> {
  const rows = await selectNext(events, filter, period, plan, step)
  const dropOff = Number(rows[0]?.dropped ?? 0)
  const part = (count: number) => ({ count, share: shareOf(count, dropOff) })
  const seen = rows.filter(({ event_name }) => event_name !== '')
  const tokens = seen.map((row) => ({
    name: row.event_name,
    detail: row.about,
    count: Number(row.subjects),
  }))
  const counts = new Map<Node, number>()
  for (const [index, node] of nodesOf(tokens).entries()) {
    counts.set(node, (counts.get(node) ?? 0) + (tokens[index]?.count ?? 0))
  }
  const next = [...counts]
    .toSorted(([a, left], [b, right]) => right - left || (a.id < b.id ? -1 : 1))
    .slice(0, dropOffNextMax)
  const listed = next.reduce((sum, [, count]) => sum + count, 0)
  const left = Number(rows.find(({ event_name }) => event_name === '')?.subjects ?? 0)
  const taken = plan.steps[step - 1] ?? {}
  return {
    siteId: filter.siteId,
    period: toPeriod(period),
    by: plan.by,
    order: plan.order,
    withinMs: plan.withinMs,
    step,
    label: taken.label ?? labelOf(taken),
    dropOff,
    next: next.map(([{ id, label, match }, count]) => ({ key: id, label, match, ...part(count) })),
    other: part(dropOff - left - listed),
    left: part(left),
  }
}
