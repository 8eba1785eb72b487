import {
  type EventHealth,
  type getEventHealth,
  type listEventHealth,
  type Made,
  Problem,
  standardByKey,
} from '@assay/contract'
import { dayMs, hourMs } from '../platform/units.ts'
import { median } from './detect/statistics.ts'
import { hourly, judgeVolume } from './detect/volume.ts'
import { type HealthContext, keyOf, spanOf } from './scope.ts'
import {
  type ArrivalRow,
  type StoredRow,
  selectArrivals,
  selectQuarantinedLast,
  selectStored,
} from './stores/arrival-store.ts'
import { selectBeginnings, selectHours } from './stores/hour-store.ts'
import { selectIssues } from './stores/issue-store.ts'
import type { HealthScope, Span } from './stores/measures.ts'
import { selectTrends, type TrendRow } from './stores/trend-store.ts'

const namesMax = 500
/** As many of the same weekdays before as the detector looks at. */
const spansBefore = 4
/** What is usual needs more than one time. */
const spansLeast = 2
const weekDays = 7

/** Of two shares that add up to all. */
const roundingError = 1e-9

/** Where a status changes; shares of all arrivals, and only on as many as these. */
const statusRules = {
  arrivalsLeast: 20,
  failingRefused: 0.2,
  degradedRefused: 0.05,
  degradedWarned: 0.2,
  degradedDuplicates: 0.1,
  /** A part of what was expected. */
  degradedVolume: 0.5,
  /** An event that is usual so often a day is missed after a day. */
  silentPerDay: 5,
} as const

export async function readEventsHealth(
  context: HealthContext,
  scope: HealthScope,
  window: string | undefined,
): Promise<Made<typeof listEventHealth>> {
  const span = spanOf(window, context.now())
  const arrivals = await readArrivals(context, scope, span, null)
  const stored = await readStored(context, scope, span, null)
  const data = arrivals.map((row) => toHealth(row, stored.get(row.name), span))
  const summary = { healthy: 0, degraded: 0, failing: 0, silent: 0 }
  for (const { status } of data) summary[status]++
  return { period: toPeriod(span), summary, data }
}

function readArrivals(context: HealthContext, scope: HealthScope, span: Span, name: string | null) {
  const weeksApart = Math.ceil((span.toMs - span.fromMs) / (weekDays * dayMs))
  return selectArrivals(context.events, scope, span, { spans: spansBefore, weeksApart, rows: namesMax, name })
}

/** What is stored and what is quarantined of each name. */
async function readStored(
  { events }: HealthContext,
  scope: HealthScope,
  span: Span,
  name: string | null,
): Promise<Map<string, StoredRow>> {
  const found = new Map((await selectStored(events, scope, span, name)).map((row) => [row.name, row]))
  for (const { name: held, last_ms } of await selectQuarantinedLast(events, scope, span, name)) {
    const row = found.get(held) ?? { name: held, p95_ms: null, last_ms }
    found.set(held, { ...row, last_ms: Math.max(Number(row.last_ms), Number(last_ms)) })
  }
  return found
}

function toHealth(row: ArrivalRow, stored: StoredRow | undefined, span: Span): EventHealth {
  const arrived = Number(row.arrived)
  const rate = (count: string | number) => (arrived === 0 ? 0 : Number(count) / arrived)
  const repeats = Number(row.repeats)
  const before = row.before.map(Number).filter((count) => count > 0)
  const health = {
    key: keyOf(row.name),
    name: row.name,
    volume: arrived,
    expected: before.length < spansLeast ? null : median(before),
    accept_rate: rate(row.accepted),
    warn_rate: rate(row.warned),
    quarantine_rate: rate(row.held),
    reject_rate: rate(row.rejected),
    duplicate_rate: arrived + repeats === 0 ? 0 : repeats / (arrived + repeats),
    p95_latency_ms: finite(stored?.p95_ms),
    last_seen_at: stored === undefined ? null : new Date(Number(stored.last_ms)).toISOString(),
  }
  return { ...health, status: statusOf(health, Number(row.lately), (span.toMs - span.fromMs) / dayMs) }
}

function statusOf(health: Omit<EventHealth, 'status'>, lately: number, days: number): EventHealth['status'] {
  const { volume, expected } = health
  if (lately === 0 && expected !== null && expected / days >= statusRules.silentPerDay) return 'silent'
  const refused = health.quarantine_rate + health.reject_rate
  // Few say little about a share, but where none at all gets through, nothing arrives in any report.
  if (volume > 0 && refused >= 1 - roundingError) return 'failing'
  if (volume < statusRules.arrivalsLeast) return 'healthy'
  if (refused >= statusRules.failingRefused) return 'failing'
  const isDegraded =
    refused >= statusRules.degradedRefused ||
    health.warn_rate >= statusRules.degradedWarned ||
    health.duplicate_rate >= statusRules.degradedDuplicates ||
    (expected !== null && volume < expected * statusRules.degradedVolume)
  return isDegraded ? 'degraded' : 'healthy'
}

/** What the detector learns from, before the span that is shown. */
const learningDays = 35

export async function readEventHealth(
  context: HealthContext,
  scope: HealthScope,
  key: string,
  window: string | undefined,
): Promise<Made<typeof getEventHealth>> {
  const name = standardByKey.get(key)?.name ?? key
  const span = spanOf(window, context.now())
  const [arrivals] = await readArrivals(context, scope, span, name)
  if (arrivals === undefined) throw new Problem('not-found', { detail: 'No such event arrived recently.' })
  const stored = (await readStored(context, scope, span, name)).get(name)
  const issues = await selectIssues(context.events, scope, span, span.fromMs)
  const before = { fromMs: span.fromMs - (span.toMs - span.fromMs), toMs: span.toMs }
  const trends = await selectTrends(context.events, scope, before, name, span.fromMs)
  const trendOf = (dimension: string) => toTrend(trends.filter((row) => row.dimension === dimension))
  return {
    ...toHealth(arrivals, stored, span),
    period: toPeriod(span),
    series: await readSeries(context, scope, span, name),
    issues: countByCode(issues.filter((row) => row.name === name && row.code !== '')),
    trends: {
      release: trendOf('release'),
      sdk: trendOf('sdk'),
      source: trendOf('source'),
      contract_version: trendOf('contract_version'),
    },
  }
}

async function readSeries(context: HealthContext, scope: HealthScope, span: Span, name: string) {
  const fromMs = span.fromMs - learningDays * dayMs
  const rows = await selectHours(context.events, scope, { ...span, fromMs }, { name, names: 1 })
  const counts = Array.from({ length: (span.toMs - fromMs) / hourMs }, () => 0)
  for (const row of rows) {
    const at = (Number(row.hour_ms) - fromMs) / hourMs
    counts[at] = (counts[at] ?? 0) + Number(row.arrived)
  }
  // Hours before the site began teach nothing; hours without this event do.
  const beginnings = await selectBeginnings(context.events, scope, { ...span, fromMs })
  const beganMs = Math.min(...beginnings.values(), ...rows.map((row) => Number(row.hour_ms)), span.toMs)
  const first = Math.max(0, Math.round((beganMs - fromMs) / hourMs))
  return judgeVolume(counts.slice(first), fromMs + first * hourMs, hourly)
    .filter(({ startMs }) => startMs >= span.fromMs)
    .map(({ startMs, observed, expected }) => ({
      start: new Date(startMs).toISOString(),
      volume: observed,
      expected,
    }))
}

function countByCode(rows: readonly { code: string; now: string | number }[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { code, now } of rows) if (Number(now) > 0) counts[code] = (counts[code] ?? 0) + Number(now)
  return counts
}

function toTrend(rows: readonly TrendRow[]): Made<typeof getEventHealth>['trends']['sdk'] {
  const now = rows.reduce((sum, row) => sum + Number(row.now), 0)
  const earlier = rows.reduce((sum, row) => sum + Number(row.earlier), 0)
  const share = (count: string | number, total: number) => (total === 0 ? 0 : Number(count) / total)
  return rows.map((row) => ({
    value: row.value,
    events: Number(row.now),
    share: share(row.now, now),
    previous_share: share(row.earlier, earlier),
    warn_rate: share(row.warned, Number(row.now)),
    p95_latency_ms: finite(row.p95_ms),
    first_seen_at: new Date(Number(row.first_ms)).toISOString(),
  }))
}

/** A percentile of nothing is no number. */
function finite(value: number | null | undefined): number | null {
  return value === null || value === undefined || !Number.isFinite(value) ? null : value
}

export function toPeriod({ fromMs, toMs }: Span): { from: string; to: string } {
  return { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() }
}
