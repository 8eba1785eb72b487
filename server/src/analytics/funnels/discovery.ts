import type { DiscoveredFunnel, DiscoveredFunnels } from '@assay/contract'
import type { Table } from '../../http/csv.ts'
import type { Control } from '../../store/control.ts'
import type { EventFilter } from '../../store/event-filter.ts'
import { isoTime, type Period, previousPeriod, toPeriod } from '../period.ts'
import { answerSequences, type SequenceNeeds } from '../sequences/sequence-answers.ts'
import type { Figured } from './metrics.ts'
import { deleteStaleFunnels, type FunnelRow, selectFunnels, upsertFunnel } from './state-store.ts'

type Discovery = Omit<DiscoveredFunnels, 'funnels'> & { funnels: Figured[] }

/** A funnel without a user's decision that was not found for this long is deleted. */
const staleMs = 90 * 86_400_000

type DiscoveryDeps = SequenceNeeds & { control: Control; now: () => number }

export async function discover(
  { control, now, ...needs }: DiscoveryDeps,
  filter: EventFilter,
  period: Period,
): Promise<Discovery> {
  const { siteId, workspaceId } = filter
  const before = previousPeriod(period)
  // Both periods together: paths are folded alike, and each statement has a fixed cost.
  const both = {
    fromMs: before.fromMs,
    toMs: period.toMs,
    border: { endMs: before.toMs, startMs: period.fromMs },
  }
  const known = await selectFunnels(control, workspaceId, siteId)
  const options = { siteId, fromMs: period.fromMs, known }
  const { value } = await answerSequences(needs, 'funnels', filter, both, options)
  const { found, ...figured } = value
  for (const { id, stepIds, name } of found) {
    const row = { id, site_id: siteId, steps: stepIds, found_name: name }
    await upsertFunnel(control, workspaceId, row, new Date(now()))
  }
  await deleteStaleFunnels(control, siteId, new Date(now() - staleMs))
  return { siteId, period: toPeriod(period), computedAt: isoTime(now()), ...figured }
}

/** Pinned ones first, then by number of sessions. */
const ranks = { pinned: 0, discovered: 1, muted: 2 } as const

export function withStates(
  { funnels, ...rest }: Discovery,
  rows: readonly FunnelRow[],
  includeMuted: boolean,
): DiscoveredFunnels {
  const byId = new Map(rows.map((row) => [row.id, row]))
  const stated = funnels.map((funnel): DiscoveredFunnel => {
    const row = byId.get(funnel.id)
    return {
      ...funnel,
      name: row?.own_name || funnel.name,
      status: row?.status ?? 'discovered',
      firstSeen: row === undefined ? rest.computedAt : isoTime(row.first_seen.getTime()),
      lastSeen: row === undefined ? rest.computedAt : isoTime(row.last_seen.getTime()),
    }
  })
  const shown = stated.filter(({ status }) => includeMuted || status !== 'muted')
  return {
    ...rest,
    funnels: shown.sort(
      (a, b) => ranks[a.status] - ranks[b.status] || b.support.sessions - a.support.sessions,
    ),
  }
}

export function discoveryTable({ funnels }: DiscoveredFunnels): Table {
  return {
    columns: [
      'funnel',
      'name',
      'status',
      'step',
      'key',
      'label',
      'entered',
      'drop_off',
      'conversion_rate',
      'median_time_ms',
    ],
    rows: funnels.flatMap(({ id, name, status, steps }) =>
      steps.map((step, index) => [
        id,
        name,
        status,
        index + 1,
        step.key,
        step.label,
        step.entered,
        step.dropOff,
        step.conversionRate,
        step.medianTimeMs,
      ]),
    ),
  }
}
