import type { AnomalyType, HealthSettings } from '@assay/contract'
import { dayMs, hourMs } from '../../platform/units.ts'
import { judgeLatency, latencySettings } from '../detect/latency.ts'
import { judgeSchema } from '../detect/schema.ts'
import { judgeSparse } from '../detect/sparse.ts'
import { median } from '../detect/statistics.ts'
import {
  daily,
  hourly,
  hourlyMedianLeast,
  type Incident,
  incidentGapBins,
  incidentsOf,
  type Judged,
  judgeVolume,
  stretchesOf,
  type VolumeSettings,
} from '../detect/volume.ts'
import type { HourRow } from '../stores/hour-store.ts'
import type { IssueRow } from '../stores/issue-store.ts'
import type { Span } from '../stores/measures.ts'
import type { LatencyRow } from '../stores/trend-store.ts'

/** Something that is off right now. */
export type Finding = {
  type: AnomalyType
  siteId: string
  name: string
  issue: string
  startMs: number
  observed: number
  expected: number
  score: number
  isCritical: boolean
}

/** What was expected at least where nothing at all is critical. */
const criticalExpected = 10

export const defaultSettings: HealthSettings = {
  score_alone: hourly.scoreAlone,
  score_twice: hourly.scoreTwice,
  change_least: hourly.changeLeast,
  // Decisions of the house: more than three a day are not read.
  alerts_per_week: 20,
  // As in the status of an event: from a fifth on it is failing, and below twenty nothing is said.
  quarantine_share: 0.2,
  quarantine_least: 20,
}

export type Series = { siteId: string; name: string; firstMs: number; counts: number[] }

/**
 * Rows into series without gaps, up to the end of the span. Each begins when its site did, so that what comes for the
 * first time on a site that is watched already is seen: its hours before are zeros, and not unknown.
 */
export function seriesOf(
  rows: readonly HourRow[],
  toMs: number,
  beginnings: ReadonlyMap<string, number>,
): Series[] {
  const groups = Map.groupBy(rows, (row) => `${row.site_id} ${row.name}`)
  return [...groups.values()].map((own) => {
    const ownMs = own.map((row) => Number(row.hour_ms))
    const firstMs = Math.min(...ownMs, beginnings.get(own[0]?.site_id ?? '') ?? toMs)
    const counts = Array.from({ length: Math.max(0, (toMs - firstMs) / hourMs) }, () => 0)
    for (const row of own) counts[(Number(row.hour_ms) - firstMs) / hourMs] = Number(row.arrived)
    return { siteId: own[0]?.site_id ?? '', name: own[0]?.name ?? '', firstMs, counts }
  })
}

/** Days are the steadier ones, so that less is as sure there. */
function dailySettings(given: HealthSettings): VolumeSettings {
  const factor = given.score_alone / hourly.scoreAlone
  return {
    ...daily,
    scoreAlone: daily.scoreAlone * factor,
    scoreTwice: daily.scoreTwice * factor,
    changeLeast: Math.min(given.change_least, daily.changeLeast),
  }
}

function toDays({ firstMs, counts }: Series): { firstMs: number; counts: number[] } {
  const start = Math.ceil(firstMs / dayMs) * dayMs
  const skipped = (start - firstMs) / hourMs
  const days = Math.floor((counts.length - skipped) / 24)
  const sums = Array.from({ length: Math.max(0, days) }, (_, day) =>
    counts.slice(skipped + day * 24, skipped + day * 24 + 24).reduce((sum, count) => sum + count, 0),
  )
  return { firstMs: start, counts: sums }
}

type SeriesIncident = Incident & {
  siteId: string
  name: string
  /** When it could be detected: the end of its first bin. */
  toldMs: number
  binMs: number
  untilMs: number
}

/**
 * All incidents in a series; those that may continue are open. By hour, or by several if an hour has too few
 * events.
 */
export function volumeIncidents(series: Series, given: HealthSettings): SeriesIncident[] {
  const own = {
    scoreAlone: given.score_alone,
    scoreTwice: given.score_twice,
    changeLeast: given.change_least,
  }
  const { siteId, name, firstMs, counts } = series
  const of = (judged: Judged[], binMs: number, untilMs: number) =>
    incidentsOf(judged, incidentGapBins[binMs === hourMs ? 24 : 1]).map((incident) => ({
      ...incident,
      siteId,
      name,
      toldMs: incident.startMs + binMs,
      binMs,
      untilMs,
    }))
  const endMs = firstMs + counts.length * hourMs
  if (median(counts) >= hourlyMedianLeast) {
    return of(judgeVolume(counts, firstMs, { ...hourly, ...own }), hourMs, endMs)
  }
  const days = toDays(series)
  const byDay = judgeVolume(days.counts, days.firstMs, dailySettings(given))
  return joined([
    ...of(judgeSparse(counts, firstMs, stretchesOf(own)), hourMs, endMs),
    ...of(byDay, dayMs, days.firstMs + days.counts.length * dayMs),
  ])
}

/**
 * One incident detected by hours and by days counts once: the first detection wins, for as long as either
 * continues.
 */
function joined(incidents: readonly SeriesIncident[]): SeriesIncident[] {
  const kept: SeriesIncident[] = []
  for (const incident of incidents.toSorted((left, right) => left.toldMs - right.toldMs)) {
    const open = kept.findLast((one) => Math.sign(one.score) === Math.sign(incident.score))
    if (open === undefined || incident.startMs > open.endMs + open.binMs + gapMs(open))
      kept.push({ ...incident })
    else if (incident.endMs + incident.binMs > open.endMs + open.binMs) {
      const { endMs, binMs, untilMs } = incident
      Object.assign(open, { endMs, binMs, untilMs })
    }
  }
  return kept
}

const gapMs = ({ binMs }: SeriesIncident) => incidentGapBins[binMs === hourMs ? 24 : 1] * binMs

/** Whether an incident is not over: bins after it were not all quiet for as long as incidents are joined. */
function isOpen(incident: SeriesIncident): boolean {
  return incident.untilMs - incident.endMs <= gapMs(incident)
}

export function volumeFindings(series: readonly Series[], given: HealthSettings): Finding[] {
  return series
    .flatMap((one) => volumeIncidents(one, given).filter(isOpen).slice(-1))
    .map(({ siteId, name, sinceMs, observed, expected, score }) => ({
      type: 'volume',
      siteId,
      name,
      issue: '',
      startMs: sinceMs,
      observed,
      expected,
      score,
      isCritical: observed === 0 && expected >= criticalExpected,
    }))
}

/**
 * The same of each surface of a site, of which the series bear the name. Where there is only one, its events say it
 * already.
 */
export function surfaceFindings(series: readonly Series[], given: HealthSettings): Finding[] {
  const surfaces = new Map<string, number>()
  for (const { siteId } of series) surfaces.set(siteId, (surfaces.get(siteId) ?? 0) + 1)
  const several = series.filter(({ siteId }) => (surfaces.get(siteId) ?? 0) > 1)
  return volumeFindings(several, given).map((found) => ({
    ...found,
    name: '',
    issue: `surface:${found.name}`,
  }))
}

/** A missing required property, or an unregistered name, keeps events out of every report. */
const criticalIssues: ReadonlySet<string> = new Set(['required_missing', 'unknown_event', 'type_mismatch'])

export function schemaFindings(rows: readonly IssueRow[], nowFromMs: number): Finding[] {
  const groups = Map.groupBy(rows, (row) => `${row.site_id} ${row.name}`)
  return [...groups.values()].flatMap((own) => {
    const [first] = own
    if (first === undefined) return []
    const count = (part: 'now' | 'earlier') => ({
      events: own.reduce((sum, row) => sum + Number(row[part]), 0),
      issues: Object.fromEntries(
        own.filter((row) => row.code !== '').map((row) => [row.code, Number(row[part])]),
      ),
    })
    const found = [
      ...judgeSchema(count('now'), count('earlier')),
      ...judgeSchema(repeatsOf(own, 'now'), repeatsOf(own, 'earlier')),
    ]
    return found.map(({ code, observed, expected, score }) => ({
      type: 'schema' as const,
      siteId: first.site_id,
      name: first.name,
      issue: code,
      startMs: nowFromMs,
      observed,
      expected,
      score,
      isCritical: criticalIssues.has(code),
    }))
  })
}

/** Ids that came again, as a part of all that was sent. */
function repeatsOf(rows: readonly IssueRow[], part: 'now' | 'earlier') {
  const repeated = rows.reduce((sum, row) => sum + Number(row[`repeats_${part}`]), 0)
  const arrived = rows.reduce((sum, row) => sum + Number(row[part]), 0)
  return { events: arrived + repeated, issues: { repeated_ids: repeated } }
}

/** Two hours of quiet end what was slow. */
const latencyGapBins = 24

export function latencyFindings(rows: readonly LatencyRow[], { fromMs, toMs }: Span): Finding[] {
  const { binMs } = latencySettings
  const groups = Map.groupBy(rows, (row) => row.site_id)
  return [...groups].flatMap(([siteId, own]) => {
    const values: (number | null)[] = Array.from({ length: Math.floor((toMs - fromMs) / binMs) }, () => null)
    for (const row of own) values[Math.floor((Number(row.bin_ms) - fromMs) / binMs)] = Number(row.p95_ms)
    const last = incidentsOf(judgeLatency(values, fromMs), latencyGapBins).at(-1)
    if (last === undefined || toMs - last.endMs > latencyGapBins * binMs) return []
    const { startMs, observed, expected, score } = last
    const found = { siteId, name: '', issue: '', startMs, observed, expected, score, isCritical: false }
    return [{ type: 'latency' as const, ...found }]
  })
}
