import {
  formatCount,
  formatShare,
  type HealthComponent,
  type HealthKey,
  healthWeights,
  type SiteHealth,
} from '@assay/contract'
import { isoTime, type Period, toPeriod } from '../analytics/period.ts'
import { hourMs } from '../platform/units.ts'
import type { EventFilter } from '../store/event-filter.ts'
import type { Events } from '../store/events.ts'
import {
  selectVerdictFigures,
  selectVisitFigures,
  selectVitals,
  type VerdictFigures,
  type VisitFigures,
  type Vital,
} from './store.ts'

export type HealthFigures = {
  nowMs: number
  visits: VisitFigures
  verdicts: VerdictFigures
  vitals: readonly Vital[]
}

/** As it stood at the end of the period. */
export async function readSiteHealth(
  events: Events,
  filter: EventFilter,
  period: Period,
  nowMs: number,
): Promise<SiteHealth> {
  const [visits, verdicts, vitals] = await Promise.all([
    selectVisitFigures(events, filter, period),
    selectVerdictFigures(events, filter, period),
    selectVitals(events, filter, period),
  ])
  const figures = { nowMs: Math.min(nowMs, period.toMs), visits, verdicts, vitals }
  return { siteId: filter.siteId, period: toPeriod(period), ...judgeHealth(figures) }
}

const grades = [
  ['A', 90],
  ['B', 75],
  ['C', 60],
  ['D', 40],
  ['E', 0],
] as const

export function judgeHealth(figures: HealthFigures): Omit<SiteHealth, 'siteId' | 'period'> {
  const components = [integrity, freshness, errors, performance, stability].map((judge) => judge(figures))
  const known = components.filter((one) => one.score !== null)
  const weight = known.reduce((sum, one) => sum + one.weight, 0)
  const score =
    weight === 0 ? null : round(known.reduce((sum, one) => sum + one.weight * (one.score ?? 0), 0) / weight)
  return {
    at: isoTime(figures.nowMs),
    score,
    grade: score === null ? null : (grades.find(([, from]) => score >= from)?.[0] ?? 'E'),
    completeness: weight / 100,
    components,
  }
}

const round = (number: number) => Math.round(number * 10) / 10

type Judged = { score: number | null; evidence: string; figures: HealthComponent['figures']; fix: string }

function component(key: HealthKey, { score, fix, ...rest }: Judged): HealthComponent {
  // From this score on there is nothing to do.
  const isFine = score !== null && score >= 95
  return {
    key,
    weight: healthWeights[key],
    score: score === null ? null : round(score),
    ...rest,
    fix: isFine ? null : fix,
  }
}

/** 100 up to the first, 0 from the second on, straight in between. */
function between(value: number, best: number, worst: number): number {
  return 100 * (1 - Math.min(1, Math.max(0, (value - best) / (worst - best))))
}

/**
 * With a quarter of all events quarantined or rejected, tracking is unreliable. A warning counts a quarter of
 * that.
 */
const badShareMax = 0.25
const warningCounts = 0.25

function integrity({ verdicts }: HealthFigures): HealthComponent {
  const { accepted, warned, quarantined, rejected } = verdicts
  const all = accepted + warned + quarantined + rejected
  const figures = { accepted, warned, quarantined, rejected }
  if (all === 0) {
    return component('tracking_integrity', {
      score: null,
      evidence: 'No events in this period.',
      figures,
      fix: 'Install the browser SDK or send an event as described under Send events.',
    })
  }
  const bad = (quarantined + rejected) / all
  return component('tracking_integrity', {
    score: between(bad + (warningCounts * warned) / all, 0, badShareMax),
    evidence: `Of ${formatCount(all)} events, ${formatShare(bad)} were quarantined or rejected and ${formatShare(warned / all)} had warnings.`,
    figures,
    fix: 'Open Quarantine, fix the contract or sender behind the most frequent cause, then release the events.',
  })
}

/** Silence is judged by how long it is usually quiet, so that nights and small sites are no alarm. */
function freshness({ nowMs, visits: { activeHours, lastMs } }: HealthFigures): HealthComponent {
  if (lastMs === null) {
    return component('freshness', {
      score: null,
      evidence: 'No events in this period or the weeks before it.',
      figures: { quietHours: null, usualHours: null },
      fix: 'Check that the snippet is on the page as shown under Send events, and that its key is not revoked.',
    })
  }
  const gaps = activeHours.slice(1).map((hour, index) => hour - (activeHours[index] ?? hour))
  const usualMs = Math.max(hourMs, ...gaps)
  const quietMs = Math.max(0, nowMs - lastMs)
  return component('freshness', {
    score: between(quietMs / usualMs, 1, 2),
    evidence: `The last event came ${quietTime(quietMs)} ago; the longest usual silence is ${round(usualMs / hourMs)} h.`,
    figures: { quietHours: round(quietMs / hourMs), usualHours: round(usualMs / hourMs) },
    fix: 'Events have stopped. Check the last release, the snippet, the key and the content security policy.',
  })
}

const quietTime = (ms: number) => (ms < hourMs ? 'less than an hour' : `${round(ms / hourMs)} h`)

/** One session in five with an error is a broken site. */
const errorShareMax = 0.2

function errors({ visits: { sessions, withError } }: HealthFigures): HealthComponent {
  if (sessions === 0) {
    return component('errors', {
      score: null,
      evidence: 'No sessions in this period.',
      figures: { sessions, withError },
      fix: 'Errors are counted per session once you have visitors.',
    })
  }
  const share = withError / sessions
  return component('errors', {
    score: between(share, 0, errorShareMax),
    evidence: `${formatCount(withError)} of ${formatCount(sessions)} sessions had an error (${formatShare(share)}).`,
    figures: { sessions, withError },
    fix: 'Fix the costliest errors first, at the top of Errors.',
  })
}

/** Good up to the first, poor above the second: web.dev/articles/defining-core-web-vitals-thresholds. */
const vitalBounds: Readonly<Record<string, readonly [good: number, poor: number]>> = {
  LCP: [2500, 4000],
  INP: [200, 500],
  CLS: [0.1, 0.25],
}
/** Shifts of the layout have no unit, times are in milliseconds. */
const formatVital = (metric: string, value: number) =>
  metric === 'CLS' ? String(Math.round(value * 100) / 100) : `${formatCount(Math.round(value))} ms`
/** Fewer readings say nothing about three visitors in four. */
const readingsMin = 20

function performance({ vitals }: HealthFigures): HealthComponent {
  const judged = vitals.flatMap(({ metric, readings, p75 }) => {
    const bounds = vitalBounds[metric]
    return bounds === undefined || readings < readingsMin
      ? []
      : [{ metric, p75, score: between(p75, bounds[0], bounds[1]) }]
  })
  const figures = {
    LCP: null,
    INP: null,
    CLS: null,
    ...Object.fromEntries(judged.map((one) => [one.metric, one.p75])),
  }
  if (judged.length === 0) {
    return component('performance', {
      score: null,
      evidence: `Fewer than ${readingsMin} readings of LCP, INP or CLS in this period.`,
      figures,
      fix: 'Install the browser SDK: it measures web vitals automatically.',
    })
  }
  const worst = judged.toSorted((a, b) => a.score - b.score)[0]
  return component('performance', {
    score: judged.reduce((sum, one) => sum + one.score, 0) / judged.length,
    evidence: `75% of visitors have ${judged.map(({ metric, p75 }) => `${metric} ≤ ${formatVital(metric, p75)}`).join(', ')}.`,
    figures,
    fix: `Start with ${worst?.metric}, which is furthest from good.`,
  })
}

/** Fewer sessions have no rate. */
const sessionsMin = 30
/** One-sided 95 %. */
const z95 = 1.645
/** A rate that halves beyond its noise is as bad as it gets. */
const dropMax = 0.5

function stability({ visits }: HealthFigures): HealthComponent {
  const { sessions, converted, pastSessions, pastConverted } = visits
  const figures = { sessions, converted, pastSessions, pastConverted }
  if (sessions < sessionsMin || pastSessions < sessionsMin || pastConverted === 0) {
    return component('conversion_stability', {
      score: null,
      evidence: 'Too few sessions or conversions to compare with the previous period.',
      figures,
      fix: 'Send $purchase, $subscribe or $signup events.',
    })
  }
  const [now, before] = [converted / sessions, pastConverted / pastSessions]
  const pooled = (converted + pastConverted) / (sessions + pastSessions)
  const noise = z95 * Math.sqrt(pooled * (1 - pooled) * (1 / sessions + 1 / pastSessions))
  return component('conversion_stability', {
    score: between((before - now - noise) / before, 0, dropMax),
    evidence: `${formatShare(now)} of sessions converted, compared with ${formatShare(before)} before.`,
    figures,
    fix: 'Compare devices, sources and funnel steps with the previous weeks, and look for errors at checkout.',
  })
}
