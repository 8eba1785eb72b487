import { type Static, Type } from 'typebox'
import { lookupProblems } from '../../problems.ts'
import { formatQuery, Period, readQuery } from '../../reads.ts'
import { route } from '../../route.ts'
import { OneOf, Rate, Time } from '../../shapes.ts'
import { analyticsReads } from '../access.ts'
import { Interval, StepFigures } from './funnel-steps.ts'

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
  ...analyticsReads,
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
  problems: lookupProblems,
})

const FunnelState = Type.Object({
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
  problems: lookupProblems,
})
