import type { Journeys } from '@assay/contract'
import type { Table } from '../../http/csv.ts'
import { type Period, toPeriod } from '../period.ts'
import { shareOf } from '../statistics.ts'
import { requireNode } from './flow-graph.ts'
import { conversionNames } from './nodes.ts'
import type { Sequence, Sequences } from './sequences.ts'
import { WayTree } from './way-tree.ts'

export type JourneyOptions = {
  siteId: string
  period: Period
  stepsMax: number
  limit: number
  startsAt: string | undefined
}

/** The most common first steps of sessions, or the most common paths from one node. */
export function toJourneys({ nodes, sessions, sampledShare }: Sequences, options: JourneyOptions): Journeys {
  const start = options.startsAt === undefined ? null : requireNode(nodes, 'startsAt', options.startsAt)
  const isGoal = Uint8Array.from(nodes, ({ match }) =>
    conversionNames.some((name) => name === match.event) ? 1 : 0,
  )
  const ways = new WayTree(nodes.length, sessions.length)
  for (const session of sessions) {
    const from = start === null ? 0 : session.steps.indexOf(start)
    if (from !== -1) addWay(ways, session, from, options.stepsMax, isGoal)
  }
  const stepOf = (place: number) => ({ key: nodes[place]?.id ?? '', label: nodes[place]?.label ?? '' })
  return {
    siteId: options.siteId,
    period: toPeriod(options.period),
    sessions: ways.sessions,
    sampledShare,
    journeys: ways.mostCommon(options.limit).map((way) => ({
      steps: way.steps.map(stepOf),
      sessions: way.sessions,
      share: shareOf(way.sessions, ways.sessions),
      ended: way.ended,
      converted: way.converted,
      medianTimeMs: way.medianMs,
    })),
  }
}

/** Each run of one step counts as one, at the time of its start. */
function addWay(
  ways: WayTree,
  { steps, ms }: Sequence,
  from: number,
  stepsMax: number,
  isGoal: Uint8Array,
): void {
  const startMs = ms[from] ?? 0
  let [runs, lastMs, isConverted] = [0, startMs, false]
  let way: number | undefined
  for (let place = from; place < steps.length; place += 1) {
    const step = steps[place] ?? 0
    if (place > from && step === steps[place - 1]) continue
    runs += 1
    if (isGoal[step] === 1) isConverted = true
    if (runs > stepsMax) continue
    way = ways.follow(way, step)
    lastMs = ms[place] ?? 0
  }
  if (way === undefined) return
  ways.add(way, { tookMs: lastMs - startMs, hasEnded: runs <= stepsMax, isConverted })
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
