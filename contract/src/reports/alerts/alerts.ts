import { Type } from 'typebox'
import { lookupProblems } from '../../problems.ts'
import { route } from '../../route.ts'
import { exact, Page, paging } from '../../shapes.ts'
import { byId, reads, siteId, writes } from './access.ts'
import { Alert, channels, name } from './alert.ts'
import { judged, oneOfTwo } from './alert-question.ts'
import { listFirings } from './firings.ts'
import { getAlertPreview, previewAlert } from './previews.ts'

export const listAlerts = route({
  ...reads,
  id: 'listAlerts',
  method: 'GET',
  path: '/api/v1/alerts',
  summary: 'List alerts and their states',
  query: Type.Object({ ...paging, siteId: Type.Optional(siteId) }, exact),
  success: { status: 200, body: Page(Alert) },
  problems: lookupProblems,
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
  problems: [...lookupProblems, 'conflict'],
})

export const getAlert = route({
  ...reads,
  id: 'getAlert',
  method: 'GET',
  path: '/api/v1/alerts/:id',
  summary: 'Get an alert and its state',
  params: byId,
  success: { status: 200, body: Alert },
  problems: lookupProblems,
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
  problems: lookupProblems,
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
  problems: lookupProblems,
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
