import type { Journeys } from '@assay/contract'
import type { Table } from '../../http/csv.ts'
import { type Period, toPeriod } from '../period.ts'
import { medianOf, shareOf } from '../statistics.ts'
import { requireNode } from './flow-graph.ts'
import { conversionNames } from './nodes.ts'
import { runsOf, type Sequence, type Sequences } from './sequences.ts'

export type JourneyOptions = {
  siteId: string
  period: Period
  stepsMax: number
  limit: number
  startsAt: string | undefined
}

type Way = { steps: readonly number[]; sessions: number; ended: number; converted: number; tookMs: number[] }

/** The commonest first steps of sessions, or the commonest ways on from one node. */
export function toJourneys({ nodes, sessions, sampledShare }: Sequences, options: JourneyOptions): Journeys {
  const start = options.startsAt === undefined ? null : requireNode(nodes, 'startsAt', options.startsAt)
  const goals = new Set(
    [...nodes.keys()].filter((place) => conversionNames.some((name) => name === nodes[place]?.match.event)),
  )
  const ways = new Map<string, Way>()
  let counted = 0
  for (const session of sessions) {
    const from = start === null ? 0 : session.steps.indexOf(start)
    if (from === -1) continue
    counted += 1
    addWay(ways, tail(session, from), options.stepsMax, goals)
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

const tail = ({ steps, ms }: Sequence, from: number): Sequence =>
  from === 0 ? { steps, ms } : { steps: steps.subarray(from), ms: ms.subarray(from) }

function addWay(
  ways: Map<string, Way>,
  session: Sequence,
  stepsMax: number,
  goals: ReadonlySet<number>,
): void {
  const { steps, firstMs } = runsOf(session)
  const first = Array.from(steps.subarray(0, stepsMax))
  const key = first.join(' ')
  const way = ways.get(key) ?? { steps: first, sessions: 0, ended: 0, converted: 0, tookMs: [] }
  ways.set(key, way)
  way.sessions += 1
  if (steps.length === first.length) way.ended += 1
  if (steps.some((step) => goals.has(step))) way.converted += 1
  way.tookMs.push((firstMs[first.length - 1] ?? 0) - (firstMs[0] ?? 0))
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
