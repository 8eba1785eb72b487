import type {
  Answer,
  getFlowGraph,
  getOverview,
  getRetention,
  Input,
  listJourneys,
  Made,
  queryDropOff,
  queryFunnel,
} from '@assay/contract'
import { type Asking, readLarge } from './cache/large-reads.ts'
import type { ReportCache } from './cache/report-cache.ts'
import { readDropOff, requireStep } from './funnels/drop-off.ts'
import type { FunnelPlan } from './funnels/funnel-store.ts'
import { readFunnel, readWithin, requireSoundSteps } from './funnels/query.ts'
import { answerOverview, type OverviewQuestion } from './overview.ts'
import { readAnswer } from './questions/question-answer.ts'
import { openReading, type ReadingDeps } from './report-query.ts'
import { chooseRetentionInterval, readRetention } from './retention.ts'
import { answerSequences, type SequenceNeeds } from './sequences/sequence-answers.ts'
import type { FilterQuery } from './shorthands.ts'
import type { ReadFigures } from './tally/figures.ts'

export type AnswerNeeds = ReadingDeps & SequenceNeeds & { kept: ReportCache; readFigures: ReadFigures }

/** Filters are text in an address, and a list in a body or where they are stored. */
type Asked<Query> = Omit<Query, 'format' | 'filters'> & FilterQuery
type Funnel = Asked<Input<typeof queryFunnel>['body']>
type DropOff = Asked<Input<typeof queryDropOff>['body']>
type Retention = Asked<Input<typeof getRetention>['query']>
type Flow = Asked<Input<typeof getFlowGraph>['query']>
type Journeys = Asked<Input<typeof listJourneys>['query']>

/** Answers of reads, for their routes and for what is saved of them. */
export type Answers = {
  query: (workspaceId: string, asked: unknown) => Promise<Answer>
  overview: (
    workspaceId: string,
    asked: OverviewQuestion,
    asking: Asking,
  ) => Promise<Made<typeof getOverview>>
  funnel: (workspaceId: string, asked: Funnel) => Promise<Made<typeof queryFunnel>>
  dropOff: (workspaceId: string, asked: DropOff) => Promise<Made<typeof queryDropOff>>
  retention: (workspaceId: string, asked: Retention) => Promise<Made<typeof getRetention>>
  flow: (workspaceId: string, asked: Flow, asking: Asking) => Promise<Made<typeof getFlowGraph>>
  journeys: (workspaceId: string, asked: Journeys, asking: Asking) => Promise<Made<typeof listJourneys>>
}

export function createAnswers(deps: AnswerNeeds): Answers {
  return {
    query: (workspaceId, asked) => readAnswer(deps, workspaceId, asked),
    overview: (workspaceId, asked, asking) => answerOverview(deps, workspaceId, asked, asking),
    funnel: async (workspaceId, asked) => {
      requireSoundSteps(asked.steps)
      const { filter, period } = await openReading(deps, workspaceId, asked)
      return readFunnel(deps, filter, period, planOf(asked))
    },
    dropOff: async (workspaceId, asked) => {
      requireSoundSteps(asked.steps)
      const plan = planOf(asked)
      requireStep(plan, asked.step)
      const { filter, period } = await openReading(deps, workspaceId, asked)
      return readDropOff(deps.events, filter, period, plan, asked.step)
    },
    retention: async (workspaceId, asked) => {
      const { filter, period } = await openReading(deps, workspaceId, asked)
      const interval = chooseRetentionInterval(period, asked.interval)
      const { firstEvent, returnEvent } = asked
      return readRetention(deps, filter, period, { firstEvent, returnEvent, interval })
    },
    flow: (workspaceId, asked, asking) => flow(deps, workspaceId, asked, asking),
    journeys: (workspaceId, asked, asking) => journeys(deps, workspaceId, asked, asking),
  }
}

function planOf({ steps, order = 'in-order', by = 'session', breakdown, within }: Funnel): FunnelPlan {
  return { steps, order, by, breakdown, withinMs: readWithin(within) }
}

async function flow(deps: AnswerNeeds, workspaceId: string, asked: Flow, asking: Asking) {
  const reading = await openReading(deps, workspaceId, asked)
  return readLarge(deps.kept, { name: 'flow', asked, ...asking }, reading, async () => {
    const { site, filter, period } = await openReading(deps, workspaceId, asked)
    const { nodes: nodesMax = 40, around } = asked
    const options = { siteId: site.id, period, nodesMax, around }
    return answerSequences(deps, 'flow', filter, period, options)
  })
}

async function journeys(deps: AnswerNeeds, workspaceId: string, asked: Journeys, asking: Asking) {
  const reading = await openReading(deps, workspaceId, asked)
  return readLarge(deps.kept, { name: 'journeys', asked, ...asking }, reading, async () => {
    const { site, filter, period } = await openReading(deps, workspaceId, asked)
    const { steps: stepsMax = 5, limit = 20, startsAt } = asked
    const options = { siteId: site.id, period, stepsMax, limit, startsAt }
    return answerSequences(deps, 'journeys', filter, period, options)
  })
}
