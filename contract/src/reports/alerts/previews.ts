import { type Static, Type } from 'typebox'
import { lookupProblems } from '../../problems.ts'
import { metricUnits } from '../../questions/question-terms.ts'
import { route } from '../../route.ts'
import { exact, Nullable, OneOf, Time } from '../../shapes.ts'
import { byId, reads, siteId } from './access.ts'
import { judged, oneOfTwo } from './alert-question.ts'
import { alertIntervals, alertStates, figure } from './alert-terms.ts'

/** One interval as it is judged. */
const AlertPoint = Type.Object({
  start: Time,
  value: figure,
  low: { ...figure, description: 'Below this it opens; null: not bounded below, or nothing to compare with' },
  high: { ...figure, description: 'Above this it opens' },
  state: OneOf(alertStates),
})

export const AlertPreview = Type.Object({
  siteId: Type.String(),
  interval: OneOf(alertIntervals),
  timezone: Type.String(),
  unit: OneOf(metricUnits),
  currency: Nullable(Type.String()),
  firings: Type.Integer({ description: 'How often it would have opened' }),
  points: Type.Array(AlertPoint, { description: 'Complete intervals, the oldest first' }),
})
export type AlertPreview = Static<typeof AlertPreview>

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
  problems: lookupProblems,
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
  problems: lookupProblems,
})
