import {
  createAlert,
  deleteAlert,
  getAlert,
  getAlertPreview,
  listAlerts,
  listFirings,
  previewAlert,
  updateAlert,
} from '@assay/contract'
import type { ReadingDeps } from '../analytics/report-query.ts'
import { actorIdOf } from '../http/access/principal.ts'
import { type Plane, serve } from '../http/serve.ts'
import { pageDefault, pageOf } from '../platform/page.ts'
import {
  type AlertWorld,
  addAlert,
  changeAlert,
  readAsked,
  removeAlert,
  requireAlert,
  toAlert,
} from './alerts.ts'
import { selectFirings, selectOpenings } from './firing-store.ts'
import { toFiring } from './firings.ts'
import { selectMessages } from './messages/message-store.ts'
import { questionOf } from './questions.ts'
import { previewOf } from './readings.ts'
import { type AlertRow, selectAlerts } from './store.ts'

type Needs = ReadingDeps & AlertWorld

export function alertRoutes(plane: Plane, deps: Needs): void {
  const { control, requireSite, slack } = deps
  const show = async (workspaceId: string, rows: readonly AlertRow[]) => {
    const ids = rows.map(({ id }) => id)
    const openings = await selectOpenings(control, workspaceId, ids)
    return rows.map((row) => toAlert(row, openings.get(row.id), slack))
  }
  const showOne = async (row: AlertRow) => {
    const openings = await selectOpenings(control, row.workspace_id, [row.id])
    return toAlert(row, openings.get(row.id), slack)
  }

  serve(plane, listAlerts, async ({ query, caller: { workspaceId } }) => {
    const { siteId = null, cursor = '', limit = pageDefault } = query
    if (siteId !== null) await requireSite(workspaceId, siteId)
    const rows = await selectAlerts(control, workspaceId, siteId, cursor, limit + 1)
    const { page, next } = pageOf(rows, limit, ({ id }) => id)
    return { data: await show(workspaceId, page), nextCursor: next }
  })

  serve(plane, createAlert, async ({ body, caller }) => {
    await requireSite(caller.workspaceId, body.siteId)
    return showOne(await addAlert(deps, caller.workspaceId, { ...body, owner: actorIdOf(caller) }))
  })

  serve(plane, getAlert, async ({ params, caller }) =>
    showOne(await requireAlert(control, caller.workspaceId, params.id)),
  )

  serve(plane, updateAlert, async ({ params, body, caller }) =>
    showOne(await changeAlert(deps, caller.workspaceId, params.id, body)),
  )

  serve(plane, deleteAlert, async ({ params, caller }) => {
    await removeAlert(deps, caller.workspaceId, params.id)
    return undefined
  })

  serveHistory(plane, deps)
}

/** When an alert fired, and would have fired. */
function serveHistory(plane: Plane, deps: Needs): void {
  const { control, requireSite } = deps

  serve(plane, previewAlert, async ({ body, caller: { workspaceId } }) => {
    const site = await requireSite(workspaceId, body.siteId)
    const question = await questionOf(control, workspaceId, site.id, readAsked(body))
    return previewOf(deps, site, question, body)
  })

  serve(plane, getAlertPreview, async ({ params, caller: { workspaceId } }) => {
    const row = await requireAlert(control, workspaceId, params.id)
    const site = await requireSite(workspaceId, row.site_id)
    return previewOf(deps, site, await questionOf(control, workspaceId, site.id, row), row)
  })

  serve(plane, listFirings, async ({ params, query, caller: { workspaceId } }) => {
    const { cursor = null, limit = pageDefault } = query
    const alert = await requireAlert(control, workspaceId, params.id)
    const rows = await selectFirings(control, alert, cursor, limit + 1)
    const { page, next } = pageOf(rows, limit, ({ id }) => id)
    const ids = page.map(({ id }) => id)
    const messages = await selectMessages(control, workspaceId, ids)
    return { data: page.map((row) => toFiring(row, messages)), nextCursor: next }
  })
}
