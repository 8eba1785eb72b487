import { type Static, Type } from 'typebox'
import { lookupProblems } from '../../problems.ts'
import { Period } from '../../reads.ts'
import { route } from '../../route.ts'
import { OneOf } from '../../shapes.ts'
import { analyticsReads } from '../access.ts'
import { funnelQuestion } from './funnel-query.ts'
import { funnelOrders, funnelStepsMax } from './funnel-steps.ts'

/** Kinds of next events that are listed; the rest counts together. */
export const dropOffNextMax = 10

const DropOffPart = {
  count: Type.Integer({ description: 'Sessions or people' }),
  share: Type.Number({ minimum: 0, maximum: 1, description: 'Of dropOff' }),
}

export const FunnelDropOff = Type.Object({
  siteId: Type.String(),
  period: Period,
  by: OneOf(['session', 'person']),
  order: OneOf(funnelOrders),
  withinMs: Type.Integer(),
  step: Type.Integer({ description: 'As asked' }),
  label: Type.String({ description: 'Of that step' }),
  dropOff: Type.Integer({ description: 'Those who took this step and not the next one, as in the funnel' }),
  next: Type.Array(
    Type.Object({
      key: Type.String({ description: 'The node of the flow graph' }),
      label: Type.String(),
      match: Type.Object({
        event: Type.String(),
        path: Type.Optional(Type.String()),
        target: Type.Optional(Type.String()),
      }),
      ...DropOffPart,
    }),
    { description: `The first event after they last took the step; the ${dropOffNextMax} most frequent` },
  ),
  other: Type.Object(DropOffPart, { description: 'Whose next event is none of these' }),
  left: Type.Object(DropOffPart, { description: 'Who did nothing more in the session, or in the period' }),
})
export type FunnelDropOff = Static<typeof FunnelDropOff>

export const queryDropOff = route({
  ...analyticsReads,
  id: 'queryDropOff',
  fresh: 'camel',
  method: 'POST',
  path: '/api/analytics/funnels/drop-off',
  summary: 'What those who dropped off at a step of a funnel did next',
  description:
    'The funnel is given as in funnels/query. `next`, `other` and `left` add up to `dropOff`. Errors, scrolling and ' +
    'other events that say nothing of a path are no next event. A funnel in any order has no next step.',
  body: Type.Object(
    {
      ...funnelQuestion,
      step: Type.Integer({
        minimum: 1,
        maximum: funnelStepsMax - 1,
        description: 'The step after which they dropped off, from 1; any but the last',
      }),
    },
    { additionalProperties: false },
  ),
  success: { status: 200, body: FunnelDropOff },
  problems: lookupProblems,
})
