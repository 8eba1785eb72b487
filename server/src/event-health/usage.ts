import { heldDays, type Usage } from '@assay/contract'
import type { Config } from '../config.ts'
import { dayMs } from '../platform/units.ts'
import type { HealthContext } from './scope.ts'
import type { Span } from './stores/measures.ts'
import { type StoredUsage, selectStoredUsage, selectUsage, type UsageRow } from './usage-store.ts'

/** The operator's limits for everyone. */
export type Allowed = Pick<
  Config,
  'ingestEventsPerSecond' | 'publicEventsPerSecondPerAddress' | 'callsPerMinute' | 'replayDays'
>

export async function readUsage(
  { events, now }: Pick<HealthContext, 'events' | 'now'>,
  allowed: Allowed,
  workspaceId: string,
  month: string | undefined,
): Promise<Usage> {
  const span = monthOf(month ?? new Date(now()).toISOString().slice(0, 7))
  const rows = await selectUsage(events, workspaceId, span)
  const stored = await selectStoredUsage(events, workspaceId)
  return {
    month: { from: new Date(span.fromMs).toISOString(), to: new Date(span.toMs).toISOString() },
    events: verdictsOf(rows),
    sites: [...Map.groupBy(rows, (row) => row.site_id)].map(([site_id, own]) => ({
      site_id,
      events: verdictsOf(own),
    })),
    days: daysOf(rows, span),
    storage: toStorage(stored),
    limits: toLimits(allowed),
  }
}

function monthOf(month: string): Span {
  const [year = 0, number = 1] = month.split('-').map(Number)
  return { fromMs: Date.UTC(year, number - 1), toMs: Date.UTC(year, number) }
}

function verdictsOf(rows: readonly UsageRow[]): Usage['events'] {
  const sumOf = (outcome: string) =>
    rows.filter((row) => row.outcome === outcome).reduce((sum, row) => sum + Number(row.events), 0)
  return {
    accept: sumOf('accept'),
    warn: sumOf('warn'),
    quarantine: sumOf('quarantine'),
    reject: sumOf('reject'),
    duplicates: rows.reduce((sum, row) => sum + Number(row.repeats), 0),
  }
}

/** Days on which nothing came are days too. */
function daysOf(rows: readonly UsageRow[], { fromMs, toMs }: Span): Usage['days'] {
  const byDay = Map.groupBy(rows, (row) => row.day)
  return Array.from({ length: Math.round((toMs - fromMs) / dayMs) }, (_, index) => {
    const day = new Date(fromMs + index * dayMs).toISOString().slice(0, 10)
    return { day, events: (byDay.get(day) ?? []).reduce((sum, row) => sum + Number(row.events), 0) }
  })
}

function toStorage({ events, held, bytes, oldestMs }: StoredUsage): Usage['storage'] {
  return {
    events,
    held,
    bytes,
    oldest_event_at: oldestMs === null ? null : new Date(oldestMs).toISOString(),
  }
}

function toLimits(allowed: Allowed): Usage['limits'] {
  const { ingestEventsPerSecond, callsPerMinute, replayDays } = allowed
  const { apiRead, apiWrite, controlRead, controlWrite, person } = callsPerMinute
  return {
    events_per_second: ingestEventsPerSecond,
    public_events_per_second_per_address: allowed.publicEventsPerSecondPerAddress,
    calls_per_minute: {
      api_read: apiRead,
      api_write: apiWrite,
      control_read: controlRead,
      control_write: controlWrite,
      person,
    },
    held_days: heldDays,
    replay_days: replayDays,
  }
}
