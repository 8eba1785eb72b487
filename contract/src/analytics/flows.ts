import { type Static, Type } from 'typebox'
import { lookupProblems } from '../problems.ts'
import { formatQuery, Period, readQuery } from '../reads.ts'
import { route } from '../route.ts'
import { OneOf, Time } from '../shapes.ts'
import { analyticsReads } from './access.ts'

const flowNodesMax = 200
const NodeId = Type.String({
  maxLength: 2200,
  description: 'page:/product/:id, form:signup, event:$purchase',
})
const MedianMs = Type.Union([Type.Number(), Type.Null()])

const FlowNode = Type.Object({
  id: NodeId,
  type: OneOf(['page', 'form', 'action', 'event']),
  label: Type.String(),
  sessions: Type.Integer(),
  visits: Type.Integer({ description: 'Repeats without anything between count as one visit' }),
  repeats: Type.Integer({ description: 'Repeats without anything between' }),
  entries: Type.Integer({ description: 'Sessions that began here' }),
  exits: Type.Integer({ description: 'Sessions that ended here' }),
})

const FlowEdge = Type.Object({
  from: NodeId,
  to: NodeId,
  count: Type.Integer({ description: 'How often the one followed the other' }),
  sessions: Type.Integer(),
  share: Type.Number({ description: 'Of all ways to leave `from`, ends included' }),
  medianTimeMs: MedianMs,
})

export const FlowGraph = Type.Object({
  siteId: Type.String(),
  period: Period,
  sessions: Type.Integer({ description: 'Sessions that were looked at' }),
  sampledShare: Type.Number({
    description: 'Share of the sessions that were looked at; 1 up to 2 million events',
  }),
  nodes: Type.Array(FlowNode),
  edges: Type.Array(FlowEdge),
  truncated: Type.Boolean({ description: 'There are nodes or edges that are not shown' }),
})
export type FlowGraph = Static<typeof FlowGraph>

const shared = {
  ...analyticsReads,
  csv: true,
  problems: lookupProblems,
} as const

export const getFlowGraph = route({
  ...shared,
  id: 'getFlowGraph',
  fresh: 'camel',
  method: 'GET',
  path: '/api/analytics/flow-graph',
  summary: 'Product flow graph',
  description:
    'What follows what within a session. Ids in paths are folded. Filters choose sessions of which some event ' +
    'matches. Edges are shown that hold 5 % of what leaves a node, or are among those that hold 80 % of all, or ' +
    'lead to a conversion.',
  query: Type.Object(
    {
      ...readQuery,
      ...formatQuery,
      nodes: Type.Optional(Type.Integer({ minimum: 2, maximum: flowNodesMax, default: 40 })),
      around: Type.Optional(
        Type.String({ maxLength: 2200, description: 'Only this node and its neighbours' }),
      ),
    },
    { additionalProperties: false },
  ),
  success: { status: 200, body: FlowGraph },
})

export const Journeys = Type.Object({
  siteId: Type.String(),
  period: Period,
  sessions: Type.Integer({ description: 'Sessions that were looked at' }),
  sampledShare: Type.Number(),
  journeys: Type.Array(
    Type.Object({
      steps: Type.Array(Type.Object({ key: NodeId, label: Type.String() })),
      sessions: Type.Integer(),
      share: Type.Number(),
      ended: Type.Integer({ description: 'Sessions that ended behind these steps' }),
      converted: Type.Integer({ description: 'Sessions with a conversion, in these steps or later' }),
      medianTimeMs: Type.Union([Type.Number(), Type.Null()], {
        description: 'From the first step to the last',
      }),
    }),
  ),
})
export type Journeys = Static<typeof Journeys>

export const listJourneys = route({
  ...shared,
  id: 'listJourneys',
  fresh: 'camel',
  method: 'GET',
  path: '/api/analytics/journeys',
  summary: 'The most common paths through a site',
  description: 'Of those sessions that the filters choose. Repeats without anything between count once.',
  query: Type.Object(
    {
      ...readQuery,
      ...formatQuery,
      steps: Type.Optional(Type.Integer({ minimum: 2, maximum: 10, default: 5 })),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 20 })),
      startsAt: Type.Optional(Type.String({ maxLength: 2200, description: 'A node; ways from there on' })),
    },
    { additionalProperties: false },
  ),
  success: { status: 200, body: Journeys },
})

const retentionIntervals = ['day', 'week', 'month'] as const

export const Retention = Type.Object({
  siteId: Type.String(),
  period: Period,
  interval: OneOf(retentionIntervals),
  firstEvent: Type.Union([Type.String(), Type.Null()]),
  returnEvent: Type.Union([Type.String(), Type.Null()]),
  cohorts: Type.Array(
    Type.Object({
      start: Time,
      people: Type.Integer({
        description: 'Who did the first event in this interval, for the first time in the period',
      }),
      isComplete: Type.Boolean({ description: 'The interval is over and lies whole within the period' }),
      returned: Type.Array(
        Type.Object({
          after: Type.Integer({ description: 'Intervals later' }),
          people: Type.Integer(),
          share: Type.Number(),
          isComplete: Type.Boolean({ description: 'The interval is over and lies whole within the period' }),
        }),
      ),
    }),
  ),
  overall: Type.Array(
    Type.Object({ after: Type.Integer(), people: Type.Integer(), of: Type.Integer(), share: Type.Number() }),
    { description: 'Over the cohorts whose interval is complete' },
  ),
})
export type Retention = Static<typeof Retention>

export const getRetention = route({
  ...shared,
  id: 'getRetention',
  fresh: 'camel',
  method: 'GET',
  path: '/api/analytics/retention',
  summary: 'Who comes back',
  description:
    'People by the interval of their first event, and in which later ones they did the returning event. Any event ' +
    'unless named. Filters choose people of whom some event matches.',
  query: Type.Object(
    {
      ...readQuery,
      ...formatQuery,
      firstEvent: Type.Optional(Type.String({ maxLength: 200 })),
      returnEvent: Type.Optional(Type.String({ maxLength: 200 })),
      interval: Type.Optional(OneOf(retentionIntervals)),
    },
    { additionalProperties: false },
  ),
  success: { status: 200, body: Retention },
})

export const flowRoutes = [getFlowGraph, listJourneys, getRetention] as const
