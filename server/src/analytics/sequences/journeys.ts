import type { Journeys } from '@assay/contract'
import type { Table } from '../../http/csv.ts'
import { type Period, toPeriod } from '../period.ts'
import { shareOf } from '../statistics.ts'
import { requireNode } from './flow-graph.ts'
import { conversionNames } from './nodes.ts'
import type { Sequences } from './sequences.ts'
import { countSessions, type Sessions } from './sessions.ts'
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
  const ways = new WayTree(nodes.length, countSessions(sessions))
  for (let session = 0; session < countSessions(sessions); session += 1) {
    const [from, end] = wayOf(sessions, session, start)
    if (from < end) addWay(ways, sessions, from, end, { stepsMax: options.stepsMax, isGoal })
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

/** From the first time at this node on, or from the beginning; ends where it begins if it never was there. */
function wayOf({ steps, starts, ends }: Sessions, session: number, start: number | null): [number, number] {
  const end = ends[session] ?? 0
  let from = starts[session] ?? 0
  if (start !== null) while (from < end && steps[from] !== start) from += 1
  return [from, end]
}

/** Each run of one step counts as one, at the time of its start. */
function addWay(
  ways: WayTree,
  { steps, ms }: Sessions,
  from: number,
  end: number,
  { stepsMax, isGoal }: { stepsMax: number; isGoal: Uint8Array },
): void {
  const startMs = ms[from] ?? 0
  let [runs, lastMs, isConverted] = [0, startMs, false]
  let way: number | undefined
  for (let place = from; place < end; place += 1) {
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
