import { type Static, Type } from 'typebox'
import { Filters } from '../questions/filters.ts'
import { ofShape } from '../questions/question-shapes.ts'
import { type Metric, metricsMax, Question } from '../questions/questions.ts'
import { route } from '../route.ts'
import { emailLengthMax, OneOf, Page, paging, Time } from '../shapes.ts'

export const alertLimits = {
  /** Of a site. Each is a question in every interval. */
  alertsMax: 100,
  nameCharactersMax: 120,
  recipientsMax: 20,
  slackUrlCharactersMax: 2_000,
  /** Of an alert; the oldest are deleted. */
  firingsMax: 500,
  /** A message that cannot be delivered is given up after that. */
  retryHours: 24,
  /** Messages are deleted after that. */
  messageDays: 30,
  /** As much as a number of JSON holds exactly. */
  valueMax: 1e15,
} as const

const exact = { additionalProperties: false } as const
export const alertIntervals = ['hour', 'day', 'week'] as const
export type AlertInterval = (typeof alertIntervals)[number]
export const alertStates = ['ok', 'firing', 'unknown'] as const
export const alertSensitivities = ['low', 'medium', 'high'] as const

const nullable = <Shape extends ReturnType<typeof Type.String>>(shape: Shape) =>
  Type.Union([shape, Type.Null()])
const figure = Type.Union([Type.Number(), Type.Null()])

const value = Type.Number({ minimum: -alertLimits.valueMax, maximum: alertLimits.valueMax })
const Condition = Type.Union(
  [
    Type.Object({ type: OneOf(['above', 'below']), value }, exact),
    Type.Object(
      {
        type: Type.Literal('changedBy'),
        share: Type.Number({ minimum: 0.01, maximum: 100, description: '0.5 is 50 %' }),
        direction: OneOf(['up', 'down', 'either']),
      },
      exact,
    ),
    Type.Object({ type: Type.Literal('unusual'), sensitivity: OneOf(alertSensitivities) }, exact),
  ],
  {
    description:
      'above and below: more or less than a value. changedBy: by more than a share since the same hour or weekday a ' +
      'week before, or the week before. unusual: outside of what the same hours or weekdays of the weeks before ' +
      'were; low sensitivity needs the most',
  },
)

export { Condition as AlertCondition }
export type AlertCondition = Static<typeof Condition>

const AlertQuestion = Type.Object(
  {
    metric: Type.Unsafe<Metric>({
      ...ofShape('Metric'),
      description:
        'As in POST /api/analytics/query: the name of a metric, {"as", "event", "math"}, or {"as", "formula"}',
    }),
    parts: Type.Optional(
      Type.Array(Type.Unsafe<Metric>(ofShape('Metric')), {
        maxItems: metricsMax - 1,
        description: 'Metrics that the formula names',
      }),
    ),
    filters: Type.Optional(Filters),
    includeBots: Type.Optional(Question.properties.includeBots),
  },
  exact,
)

export { AlertQuestion }
export type AlertQuestion = Static<typeof AlertQuestion>

const siteId = Type.String({ maxLength: 64 })
const name = Type.String({
  minLength: 1,
  maxLength: alertLimits.nameCharactersMax,
  description: 'More than spaces',
})
const judged = {
  question: Type.Optional(AlertQuestion),
  reportId: Type.Optional(
    Type.String({ maxLength: 64, description: 'A saved report of kind query, in place of question' }),
  ),
  reportMetric: Type.Optional(
    Type.String({ maxLength: 40, description: 'Which metric of the report; the first unless said' }),
  ),
  interval: OneOf(alertIntervals, { description: 'In the time zone of the site' }),
  condition: Condition,
}
const channels = {
  recipients: Type.Array(Type.String({ minLength: 3, maxLength: emailLengthMax }), {
    maxItems: alertLimits.recipientsMax,
    description: 'Email addresses',
  }),
  slackUrl: Type.Union(
    [
      Type.String({
        maxLength: alertLimits.slackUrlCharactersMax,
        pattern: '^https?://[^\\s\\u0000]+$',
      }),
      Type.Null(),
    ],
    { description: 'An incoming webhook of Slack, or of anything that takes the same. Stored encrypted' },
  ),
  notice: Type.Boolean({ description: 'Send alert.opened and alert.closed to destinations' }),
  isPaused: Type.Boolean(),
}

/** A metric that is judged in every interval, and who hears of it. */
export const Alert = Type.Object({
  id: Type.String(),
  siteId: Type.String(),
  name: Type.String(),
  question: Type.Union([AlertQuestion, Type.Null()], { description: 'Null where it is that of a report' }),
  reportId: nullable(Type.String()),
  reportMetric: nullable(Type.String()),
  interval: OneOf(alertIntervals),
  condition: Condition,
  recipients: Type.Array(Type.String()),
  slackUrl: Type.Union([Type.String(), Type.Null()], {
    description: 'Only the host and the last characters',
  }),
  notice: Type.Boolean(),
  isPaused: Type.Boolean(),
  state: OneOf(alertStates, {
    description: 'unknown: not judged yet, no value, or too little history to compare with',
  }),
  openedAt: Type.Union([Time, Type.Null()], { description: 'Since when it fires' }),
  lastValue: figure,
  lastIntervalStart: Type.Union([Time, Type.Null()], { description: 'Of the interval that was judged last' }),
  lastCheckedAt: Type.Union([Time, Type.Null()]),
  lastError: Type.Union([Type.String(), Type.Null()], {
    description: 'Why the last check gave no value; it is tried again',
  }),
  nextCheckAt: Type.Union([Time, Type.Null()], { description: 'Null while it is paused' }),
  owner: Type.String({ description: 'The member or the key that made it' }),
  createdAt: Time,
  updatedAt: Time,
})
export type Alert = Static<typeof Alert>

/** One interval as it is judged. */
const AlertPoint = Type.Object({
  start: Time,
  value: figure,
  low: { ...figure, description: 'Below this it opens; null: not bounded below, or nothing to compare with' },
  high: { ...figure, description: 'Above this it opens' },
  state: OneOf(alertStates),
})
export type AlertPoint = Static<typeof AlertPoint>

export const AlertPreview = Type.Object({
  siteId: Type.String(),
  interval: OneOf(alertIntervals),
  timezone: Type.String(),
  unit: OneOf(['count', 'number', 'share', 'ms', 'money']),
  currency: nullable(Type.String()),
  firings: Type.Integer({ description: 'How often it would have opened' }),
  points: Type.Array(AlertPoint, { description: 'Complete intervals, the oldest first' }),
})
export type AlertPreview = Static<typeof AlertPreview>

export const messageChannels = ['mail', 'slack'] as const
export const messageStatuses = ['pending', 'sent', 'failed'] as const
export const messageTypes = ['opened', 'closed'] as const

const AlertMessage = Type.Object({
  type: OneOf(messageTypes),
  channel: OneOf(messageChannels),
  recipient: Type.String({ description: 'Empty for Slack' }),
  status: OneOf(messageStatuses, { description: 'failed: given up' }),
  attempts: Type.Integer(),
  error: Type.Union([Type.String(), Type.Null()], { description: 'Why the last attempt failed' }),
  sentAt: Type.Union([Time, Type.Null()]),
})

export const closingReasons = ['recovered', 'changed'] as const

/** From the interval with which an alert opened to the one with which it closed. */
export const Firing = Type.Object({
  id: Type.String(),
  openedAt: Time,
  closedAt: Type.Union([Time, Type.Null()]),
  closedBy: Type.Union([OneOf(closingReasons), Type.Null()], {
    description: 'changed: the alert was changed or paused while it fired',
  }),
  intervalStart: { ...Time, description: 'Of the interval that opened it' },
  value: Type.Number(),
  low: figure,
  high: figure,
  closedValue: figure,
  messages: Type.Array(AlertMessage, {
    description: `Messages of the last ${alertLimits.messageDays} days`,
  }),
})
export type Firing = Static<typeof Firing>

const problems = ['unauthenticated', 'insufficient-scope', 'not-found'] as const
const base = { plane: 'control', tag: 'Alerts' } as const
const reads = { ...base, access: 'read', scope: 'analytics:read', rate: 'apiRead' } as const
const writes = { ...base, access: 'write', scope: 'analytics:write', rate: 'apiWrite' } as const
const byId = Type.Object({ id: Type.String({ maxLength: 64 }) })
const oneOfTwo = 'Either `question` or `reportId`. '

export const listAlerts = route({
  ...reads,
  id: 'listAlerts',
  method: 'GET',
  path: '/api/v1/alerts',
  summary: 'List alerts and their states',
  query: Type.Object({ ...paging, siteId: Type.Optional(siteId) }, exact),
  success: { status: 200, body: Page(Alert) },
  problems,
})

export const createAlert = route({
  ...writes,
  id: 'createAlert',
  method: 'POST',
  path: '/api/v1/alerts',
  summary: 'Watch a metric',
  description: `${oneOfTwo}The interval that ended last is judged within a minute.`,
  body: Type.Object({ siteId, name, ...judged, ...Type.Partial(Type.Object(channels)).properties }, exact),
  success: { status: 201, body: Alert },
  audit: { action: 'alert.created', details: ['siteId', 'interval'] },
  problems: [...problems, 'conflict'],
})

export const getAlert = route({
  ...reads,
  id: 'getAlert',
  method: 'GET',
  path: '/api/v1/alerts/:id',
  summary: 'Get an alert and its state',
  params: byId,
  success: { status: 200, body: Alert },
  problems,
})

export const updateAlert = route({
  ...writes,
  id: 'updateAlert',
  method: 'PATCH',
  path: '/api/v1/alerts/:id',
  summary: 'Change or pause an alert',
  description:
    'A change of what is judged, and a pause, end a firing without a message; destinations get alert.closed. ' +
    '`question` takes the place of `reportId`, and the other way round.',
  params: byId,
  body: Type.Partial(Type.Object({ name, ...judged, ...channels }), { ...exact, minProperties: 1 }),
  success: { status: 200, body: Alert },
  audit: { action: 'alert.updated', details: ['siteId', 'interval', 'isPaused'] },
  problems,
})

export const deleteAlert = route({
  ...writes,
  id: 'deleteAlert',
  method: 'DELETE',
  path: '/api/v1/alerts/:id',
  summary: 'Delete an alert with its firings',
  params: byId,
  success: { status: 204, body: null },
  audit: { action: 'alert.deleted' },
  problems,
})

const previewSays =
  'On the last 13 days for hours, 90 days for days, 26 weeks for weeks: each interval with its value, the limits and ' +
  'the state, judged as the alert itself would have.'

export const previewAlert = route({
  ...reads,
  id: 'previewAlert',
  fresh: 'camel',
  method: 'POST',
  path: '/api/v1/alerts/preview',
  summary: 'How often an alert would have fired',
  description: `${oneOfTwo}${previewSays}`,
  body: Type.Object({ siteId, ...judged }, exact),
  success: { status: 200, body: AlertPreview },
  problems,
})

export const getAlertPreview = route({
  ...reads,
  id: 'getAlertPreview',
  fresh: 'camel',
  method: 'GET',
  path: '/api/v1/alerts/:id/preview',
  summary: 'How often a saved alert would have fired',
  description: previewSays,
  params: byId,
  success: { status: 200, body: AlertPreview },
  problems,
})

export const listFirings = route({
  ...reads,
  id: 'listFirings',
  method: 'GET',
  path: '/api/v1/alerts/:id/firings',
  summary: 'List when an alert fired, the last first',
  description: `With the messages that were sent. The last ${alertLimits.firingsMax} are stored.`,
  params: byId,
  query: Type.Object(paging, exact),
  success: { status: 200, body: Page(Firing) },
  problems,
})

export const alertRoutes = [
  listAlerts,
  createAlert,
  getAlert,
  updateAlert,
  deleteAlert,
  previewAlert,
  getAlertPreview,
  listFirings,
] as const
