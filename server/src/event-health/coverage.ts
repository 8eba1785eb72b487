import { type Coverage, surfaces } from '@assay/contract'
import { dayMs, hourMs } from '../platform/units.ts'
import { listPage } from '../registry/contracts/contracts.ts'
import { type HealthContext, keyOf } from './scope.ts'
import { type ArrivalRow, selectArrivals } from './stores/arrival-store.ts'
import { type CoverageRow, type LossRow, selectCoverage, selectLoss } from './stores/coverage-store.ts'
import type { HealthScope } from './stores/measures.ts'

const monthDays = 30
const weekDays = 7
/** Algorithms §3.6: seen, complete, fresh. */
const weights = { seen: 0.5, complete: 0.3, fresh: 0.2 } as const
/** An event that is twice as late as usual has stopped. */
const gapsLate = 2
const gapHoursLeast = 1
const contractsMax = 1_000

type Expected = { key: string; name: string; surfaces: readonly string[] }

/** What is expected of each surface: what is registered for it, and what came from it within the last month. */
export async function readCoverage(context: HealthContext, scope: HealthScope): Promise<Coverage[]> {
  const nowMs = context.now()
  const span = { fromMs: nowMs - monthDays * dayMs, toMs: nowMs + 1 }
  const weekFromMs = nowMs - weekDays * dayMs
  const { data: contracts } = await listPage(context.control, scope.workspaceId, {
    limit: contractsMax,
    status: 'published',
    source: 'custom',
  })
  const rows = await selectCoverage(context.events, scope, span, weekFromMs)
  const loss = await selectLoss(context.events, scope, { ...span, fromMs: weekFromMs })
  const week = { fromMs: Math.floor(weekFromMs / hourMs) * hourMs, toMs: span.toMs + hourMs }
  const options = { spans: 0, weeksApart: 1, rows: contractsMax, name: null }
  const arrivals = await selectArrivals(context.events, scope, week, options)
  return surfaces.map((surface) => coverageOf(surface, contracts, rows, arrivals, loss, nowMs))
}

function coverageOf(
  surface: Coverage['surface'],
  contracts: readonly Expected[],
  rows: readonly CoverageRow[],
  arrivals: readonly ArrivalRow[],
  losses: readonly LossRow[],
  nowMs: number,
): Coverage {
  const came = new Map(rows.filter((row) => row.surface === surface).map((row) => [row.name, row]))
  const registered = contracts
    .filter((contract) => contract.surfaces.includes(surface))
    .map(({ name }) => name)
  // A contract covers all surfaces unless it names some; a surface without any events is not expected to have
  // one.
  const names = came.size === 0 ? [] : [...new Set([...registered, ...came.keys()])].sort()
  const seen = names.filter((name) => Number(came.get(name)?.week ?? 0) > 0)
  const stale = names.flatMap((name) => {
    const row = came.get(name)
    return row !== undefined && isStale(row, nowMs) ? [toStale(row)] : []
  })
  const share = (part: number) => (names.length === 0 ? null : part / names.length)
  const missing = names.filter((name) => !seen.includes(name))
  const parts = {
    seen: share(seen.length),
    complete: completeness(seen, arrivals),
    fresh: share(names.filter((name) => came.has(name)).length - stale.length),
  }
  const own = losses.filter((row) => row.surface === surface)
  return {
    surface,
    score: scoreOf(parts),
    parts,
    expected: names.map(keyOf),
    seen: seen.map(keyOf),
    missing: missing.map(keyOf),
    stale,
    loss: Object.fromEntries(own.map(({ reason, lost }) => [reason, lost])),
  }
}

function scoreOf(parts: Coverage['parts']): number | null {
  if (parts.seen === null || parts.fresh === null) return null
  const complete = parts.complete ?? 1
  return 100 * (weights.seen * parts.seen + weights.complete * complete + weights.fresh * parts.fresh)
}

/** The mean share of arrivals that were not refused, as those without a required property are. */
function completeness(seen: readonly string[], arrivals: readonly ArrivalRow[]): number | null {
  const shares = arrivals
    .filter(({ name, arrived }) => seen.includes(name) && Number(arrived) > 0)
    .map(({ arrived, rejected, held }) => 1 - (Number(rejected) + Number(held)) / Number(arrived))
  return shares.length === 0 ? null : shares.reduce((sum, each) => sum + each, 0) / shares.length
}

function isStale(row: CoverageRow, nowMs: number): boolean {
  return (nowMs - Number(row.last_ms)) / hourMs > gapsLate * usualGap(row) + gapHoursLeast
}

/** Hours between arrivals. An event that came in one hour only has no gap yet: a week is assumed. */
function usualGap({ gap_hours: gap }: CoverageRow): number {
  const known = gap === null || Number.isNaN(Number(gap)) || Number(gap) === 0 ? weekDays * 24 : Number(gap)
  return Math.max(gapHoursLeast, known)
}

function toStale(row: CoverageRow): Coverage['stale'][number] {
  return {
    key: keyOf(row.name),
    last_seen_at: new Date(Number(row.last_ms)).toISOString(),
    usual_gap_hours: usualGap(row),
  }
}
