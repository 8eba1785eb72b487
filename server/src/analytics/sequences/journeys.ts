import type { Journeys } from '@assay/contract'
import type { Table } from '../../http/csv.ts'
import { type Period, toPeriod } from '../period.ts'
import { medianOf, shareOf } from '../statistics.ts'
import { requireNode } from './flow-graph.ts'
import { conversionNames } from './nodes.ts'
import type { Sequence, Sequences } from './sequences.ts'

export type JourneyOptions = {
  siteId: string
  period: Period
  stepsMax: number
  limit: number
  startsAt: string | undefined
}

type Way = { steps: readonly number[]; sessions: number; ended: number; converted: number; tookMs: number[] }

/** The most common first steps of sessions, or the most common paths from one node. */
export function toJourneys({ nodes, sessions, sampledShare }: Sequences, options: JourneyOptions): Journeys {
  const start = options.startsAt === undefined ? null : requireNode(nodes, 'startsAt', options.startsAt)
  const isGoal = Uint8Array.from(nodes, ({ match }) =>
    conversionNames.some((name) => name === match.event) ? 1 : 0,
  )
  const ways = new Map<string, Way>()
  let counted = 0
  for (const session of sessions) {
    const from = start === null ? 0 : session.steps.indexOf(start)
    if (from === -1) continue
    counted += 1
    addWay(ways, session, from, options.stepsMax, isGoal)
  }
  const stepOf = (place: number) => ({ key: nodes[place]?.id ?? '', label: nodes[place]?.label ?? '' })
  const sorted = [...ways].sort(([a, left], [b, right]) => right.sessions - left.sessions || (a < b ? -1 : 1))
  return {
    siteId: options.siteId,
    period: toPeriod(options.period),
    sessions: counted,
    sampledShare,
    journeys: sorted.slice(0, options.limit).map(([, way]) => ({
      steps: way.steps.map(stepOf),
      sessions: way.sessions,
      share: shareOf(way.sessions, counted),
      ended: way.ended,
      converted: way.converted,
      medianTimeMs: medianOf(way.tookMs),
    })),
  }
}

/** Each run of one step counts as one, at the time of its start. */
function addWay(
  ways: Map<string, Way>,
  { steps, ms }: Sequence,
  from: number,
  stepsMax: number,
  isGoal: Uint8Array,
): void {
  const first: number[] = []
  let [runs, lastMs, isConverted] = [0, ms[from] ?? 0, false]
  for (let place = from; place < steps.length; place += 1) {
    const step = steps[place] ?? 0
    if (place > from && step === steps[place - 1]) continue
    runs += 1
    if (isGoal[step] === 1) isConverted = true
    if (runs > stepsMax) continue
    first.push(step)
    lastMs = ms[place] ?? 0
  }
  const key = first.join(' ')
  const way = ways.get(key) ?? { steps: first, sessions: 0, ended: 0, converted: 0, tookMs: [] }
  if (way.sessions === 0) ways.set(key, way)
  way.sessions += 1
  if (runs === first.length) way.ended += 1
  if (isConverted) way.converted += 1
  way.tookMs.push(lastMs - (ms[from] ?? 0))
}

export function journeyTable({ journeys }: Journeys): Table {
  return {
    columns: ['steps', 'sessions', 'share', 'ended', 'converted', 'median_time_ms'],
    rows: journeys.map(({ steps, sessions, share, ended, converted, medianTimeMs }) => [
      steps.map(({ key }) => key).join(' > '),
      sessions,
      share,
      ended,
      converted,
      medianTimeMs,
    ]),
  }
}
