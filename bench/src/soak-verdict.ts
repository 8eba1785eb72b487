import { formatNumber, formatRows } from './report.ts'
import { percentile } from './statistics.ts'

export type SoakSample = {
  readonly atMs: number
  readonly megabytes: number
  /** Age of the oldest acknowledged event that cannot be read yet, by its segment. */
  readonly behindSeconds: number
  readonly pendingEvents: number
}

export type SoakResult = {
  readonly samples: readonly SoakSample[]
  readonly sent: number
  readonly acknowledged: number
  readonly refused: number
  readonly stored: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly maxMs: number
  /** How late a request began at most: the rate was not kept where it is long. */
  readonly latestMs: number
}

const behindSecondsMost = 2
/** The first part of a run fills caches and compiles; what comes after it must stay. */
const warmUpShare = 0.25
/** Of the memory after the warm-up: less comes and goes with merges of the engine. */
const growthShareMost = 0.15

type Trend = { readonly megabytesPerMinute: number; readonly grownShare: number }

/** A straight line through the memory after the warm-up, by least squares. */
export function memoryTrend(samples: readonly SoakSample[]): Trend {
  const [first, last] = [samples[0], samples.at(-1)]
  if (first === undefined || last === undefined) return { megabytesPerMinute: 0, grownShare: 0 }
  const fromMs = first.atMs + (last.atMs - first.atMs) * warmUpShare
  const points = samples.filter(({ atMs }) => atMs >= fromMs)
  const mean = (of: (sample: SoakSample) => number) =>
    points.reduce((sum, sample) => sum + of(sample), 0) / points.length
  const [meanMs, meanMegabytes] = [mean(({ atMs }) => atMs), mean(({ megabytes }) => megabytes)]
  const spread = mean(({ atMs }) => (atMs - meanMs) ** 2)
  const shared = mean(({ atMs, megabytes }) => (atMs - meanMs) * (megabytes - meanMegabytes))
  const perMs = spread === 0 ? 0 : shared / spread
  const startMegabytes = meanMegabytes - perMs * (meanMs - fromMs)
  return {
    megabytesPerMinute: perMs * 60_000,
    grownShare: (perMs * (last.atMs - fromMs)) / startMegabytes,
  }
}

/** Why a run failed; nothing where it did not. */
export function soakFailures(result: SoakResult): readonly string[] {
  const behind = Math.max(0, ...result.samples.map(({ behindSeconds }) => behindSeconds))
  const { grownShare } = memoryTrend(result.samples)
  const failures: string[] = []
  if (result.samples.length === 0) failures.push('nothing was sampled')
  if (behind > behindSecondsMost) failures.push(`the loader was ${formatNumber(behind)} s behind`)
  if (grownShare > growthShareMost) failures.push(`memory grew by ${formatNumber(grownShare * 100)} %`)
  if (result.refused > 0) failures.push(`${result.refused} events were refused or taken for duplicates`)
  if (result.acknowledged !== result.sent)
    failures.push(`${result.sent} events were sent and ${result.acknowledged} acknowledged`)
  if (result.stored !== result.acknowledged)
    failures.push(`${result.acknowledged} events were acknowledged and ${result.stored} are stored`)
  return failures
}

const timelineRows = 10

/** Memory and loader over time, in a few rows, and what a run comes to. */
export function formatSoak(result: SoakResult): string {
  const { samples } = result
  const behind = samples.map(({ behindSeconds }) => behindSeconds)
  const { megabytesPerMinute, grownShare } = memoryTrend(samples)
  const every = Math.max(1, Math.ceil(samples.length / timelineRows))
  const firstMs = samples[0]?.atMs ?? 0
  const rows = samples
    .filter((_, index) => index % every === 0 || index === samples.length - 1)
    .map(({ atMs, megabytes, behindSeconds, pendingEvents }) => [
      `${formatNumber((atMs - firstMs) / 60_000)} min`,
      `${formatNumber(megabytes)} MB`,
      `${formatNumber(behindSeconds)} s`,
      formatNumber(pendingEvents),
    ])
  const lines: readonly (readonly [string, string])[] = [
    [
      'events sent, acknowledged, stored',
      [result.sent, result.acknowledged, result.stored].map(formatNumber).join(', '),
    ],
    [
      'answers, p50, p99, max',
      [result.p50Ms, result.p99Ms, result.maxMs].map((ms) => `${formatNumber(ms)} ms`).join(', '),
    ],
    ['latest start of a request', `${formatNumber(result.latestMs)} ms after it was due`],
    [
      'loader behind, p99, max',
      `${formatNumber(percentile(behind, 0.99))} s, ${formatNumber(Math.max(0, ...behind))} s`,
    ],
    [
      'memory',
      `${formatNumber(megabytesPerMinute)} MB a minute after the warm-up, ${formatNumber(grownShare * 100)} %`,
    ],
  ]
  const table = formatRows(['after', 'memory', 'behind', 'pending'], rows)
  return `${table}\n\n${lines.map(([what, value]) => `${what.padEnd(34)} ${value}`).join('\n')}`
}
