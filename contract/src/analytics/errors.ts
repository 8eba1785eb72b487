import { type Static, Type } from 'typebox'
import { Filters, FiltersText } from '../questions/filters.ts'
import { filterQuery, Period, periodQuery } from '../reads.ts'
import { route } from '../route.ts'
import { OneOf, Page, paging, Time } from '../shapes.ts'
import { exchangeRatesUsed } from '../sites/exchange-rates.ts'
import {
  affectedSessionsMin,
  errorStates,
  evidenceLevels,
  funnelStages,
  impactDaysMax,
  impactResultsMax,
  segments,
} from './error-bounds.ts'

const Direction = OneOf(['up', 'down', 'flat'])
const siteId = Type.String({ maxLength: 64 })
const window = Type.String({
  pattern: '^[1-9][0-9]?[hd]$',
  description: 'Days of the calendar, today included: 1d to 90d; or hours up to now: 24h',
})

const PeriodText = Type.String({ description: 'Such as 30d, or 2026-10-01/2026-10-31 for two dates' })

/** Errors with one cause: message and stack are equal except for variable parts. */
export const ErrorGroup = Type.Object({
  id: Type.String(),
  errorGroup: Type.String({ description: 'Its name: by a rule, or else what the error says' }),
  type: Type.String({ description: 'Class of the error' }),
  title: Type.String({ description: 'The message without ids, numbers, hosts and the like' }),
  culprit: Type.String({ description: 'The nearest frames of the stack, likewise' }),
  state: OneOf(errorStates, { description: 'regressed: seen again after it was resolved' }),
  firstSeenAt: Time,
  lastSeenAt: Time,
  occurrences: Type.Integer(),
  sessions: Type.Integer(),
  users: Type.Integer(),
  releases: Type.Array(Type.String(), { description: 'At most 20' }),
  trend: Type.Object({
    direction: Direction,
    previousOccurrences: Type.Integer({
      description:
        'In as many days before the window, up to the same time of day; of hours, in as many before',
    }),
    series: Type.Array(Type.Object({ start: Time, isComplete: Type.Boolean(), occurrences: Type.Integer() })),
  }),
})
export type ErrorGroup = Static<typeof ErrorGroup>

export const ErrorExample = Type.Object({
  eventId: Type.String(),
  sessionId: Type.String({ description: 'The visit that met it; empty where it belongs to none' }),
  at: Time,
  message: Type.String(),
  stack: Type.String(),
  url: Type.String(),
  release: Type.String(),
  browser: Type.String(),
  handled: Type.Boolean(),
})
export type ErrorExample = Static<typeof ErrorExample>

const pattern = Type.Optional(
  Type.String({ minLength: 1, maxLength: 300, description: 'The whole text; * stands for any characters' }),
)

/** Assigns errors to a custom group. The first matching rule of a site wins. */
export const ErrorRule = Type.Object({
  id: Type.String(),
  siteId: Type.String(),
  match: Type.Object({ type: pattern, title: pattern, culprit: pattern }, { additionalProperties: false }),
  errorGroup: Type.String({ minLength: 1, maxLength: 200 }),
  position: Type.Integer({ minimum: 0 }),
  createdAt: Time,
})
export type ErrorRule = Static<typeof ErrorRule>

const GroupName = Type.Object({ id: Type.String(), errorGroup: Type.String() })

/** The groups before and after a rule is added, changed or deleted. */
export const ErrorRulePreview = Type.Object({
  matched: Type.Integer({ description: 'Kinds of errors that the rule would take' }),
  groups: Type.Array(
    Type.Object({
      ...GroupName.properties,
      isNew: Type.Boolean(),
      from: Type.Array(GroupName, { description: 'Where its errors are now; of several, they are merged' }),
    }),
    { description: 'Groups that would hold other errors than now; at most 50' },
  ),
  gone: Type.Array(GroupName, { description: 'Groups that would be no more; at most 50' }),
})
export type ErrorRulePreview = Static<typeof ErrorRulePreview>

const SegmentImpact = Type.Object({
  segment: OneOf(segments, { description: 'By what its people had bought before the session' }),
  users: Type.Integer(),
  revenueLoss: Type.Number({ description: 'Weighted' }),
  weight: Type.Number(),
  sessions: Type.Integer({ description: 'Those of comparedSessions' }),
  averageOrderValue: Type.Number(),
  unweightedRevenueLoss: Type.Number({
    description: 'sessions × baselineConversionRate × averageOrderValue × dropOffProbability',
  }),
})

const Interval = (description: string) =>
  Type.Object({ low: Type.Number(), high: Type.Number() }, { description })

const Impact = Type.Object({
  totalRevenueLoss: Type.Number({
    description: 'Of all segments, weighted. Groups are ranked by it, those with insufficient evidence last',
  }),
  affectedSessions: Type.Integer({ description: 'All sessions that met the error' }),
  affectedUsers: Type.Integer(),
  bySegment: Type.Array(SegmentImpact),
})

const ofGroup = {
  impact: Impact,
  stage: OneOf(funnelStages, { description: 'Where most of the affected sessions were' }),
  comparedSessions: Type.Integer({
    description:
      'Affected sessions that had not bought yet when the error first met them: those of the formula and of all rates',
  }),
  convertedSessions: Type.Integer({ description: 'Those of comparedSessions that bought afterwards' }),
  expectedConversions: Type.Number({
    description: 'How many would have bought without the error: comparedSessions × baselineConversionRate',
  }),
  baselineConversionRate: Type.Number({
    description:
      'Of sessions without this error at the same point that had not bought yet either, from there on',
  }),
  affectedConversionRate: Type.Number({ description: 'convertedSessions / comparedSessions' }),
  reliability: Type.Number({
    description: 'How much of the difference is kept, 0 to 1: little where chance could have made it',
  }),
  dropOffProbability: Type.Number({
    description: '1 − affectedConversionRate / baselineConversionRate, at least 0, × reliability',
  }),
  unweightedRevenueLoss: Type.Number({ description: 'The estimate in money' }),
  interval90: Interval('Of unweightedRevenueLoss'),
  weightedInterval90: Interval('Of impact.totalRevenueLoss'),
  evidence: OneOf(evidenceLevels, {
    description: `strong: not even the 95 % interval reaches down to nothing. insufficient: below ${affectedSessionsMin} comparedSessions, or nothing to compare them with`,
  }),
  trend: Direction,
  previousRevenueLoss: Type.Number({
    description: 'Unweighted, in the same days and time of day before the window',
  }),
}

export const ImpactResult = Type.Object({
  errorGroup: Type.String(),
  groupId: Type.String(),
  state: OneOf(errorStates),
  ...ofGroup,
})
export type ImpactResult = Static<typeof ImpactResult>

export const RevenueImpact = Type.Object({
  errorGroup: Type.Union([Type.String(), Type.Null()], {
    description: 'The one that ranks first; null for none',
  }),
  period: PeriodText,
  impact: Impact,
  currency: Type.Union([Type.String(), Type.Null()]),
  exchangeRates: exchangeRatesUsed,
  results: Type.Array(ImpactResult, {
    description: `The first ${impactResultsMax} groups by impact.totalRevenueLoss, then by sessions; those with insufficient evidence after all others`,
  }),
})
export type RevenueImpact = Static<typeof RevenueImpact>

const OrderSide = Type.Object({
  avgOrderValue: Type.Number({ description: 'Of `orders`; 0 where there are none' }),
  conversionRate: Type.Number({ description: 'convertedSessions / sessions' }),
  sessions: Type.Integer({
    description:
      'Sessions that had not bought when the error met them; without the error: as many at the same point',
  }),
  convertedSessions: Type.Number({
    description: 'How many of them bought from there on; without the error: how many are expected to',
  }),
  orders: Type.Integer({ description: 'Orders that avgOrderValue is taken over' }),
})

export const OrderValueCorrelation = Type.Object({
  siteId: Type.String(),
  period: PeriodText,
  currency: Type.Union([Type.String(), Type.Null()]),
  exchangeRates: exchangeRatesUsed,
  correlation: Type.Object({
    errorGroup: Type.String(),
    aovImpact: Type.Object({
      sessionsWithError: OrderSide,
      sessionsWithoutError: OrderSide,
      aovDelta: Type.Number({ description: 'With the error minus without' }),
      conversionDelta: Type.Number({ description: 'With the error minus without' }),
    }),
  }),
})
export type OrderValueCorrelation = Static<typeof OrderValueCorrelation>

const problems = ['unauthenticated', 'insufficient-scope', 'not-found'] as const
const base = { plane: 'control', tag: 'Errors' } as const
const reads = { ...base, access: 'read', scope: 'analytics:read', rate: 'apiRead' } as const
const writes = { ...base, access: 'write', scope: 'analytics:write', rate: 'apiWrite' } as const
const byId = Type.Object({ id: Type.String({ maxLength: 100 }) })

const errorsSay =
  `Occurrences in the visits that the filters choose, over ${impactDaysMax} days at most. First and last times are ` +
  'those of all occurrences.'

export const listErrors = route({
  ...reads,
  id: 'listErrors',
  fresh: 'camel',
  method: 'GET',
  path: '/api/v1/errors',
  summary: 'Groups of errors, the most frequent first',
  description: errorsSay,
  query: Type.Object(
    { siteId, ...periodQuery, ...filterQuery, state: Type.Optional(OneOf(errorStates)), ...paging },
    { additionalProperties: false },
  ),
  success: {
    status: 200,
    body: Type.Object({ siteId: Type.String(), period: Period, ...Page(ErrorGroup).properties }),
  },
  problems,
})

export const getError = route({
  ...reads,
  id: 'getError',
  fresh: 'camel',
  method: 'GET',
  path: '/api/v1/errors/:id',
  summary: 'One group of errors, with its latest occurrences',
  params: byId,
  description: errorsSay,
  query: Type.Object({ siteId, ...periodQuery, ...filterQuery }, { additionalProperties: false }),
  success: {
    status: 200,
    body: Type.Object({ ...ErrorGroup.properties, examples: Type.Array(ErrorExample) }),
  },
  problems,
})

export const updateError = route({
  ...writes,
  id: 'updateError',
  method: 'PATCH',
  path: '/api/v1/errors/:id',
  summary: 'Resolve, mute or reopen a group of errors',
  params: byId,
  body: Type.Object({ siteId, state: OneOf(['open', 'resolved', 'muted']) }, { additionalProperties: false }),
  success: { status: 200, body: ErrorGroup },
  audit: { action: 'error.updated', details: ['siteId', 'state'] },
  invalidates: 'reports',
  problems,
})

export const listErrorRules = route({
  ...reads,
  id: 'listErrorRules',
  method: 'GET',
  path: '/api/v1/error-rules',
  summary: 'Rules by which a site groups its errors, in their order',
  query: Type.Object({ siteId }, { additionalProperties: false }),
  success: { status: 200, body: Type.Object({ data: Type.Array(ErrorRule) }) },
  problems,
})

const ruleFields = {
  match: Type.Object(ErrorRule.properties.match.properties, {
    additionalProperties: false,
    minProperties: 1,
  }),
  errorGroup: ErrorRule.properties.errorGroup,
  position: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000 })),
}

export const createErrorRule = route({
  ...writes,
  id: 'createErrorRule',
  method: 'POST',
  path: '/api/v1/error-rules',
  summary: 'Group errors by a rule of your own',
  description: 'It holds for errors that are stored already, too. Without a position it comes last.',
  body: Type.Object({ siteId, ...ruleFields }, { additionalProperties: false }),
  success: { status: 201, body: ErrorRule },
  audit: { action: 'error_rule.created', details: ['siteId', 'errorGroup', 'match'] },
  invalidates: 'reports',
  problems: [...problems, 'conflict'],
})

export const updateErrorRule = route({
  ...writes,
  id: 'updateErrorRule',
  method: 'PATCH',
  path: '/api/v1/error-rules/:id',
  summary: 'Change what a rule matches, the group it makes, or its place among the others',
  description: 'What is matched is replaced as a whole.',
  params: byId,
  body: Type.Partial(Type.Object(ruleFields), { additionalProperties: false, minProperties: 1 }),
  success: { status: 200, body: ErrorRule },
  audit: { action: 'error_rule.updated', details: ['errorGroup', 'match', 'position'] },
  invalidates: 'reports',
  problems,
})

export const previewErrorRule = route({
  ...reads,
  id: 'previewErrorRule',
  fresh: 'camel',
  method: 'POST',
  path: '/api/v1/error-rules/preview',
  summary: 'What a rule would make of the groups there are; nothing is changed',
  description:
    'Without ruleId the rule is added. With it that one is replaced, or taken away where rule is null.',
  body: Type.Object(
    {
      siteId,
      ruleId: Type.Optional(Type.String({ maxLength: 100 })),
      rule: Type.Union([Type.Object(ruleFields, { additionalProperties: false }), Type.Null()]),
    },
    { additionalProperties: false },
  ),
  success: { status: 200, body: ErrorRulePreview },
  problems,
})

export const deleteErrorRule = route({
  ...writes,
  id: 'deleteErrorRule',
  method: 'DELETE',
  path: '/api/v1/error-rules/:id',
  summary: 'Take a rule away; its errors are grouped as they were without it',
  params: byId,
  success: { status: 204, body: null },
  audit: { action: 'error_rule.deleted' },
  invalidates: 'reports',
  problems,
})

/** The window of the specification, or two dates as in every other read. */
const impactPeriod = { ...periodQuery, window: Type.Optional(window) }

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
  problems,
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
  problems,
})

export const getOrderValueCorrelation = route({
  ...reads,
  id: 'getOrderValueCorrelation',
  fresh: 'camel',
  method: 'GET',
  path: '/api/v1/errors/order-value-correlation',
  summary: 'Order value and conversion of sessions with an error and of comparable ones without it',
  description:
    'The sessions and rates of the revenue impact: from where the error met them, before any purchase.',
  query: Type.Object(
    {
      siteId,
      errorGroup: Type.String({ minLength: 1, maxLength: 300, description: 'Id or name of the group' }),
      ...impactPeriod,
      ...filterQuery,
    },
    { additionalProperties: false },
  ),
  success: { status: 200, body: OrderValueCorrelation },
  problems,
})

export const errorRoutes = [
  listErrors,
  getRevenueImpact,
  postRevenueImpact,
  getOrderValueCorrelation,
  getError,
  updateError,
  listErrorRules,
  createErrorRule,
  previewErrorRule,
  updateErrorRule,
  deleteErrorRule,
] as const
