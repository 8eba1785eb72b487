import { type Static, Type } from 'typebox'
import { Filters } from '../questions/filters.ts'
import { formatQuery, Period, readQuery } from '../reads.ts'
import { route } from '../route.ts'
import { OneOf, Time } from '../shapes.ts'

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
export const StepMatch = {
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

const Rate = Type.Number({ minimum: 0, maximum: 1 })
const Interval = Type.Array(Type.Number(), { minItems: 2, maxItems: 2, description: 'Wilson interval' })

const StepFigures = {
  entered: Type.Integer({ description: 'Sessions or people that came this far' }),
  dropOff: Type.Integer({ description: 'Those of them who did not reach the next step' }),
  conversionRate: Type.Number({ description: 'Share of those in the first step', minimum: 0, maximum: 1 }),
  medianTimeMs: Type.Union([Type.Number(), Type.Null()], { description: 'Since the step before' }),
}

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

const reads = {
  plane: 'control',
  access: 'read',
  scope: 'analytics:read',
  rate: 'apiRead',
  tag: 'Analytics',
} as const

/** What a funnel is: its steps, how they follow each other, and of whom. */
const funnelQuestion = {
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
  ...reads,
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
  problems: ['unauthenticated', 'insufficient-scope', 'not-found'],
})

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
  ...reads,
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
  problems: ['unauthenticated', 'insufficient-scope', 'not-found'],
})

export const funnelStatuses = ['discovered', 'pinned', 'muted'] as const

export const DiscoveredFunnel = Type.Object({
  id: Type.String(),
  name: Type.String(),
  kind: OneOf(['revenue', 'acquisition', 'behaviour']),
  steps: Type.Array(
    Type.Object({
      key: Type.String({ description: 'The node of the flow graph' }),
      label: Type.String(),
      match: Type.Object(
        {
          event: Type.String(),
          path: Type.Optional(Type.String()),
          target: Type.Optional(Type.String()),
        },
        { description: 'The same step for /api/analytics/funnels/query' },
      ),
      ...StepFigures,
    }),
  ),
  sessions: Type.Integer({ description: 'Sessions in the first step' }),
  conversionRate: Rate,
  ci90: Interval,
  previous: Type.Object({ sessions: Type.Integer(), conversionRate: Type.Union([Rate, Type.Null()]) }),
  withinMs: Type.Integer({
    description: '95 of 100 took no longer for the whole way; the figures are of whole sessions',
  }),
  support: Type.Object({
    sessions: Type.Integer({ description: 'Sessions that went the whole way' }),
    share: Type.Number({ description: 'Of all sessions' }),
  }),
  firstSeen: Time,
  lastSeen: Time,
  status: OneOf(funnelStatuses),
  why: Type.String(),
})
export type DiscoveredFunnel = Static<typeof DiscoveredFunnel>

export const DiscoveredFunnels = Type.Object({
  siteId: Type.String(),
  period: Period,
  computedAt: Time,
  sessions: Type.Integer({ description: 'Sessions that were looked at' }),
  sampledShare: Type.Number({
    description: 'Share of the sessions that were looked at; 1 up to 2 million events',
  }),
  supportMin: Type.Integer({ description: 'A way that fewer sessions went is not claimed' }),
  funnels: Type.Array(DiscoveredFunnel),
})
export type DiscoveredFunnels = Static<typeof DiscoveredFunnels>

export const listFunnels = route({
  ...reads,
  id: 'listFunnels',
  fresh: 'camel',
  method: 'GET',
  path: '/api/analytics/funnels',
  summary: 'Discovered funnels',
  description:
    'Found in the sessions themselves, and kept for a minute or more; an older answer is given while a new one ' +
    'is made. Muted ones are left out unless asked for.',
  query: Type.Object(
    { ...readQuery, ...formatQuery, includeMuted: Type.Optional(Type.Boolean({ default: false })) },
    { additionalProperties: false },
  ),
  csv: true,
  success: { status: 200, body: DiscoveredFunnels },
  problems: ['unauthenticated', 'insufficient-scope', 'not-found'],
})

export const FunnelState = Type.Object({
  id: Type.String(),
  siteId: Type.String(),
  name: Type.String(),
  status: OneOf(funnelStatuses),
  firstSeen: Time,
  lastSeen: Time,
})

export const updateFunnel = route({
  id: 'updateFunnel',
  method: 'PATCH',
  path: '/api/analytics/funnels/:id',
  plane: 'control',
  access: 'write',
  scope: 'analytics:write',
  rate: 'apiWrite',
  tag: 'Analytics',
  summary: 'Pin, mute or rename a discovered funnel',
  description:
    'An empty name gives the found one back. A pinned funnel is reported even when it is not found again.',
  params: Type.Object({ id: Type.String({ maxLength: 64 }) }),
  body: Type.Object(
    {
      status: Type.Optional(OneOf(funnelStatuses)),
      name: Type.Optional(Type.String({ maxLength: 120 })),
    },
    { additionalProperties: false, minProperties: 1 },
  ),
  success: { status: 200, body: FunnelState },
  audit: { action: 'funnel.updated', details: ['status', 'name'] },
  problems: ['unauthenticated', 'insufficient-scope', 'not-found'],
})

export const funnelRoutes = [queryFunnel, queryDropOff, listFunnels, updateFunnel] as const
