import {
  Answer,
  listDimensions,
  listReports,
  OneOf,
  Question,
  reportKinds,
  runQuery,
  Suggestions,
} from '@assay/contract'
import { Type } from 'typebox'
import { tool } from '../tool.ts'
import { firstSite } from './read-overview.ts'

const siteId = Type.Optional(
  Type.String({ maxLength: 64, description: 'From list_sites; the first site otherwise' }),
)
/** Groups of an answer; more are one call of /api/analytics/query away. */
const groupsMax = 50
const groupsDefault = 10
/** Most frequent first; the rest is one call of /api/analytics/dimensions away. */
const propertiesMax = 60
const eventsMax = 60
const traitsMax = 60

const { siteId: _site, includeBots: _bots, limit: _limit, ...asked } = Question.properties
const {
  siteId: _answered,
  exchangeRates: _rates,
  hasMore: _more,
  sampledShare: _share,
  ...answered
} = Answer.properties

export const runQuestion = tool({
  name: 'run_query',
  title: 'Ask a question about events',
  description:
    'Any metric by any dimensions of the visits that filters choose: counts, people, sums, averages and percentiles ' +
    'of properties, formulas, comparison with the period before, rolling and cumulative figures. Look up names with ' +
    'list_dimensions first. Without site_id the first site, without a period the last 30 days.',
  input: Type.Object(
    {
      site_id: siteId,
      ...asked,
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: groupsMax, default: groupsDefault })),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({ site_id: Type.String(), ...answered, has_more: Type.Boolean() }),
  effect: 'reads',
  async run({ site_id, limit = groupsDefault, ...question }, { client }) {
    const body = { ...question, limit, siteId: site_id ?? (await firstSite(client)) }
    const { siteId: answeredSite, hasMore, ...answer } = await client.call(runQuery, { body })
    const { period, comparedPeriod, metrics, dimensions, currency, rows, totals, warnings } = answer
    return {
      site_id: answeredSite,
      period,
      comparedPeriod,
      metrics,
      dimensions,
      currency,
      rows,
      totals,
      warnings,
      has_more: hasMore,
    }
  },
})

const { siteId: _suggested, ...suggested } = Suggestions.properties

export const listQuestionTerms = tool({
  name: 'list_dimensions',
  title: 'List what can be asked of a site',
  description:
    'Metrics, computations, operators of filters and dimensions for run_query, with the events and properties that ' +
    `the site sends: ${eventsMax} events and ${propertiesMax} properties at most, the most frequent first. Also its ` +
    'audiences, and traits of people if the key has identity:read.',
  input: Type.Object({ site_id: siteId }, { additionalProperties: false }),
  output: Type.Object({ site_id: Type.String(), ...suggested }),
  effect: 'reads',
  async run({ site_id }, { client }) {
    const query = { siteId: site_id ?? (await firstSite(client)) }
    const {
      siteId: ofSite,
      metrics,
      maths,
      operators,
      dimensions,
      events,
      goals,
      properties,
      traits,
      audiences,
    } = await client.call(listDimensions, { query })
    return {
      site_id: ofSite,
      metrics,
      maths,
      operators,
      dimensions,
      events: events.slice(0, eventsMax),
      goals,
      properties: properties.slice(0, propertiesMax),
      traits: traits.slice(0, traitsMax),
      audiences,
    }
  },
})

export const listSavedReports = tool({
  name: 'list_reports',
  title: 'List saved reports',
  description:
    'Questions that the team saved: overviews, funnels, retention, flow, journeys and errors, each with its name and ' +
    'what it asks. Use it to find out what people look at. In pages: continue with next_cursor.',
  input: Type.Object(
    {
      site_id: Type.Optional(
        Type.String({ maxLength: 64, description: 'From list_sites; all sites otherwise' }),
      ),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, default: 20 })),
      cursor: Type.Optional(Type.String({ maxLength: 200, description: 'next_cursor of the page before' })),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    reports: Type.Array(
      Type.Object({
        id: Type.String(),
        site_id: Type.String(),
        kind: OneOf(reportKinds),
        name: Type.String(),
        description: Type.String(),
        question: Type.Object({}, { additionalProperties: true }),
      }),
    ),
    next_cursor: Type.Union([Type.String(), Type.Null()]),
  }),
  effect: 'reads',
  async run({ site_id, limit = 20, cursor }, { client }) {
    const query = {
      limit,
      ...(site_id !== undefined && { siteId: site_id }),
      ...(cursor !== undefined && { cursor }),
    }
    const { data, nextCursor } = await client.call(listReports, { query })
    const reports = data.map(({ id, siteId: ofSite, kind, name, description, question }) => ({
      id,
      site_id: ofSite,
      kind,
      name,
      description,
      question,
    }))
    return { reports, next_cursor: nextCursor }
  },
})
