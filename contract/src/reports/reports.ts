import { type Static, type TProperties, Type } from 'typebox'
import { getOverview } from '../analytics/analytics.ts'
import { listErrors } from '../analytics/errors/groups.ts'
import { getFlowGraph, getRetention, listJourneys } from '../analytics/flows.ts'
import { queryFunnel } from '../analytics/funnels/funnel-query.ts'
import { lookupProblems } from '../problems.ts'
import { Filters } from '../questions/filters/filters.ts'
import { Question } from '../questions/question.ts'
import { filterQuery, periodQuery } from '../reads.ts'
import { route } from '../route.ts'
import { exact, OneOf, Page, paging, Time } from '../shapes.ts'

export const reportLimits = {
  /** Of a site; a list of more is not read any more. */
  reportsMax: 1_000,
  nameCharactersMax: 120,
  descriptionCharactersMax: 2_000,
} as const

/** What is stored has filters as a list, and not as text within text. */
const filters = Type.Optional(Filters)
const saved = <Members extends TProperties>(members: Members) => Type.Object({ ...members, filters }, exact)

/** What each kind asks, besides the site: the members of the route that answers it. */
export const reportQuestions = {
  query: Type.Omit(Question, ['siteId'], exact),
  overview: saved(Type.Omit(getOverview.query, ['siteId', 'format', 'table', 'filters'], exact).properties),
  funnel: Type.Omit(queryFunnel.body, ['siteId', 'format'], exact),
  retention: saved(Type.Omit(getRetention.query, ['siteId', 'format', 'filters'], exact).properties),
  flow: saved(Type.Omit(getFlowGraph.query, ['siteId', 'format', 'filters'], exact).properties),
  journeys: saved(Type.Omit(listJourneys.query, ['siteId', 'format', 'filters'], exact).properties),
  errors: saved(Type.Omit(listErrors.query, ['siteId', 'cursor', 'filters'], exact).properties),
} as const
export type ReportKind = keyof typeof reportQuestions
export type ReportQuestions = { [Kind in ReportKind]: Static<(typeof reportQuestions)[Kind]> }

export const reportKinds = ['query', 'overview', 'funnel', 'retention', 'flow', 'journeys', 'errors'] as const

/** How the answer of a query is shown: over time as lines, bars or stacked areas; by groups; or as numbers alone. */
export const reportViews = ['lines', 'bars', 'stacked', 'table', 'number'] as const
export type ReportView = (typeof reportViews)[number]

/** Of a report or a tile of the kind query. A view that does not fit what is asked is left out of account. */
export const View = OneOf(reportViews, { description: 'How the answer of a query is shown' })
const viewOrNone = Type.Union([View, Type.Null()], {
  description: 'How the answer of a query is shown; null where that is left to its dimensions',
})

const answeredBy =
  'As the route of its kind takes it, without siteId, and with filters as a list: query, overview, ' +
  'funnel (funnels/query), retention, ' +
  'flow (flow-graph), journeys, errors (/api/v1/errors)'

/** What is asked; checked by its kind. */
export const QuestionBody = Type.Unsafe<Readonly<Record<string, unknown>>>(
  Type.Object({}, { additionalProperties: true, description: answeredBy }),
)

/** A saved question. */
export const Report = Type.Object({
  id: Type.String(),
  siteId: Type.String(),
  kind: OneOf(reportKinds),
  name: Type.String(),
  description: Type.String(),
  question: QuestionBody,
  view: viewOrNone,
  owner: Type.String({ description: 'The member or the key that saved it' }),
  createdAt: Time,
  updatedAt: Time,
})
export type Report = Static<typeof Report>

const { includeBots: _, ...narrowingFilters } = filterQuery
/** Another period, and filters besides those of a question, in an address. */
export const NarrowingQuery = Type.Object({ ...periodQuery, ...narrowingFilters }, exact)
/** The same where it is stored, with filters as a list. */
export const Narrowing = Type.Object({ ...NarrowingQuery.properties, filters }, exact)
export type Narrowing = Static<typeof Narrowing>

/** The answer of a saved question, with what was asked in the end. */
export const ReportResult = Type.Object({
  siteId: Type.String(),
  kind: OneOf(reportKinds),
  question: QuestionBody,
  view: viewOrNone,
  result: Type.Unsafe<object>(
    Type.Object({}, { additionalProperties: true, description: 'As the route of its kind answers' }),
  ),
})
export type ReportResult = Static<typeof ReportResult>

const base = { plane: 'control', tag: 'Reports' } as const
const reads = { ...base, access: 'read', scope: 'analytics:read', rate: 'apiRead' } as const
const writes = { ...base, access: 'write', scope: 'analytics:write', rate: 'apiWrite' } as const
const byId = Type.Object({ id: Type.String({ maxLength: 64 }) })
const siteId = Type.String({ maxLength: 64 })
const name = Type.String({
  minLength: 1,
  maxLength: reportLimits.nameCharactersMax,
  description: 'More than spaces',
})
const description = Type.String({ maxLength: reportLimits.descriptionCharactersMax })

export const listReports = route({
  ...reads,
  id: 'listReports',
  method: 'GET',
  path: '/api/v1/reports',
  summary: 'List saved reports',
  query: Type.Object(
    { ...paging, siteId: Type.Optional(siteId), kind: Type.Optional(OneOf(reportKinds)) },
    exact,
  ),
  success: { status: 200, body: Page(Report) },
  problems: lookupProblems,
})

export const createReport = route({
  ...writes,
  id: 'createReport',
  method: 'POST',
  path: '/api/v1/reports',
  summary: 'Save a question',
  body: Type.Object(
    {
      siteId,
      kind: OneOf(reportKinds),
      name,
      description: Type.Optional(description),
      question: QuestionBody,
      view: Type.Optional(viewOrNone),
    },
    exact,
  ),
  success: { status: 201, body: Report },
  audit: { action: 'report.created', details: ['siteId', 'kind'] },
  problems: [...lookupProblems, 'conflict'],
})

export const getReport = route({
  ...reads,
  id: 'getReport',
  method: 'GET',
  path: '/api/v1/reports/:id',
  summary: 'Get a saved report',
  params: byId,
  success: { status: 200, body: Report },
  problems: lookupProblems,
})

export const updateReport = route({
  ...writes,
  id: 'updateReport',
  method: 'PATCH',
  path: '/api/v1/reports/:id',
  summary: 'Change a saved report',
  params: byId,
  body: Type.Partial(Type.Object({ name, description, question: QuestionBody, view: viewOrNone }), {
    ...exact,
    minProperties: 1,
  }),
  success: { status: 200, body: Report },
  audit: { action: 'report.updated', details: ['siteId', 'kind'] },
  problems: lookupProblems,
})

export const deleteReport = route({
  ...writes,
  id: 'deleteReport',
  method: 'DELETE',
  path: '/api/v1/reports/:id',
  summary: 'Delete a saved report',
  params: byId,
  success: { status: 204, body: null },
  audit: { action: 'report.deleted' },
  problems: lookupProblems,
})

export const getReportResult = route({
  ...reads,
  id: 'getReportResult',
  fresh: 'camel',
  method: 'GET',
  path: '/api/v1/reports/:id/result',
  summary: 'Answer a saved report',
  description:
    'A period takes the place of that of the question. Filters, and plain parameters, which are short for them, are ' +
    'added: all have to hold.',
  params: byId,
  query: NarrowingQuery,
  success: { status: 200, body: ReportResult },
  problems: lookupProblems,
})

export const reportRoutes = [
  listReports,
  createReport,
  getReport,
  updateReport,
  deleteReport,
  getReportResult,
] as const
