import { type Static, Type } from 'typebox'
import { OneOf } from '../../shapes.ts'

export const funnelStepsMax = 10
const conditionsMax = 5

export const PropertyCondition = Type.Object(
  {
    property: Type.String({ minLength: 1, maxLength: 200 }),
    op: OneOf(['is', 'is-not', 'contains', 'at-least', 'at-most', 'exists'], {
      description: 'A property that is absent only matches is-not',
    }),
    value: Type.Optional(Type.Union([Type.String({ maxLength: 1000 }), Type.Number(), Type.Boolean()])),
  },
  { additionalProperties: false },
)
export type PropertyCondition = Static<typeof PropertyCondition>

/** When an event counts as a step. */
const StepMatch = {
  event: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: '$pageview where only a path is given' }),
  ),
  path: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2048,
      description: 'A path, or a pattern: /product/:id, /blog/*',
    }),
  ),
  target: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'The form of a submit, the element of a click',
    }),
  ),
  where: Type.Optional(Type.Array(PropertyCondition, { maxItems: conditionsMax })),
}

export const FunnelStep = Type.Object(
  { ...StepMatch, label: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })) },
  { additionalProperties: false, minProperties: 1 },
)
export type FunnelStep = Static<typeof FunnelStep>

export const funnelOrders = ['in-order', 'strict-order', 'strict-increase', 'any-order'] as const
export type FunnelOrder = (typeof funnelOrders)[number]

export const Interval = Type.Array(Type.Number(), {
  minItems: 2,
  maxItems: 2,
  description: 'Wilson interval',
})

export const StepFigures = {
  entered: Type.Integer({ description: 'Sessions or people that came this far' }),
  dropOff: Type.Integer({ description: 'Those of them who did not reach the next step' }),
  conversionRate: Type.Number({ description: 'Share of those in the first step', minimum: 0, maximum: 1 }),
  medianTimeMs: Type.Union([Type.Number(), Type.Null()], { description: 'Since the step before' }),
}
