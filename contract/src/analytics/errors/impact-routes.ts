import { type Static, Type } from 'typebox'
import { lookupProblems } from '../../problems.ts'
import { Filters, FiltersText } from '../../questions/filters/filters.ts'
import { filterQuery } from '../../reads.ts'
import { route } from '../../route.ts'
import { OneOf } from '../../shapes.ts'
import { reads, siteId } from './access.ts'
import { evidenceLevels } from './error-bounds.ts'
import { impactPeriod } from './figures.ts'
import { RevenueImpact } from './impact.ts'

const impactFields = {
  ...filterQuery,
  ...impactPeriod,
  minImpact: Type.Optional(
    Type.Number({ minimum: 0, description: 'Least totalRevenueLoss of a group to be included' }),
  ),
  evidence: Type.Optional(OneOf(evidenceLevels, { description: 'Only groups with this evidence' })),
}
export const ImpactRequest = Type.Object(
  { siteId, ...impactFields, filters: Type.Optional(Type.Union([FiltersText, Filters])) },
  { additionalProperties: false },
)
export type ImpactRequest = Static<typeof ImpactRequest>
const impactDescription =
  'affected sessions × baseline conversion × average order value × drop-off probability, by segment and weighted; ' +
  'groups are ranked by it. Sessions are compared where the error first met them with sessions without it at the ' +
  'same point; neither had bought yet. With filters both sides, and the average order, are those of the visits that ' +
  'the filters choose. ' +
  'The fields stand in a JSON body, also of a GET, or in the query.'

export const getRevenueImpact = route({
  ...reads,
  id: 'getRevenueImpact',
  fresh: 'camel',
  method: 'GET',
  path: '/api/v1/errors/revenue-impact',
  summary: 'What errors cost',
  description: impactDescription,
  query: Type.Object({ siteId: Type.Optional(siteId), ...impactFields }, { additionalProperties: false }),
  success: { status: 200, body: RevenueImpact },
  problems: lookupProblems,
})

export const postRevenueImpact = route({
  ...reads,
  id: 'postRevenueImpact',
  fresh: 'camel',
  method: 'POST',
  path: '/api/v1/errors/revenue-impact',
  summary: 'What errors cost, for callers that cannot send a body with GET',
  description: impactDescription,
  body: ImpactRequest,
  success: { status: 200, body: RevenueImpact },
  problems: lookupProblems,
})
