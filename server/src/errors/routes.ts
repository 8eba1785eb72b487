import {
  createErrorRule,
  deleteErrorRule,
  getError,
  getOrderValueCorrelation,
  getRevenueImpact,
  ImpactRequest,
  type Input,
  impactDaysMax,
  invalidParameter,
  isRecord,
  listErrorRules,
  listErrors,
  type Made,
  postRevenueImpact,
  previewErrorRule,
  updateError,
  updateErrorRule,
} from '@assay/contract'
import { largeVisitsMin, type Question, readLarge } from '../analytics/cache/large-reads.ts'
import type { ReportCache } from '../analytics/cache/report-cache.ts'
import { type PeriodQuery, readPeriod, toPeriod } from '../analytics/period.ts'
import type { ReadingDeps } from '../analytics/report-query.ts'
import { filterOf } from '../analytics/report-query.ts'
import type { FilterQuery } from '../analytics/shorthands.ts'
import { readGetBody, requireShape } from '../http/input/get-body.ts'
import { type Plane, serve } from '../http/serve.ts'
import { dayMs, hourMs } from '../platform/units.ts'
import { moneyOf } from '../sites/exchange-rates.ts'
import { unknownSite } from '../sites/sites.ts'
import { changeState, type ErrorReading, readError, readErrors } from './errors.ts'
import { readCorrelation, readRevenueImpact } from './impact/revenue-impact.ts'
import { addRule, changeRule, listRules, previewRule, removeRule } from './rules.ts'

type Needs = ReadingDeps & { kept: ReportCache }

const windowDefault = '30d'
const limitDefault = 50

export function errorRoutes(plane: Plane, deps: Needs): void {
  const impact = async (
    workspaceId: string,
    asked: ImpactRequest,
    { read, request, reply }: Pick<Question, 'read' | 'request' | 'reply'>,
  ) => {
    const { minImpact = 0, evidence = null } = asked
    const question = { name: 'impact', asked, read, request, reply }
    const open = () => openErrors(deps, workspaceId, asked)
    return readLarge(deps.kept, question, await open(), async () => {
      const wish = { minImpact, evidence }
      const { sessions, ...value } = await readRevenueImpact(deps, await open(), periodText(asked), wish)
      return { value, isLarge: sessions >= largeVisitsMin }
    })
  }

  const answerErrors = createErrorAnswers(deps)
  serve(plane, listErrors, ({ query, caller }) => answerErrors(caller.workspaceId, query))

  serve(plane, getError, async ({ params, query, caller: { workspaceId } }) =>
    readError(deps, await openErrors(deps, workspaceId, query), params.id),
  )

  serve(plane, updateError, async ({ params, body, caller: { workspaceId } }) =>
    changeState(deps, await openErrors(deps, workspaceId, { siteId: body.siteId }), params.id, body.state),
  )

  serve(plane, getRevenueImpact, async ({ query, read, request, reply, caller }) => {
    const { workspaceId, siteId } = caller
    const body = await readGetBody(request)
    // A key that is bound to a site knows no other, and need not name its own.
    const own = siteId === null ? {} : { siteId }
    const wanted: unknown = isRecord(body) || body === null ? { ...own, ...query, ...body } : body
    requireShape<ImpactRequest>(request, ImpactRequest, wanted)
    if (siteId !== null && wanted.siteId !== siteId) throw unknownSite()
    return impact(workspaceId, wanted, { read, request, reply })
  })
  serve(plane, postRevenueImpact, ({ body, read, request, reply, caller: { workspaceId } }) =>
    impact(workspaceId, body, { read, request, reply }),
  )

  serve(plane, getOrderValueCorrelation, async ({ query, caller: { workspaceId } }) => {
    const reading = await openErrors(deps, workspaceId, query)
    return readCorrelation(deps, reading, periodText(query), query.errorGroup)
  })

  ruleRoutes(plane, deps)
}

function ruleRoutes(plane: Plane, deps: Needs): void {
  serve(plane, listErrorRules, async ({ query, caller: { workspaceId } }) => ({
    data: await listRules(deps, await deps.requireSite(workspaceId, query.siteId)),
  }))

  serve(plane, createErrorRule, async ({ body, caller: { workspaceId } }) => {
    const { siteId, ...wanted } = body
    return addRule(deps, await deps.requireSite(workspaceId, siteId), wanted)
  })

  serve(plane, previewErrorRule, async ({ body, caller: { workspaceId } }) => {
    const reading = await openErrors(deps, workspaceId, { siteId: body.siteId })
    return previewRule(deps, reading, body.ruleId, body.rule)
  })

  serve(plane, updateErrorRule, ({ params, body, caller: { workspaceId } }) =>
    changeRule(deps, workspaceId, params.id, body),
  )

  serve(plane, deleteErrorRule, async ({ params, caller }) => {
    await removeRule(deps, caller.workspaceId, params.id)
    return undefined
  })
}

type ErrorQuestion = Omit<Input<typeof listErrors>['query'], 'filters'> & FilterQuery
export type AnswerErrors = (workspaceId: string, query: ErrorQuestion) => Promise<Made<typeof listErrors>>

/** The list of groups, for its route and for what is saved of it. */
export function createErrorAnswers(deps: Needs): AnswerErrors {
  return async (workspaceId, query) => {
    const reading = await openErrors(deps, workspaceId, query)
    return {
      siteId: reading.site.id,
      period: toPeriod(reading.period),
      ...(await readErrors(deps, reading, query, query.limit ?? limitDefault)),
    }
  }
}

async function openErrors(
  deps: Needs,
  workspaceId: string,
  query: { siteId: string } & PeriodQuery & FilterQuery,
): Promise<ErrorReading> {
  const site = await deps.requireSite(workspaceId, query.siteId)
  const { from, window = windowDefault } = query
  const asked = from === undefined ? { ...query, window } : query
  const period = readPeriod(asked, site.timezone, deps.now())
  // A day can have 25 hours.
  const isLong = period.toMs - period.fromMs > impactDaysMax * dayMs + hourMs
  if (from === undefined ? daysOf(window) > impactDaysMax : isLong) {
    const field = from === undefined ? 'window' : 'from'
    throw invalidParameter(field, `may reach back ${impactDaysMax} days at most`)
  }
  return {
    site,
    period,
    filter: await filterOf(deps, workspaceId, site, query, period.timezone),
    money: await moneyOf(deps.rates, workspaceId, site.currency),
  }
}

/** As it was asked; an end that was not given is now. */
function periodText({ from, to, window = windowDefault }: PeriodQuery): string {
  return from === undefined ? window : to === undefined ? `${from}/` : `${from}/${to}`
}

const daysOf = (window: string) => Number.parseInt(window, 10) / (window.endsWith('h') ? 24 : 1)
