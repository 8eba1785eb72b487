import { type Static, Type } from 'typebox'
import { lookupProblems } from '../../problems.ts'
import { Filters } from '../../questions/filters/filters.ts'
import { formatQuery, Period, readQuery } from '../../reads.ts'
import { route } from '../../route.ts'
import { OneOf, Rate } from '../../shapes.ts'
import { analyticsReads } from '../access.ts'
import { FunnelStep, funnelOrders, funnelStepsMax, Interval, StepFigures } from './funnel-steps.ts'

export const funnelBreakdowns = [
  'country',
  'region',
  'city',
  'device',
  'source',
  'channel',
  'browser',
  'os',
] as const
export type FunnelBreakdown = (typeof funnelBreakdowns)[number]

export const FunnelResult = Type.Object({
  siteId: Type.String(),
  period: Period,
  by: OneOf(['session', 'person']),
  order: OneOf(funnelOrders),
  withinMs: Type.Integer(),
  steps: Type.Array(Type.Object({ label: Type.String(), ...StepFigures })),
  conversionRate: Rate,
  ci90: Interval,
  breakdown: Type.Array(
    Type.Object({ key: Type.String(), entered: Type.Array(Type.Integer()), conversionRate: Rate }),
    { description: 'By the value at the first step; the 20 with the most entries' },
  ),
})
export type FunnelResult = Static<typeof FunnelResult>

/** What a funnel is: its steps, how they follow each other, and of whom. */
export const funnelQuestion = {
  ...readQuery,
  filters: Type.Optional(Filters),
  steps: Type.Array(FunnelStep, { minItems: 1, maxItems: funnelStepsMax }),
  within: Type.Optional(
    Type.String({
      pattern: '^[1-9][0-9]{0,5}[smhd]$',
      description: 'From the first step to the last: 30m, 1d; one day unless said',
    }),
  ),
  order: Type.Optional(
    OneOf(funnelOrders, {
      description:
        'in-order: other events may lie between. strict-order: none may. strict-increase: in order, and no two ' +
        'at the same time. any-order: the steps in whatever order',
    }),
  ),
  by: Type.Optional(OneOf(['session', 'person'])),
}

export const queryFunnel = route({
  ...analyticsReads,
  id: 'queryFunnel',
  fresh: 'camel',
  method: 'POST',
  path: '/api/analytics/funnels/query',
  summary: 'A funnel given by its steps',
  description: 'Filters choose the sessions (or people) of which some event matches; all their events count.',
  body: Type.Object(
    {
      ...funnelQuestion,
      ...formatQuery,
      breakdown: Type.Optional(OneOf(funnelBreakdowns)),
    },
    { additionalProperties: false },
  ),
  csv: true,
  success: { status: 200, body: FunnelResult },
  problems: lookupProblems,
})
