import { type Answer, type ReadQuestion, readQuestion } from '@assay/contract'
import { noGoal } from '../../goals/goals.ts'
import { moneyOf } from '../../sites/exchange-rates.ts'
import type { EventFilter } from '../../store/event-filter.ts'
import { goalsIn } from '../../store/filters/condition-sql.ts'
import { readPeriod } from '../period.ts'
import { openFilter, type ReadingDeps } from '../report-query.ts'
import { answerQuestion } from './answers/answer.ts'
import { boundedRun } from './bounds.ts'

/** Answers any JSON that is a question of a site of the workspace; refuses everything else. */
export async function readAnswer(deps: ReadingDeps, workspaceId: string, value: unknown): Promise<Answer> {
  const question = readQuestion(value)
  const { siteId, timezone, filters: conditions, dimensions, includeBots } = question
  const site = await deps.requireSite(workspaceId, siteId)
  const period = readPeriod({ ...question.period, timezone }, site.timezone, deps.now())
  const asked = { conditions, dimensions, includeBots, timezone: period.timezone }
  const filter = await openFilter(deps, workspaceId, site.id, asked)
  requireKnownGoals(question, filter)
  const money = await moneyOf(deps.rates, workspaceId, site.currency)
  const source = { run: boundedRun(deps.events, deps.now), readKept: deps.readKept }
  return answerQuestion(source, question, { site, filter, money, period })
}

/** Those of filters are known already. */
function requireKnownGoals({ metrics }: ReadQuestion, { goals = {} }: EventFilter): void {
  const named = metrics.flatMap((metric) =>
    metric.kind === 'math' ? [...(metric.goal === null ? [] : [metric.goal]), ...goalsIn(metric.where)] : [],
  )
  if (named.some((id) => !Object.hasOwn(goals, id))) throw noGoal()
}
