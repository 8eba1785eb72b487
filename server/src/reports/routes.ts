import {
  createReport,
  deleteReport,
  getReport,
  getReportResult,
  listReports,
  updateReport,
} from '@assay/contract'
import { actorIdOf } from '../http/access/principal.ts'
import { type Plane, serve } from '../http/serve.ts'
import type { Clock, NewId } from '../platform/clock.ts'
import { pageDefault, pageOf } from '../platform/page.ts'
import type { RequireSite } from '../sites/sites.ts'
import type { Control } from '../store/control.ts'
import { addReport, changeReport, removeReport, requireReport, toReport } from './reports.ts'
import type { AnswerQuestion } from './results.ts'
import { selectReports } from './store.ts'

type Needs = {
  control: Control
  now: Clock
  newId: NewId
  requireSite: RequireSite
  answerQuestion: AnswerQuestion
}

export function reportRoutes(plane: Plane, deps: Needs): void {
  const { control, requireSite, answerQuestion } = deps

  serve(plane, listReports, async ({ query, caller: { workspaceId } }) => {
    const { siteId = null, kind = null, cursor = '', limit = pageDefault } = query
    if (siteId !== null) await requireSite(workspaceId, siteId)
    const rows = await selectReports(control, workspaceId, { siteId, kind }, cursor, limit + 1)
    const { page, next } = pageOf(rows, limit, ({ id }) => id)
    return { data: page.map(toReport), nextCursor: next }
  })

  serve(plane, createReport, async ({ body, caller }) => {
    await requireSite(caller.workspaceId, body.siteId)
    return addReport(deps, caller.workspaceId, { ...body, owner: actorIdOf(caller) })
  })

  serve(plane, getReport, async ({ params, caller }) =>
    toReport(await requireReport(control, caller.workspaceId, params.id)),
  )

  serve(plane, updateReport, ({ params, body, caller }) =>
    changeReport(deps, caller.workspaceId, params.id, body),
  )

  serve(plane, deleteReport, async ({ params, caller }) => {
    await removeReport(control, caller.workspaceId, params.id)
    return undefined
  })

  serve(plane, getReportResult, async ({ params, query, caller, read, request, reply }) => {
    const report = await requireReport(control, caller.workspaceId, params.id)
    const { site_id: siteId, kind, question, view } = report
    const wanted = { siteId, kind, question, view }
    return answerQuestion(caller.workspaceId, wanted, [query], { read, request, reply })
  })
}
