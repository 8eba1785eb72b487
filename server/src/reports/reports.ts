import {
  type createReport,
  type Input,
  Problem,
  type Report,
  reportLimits,
  type updateReport,
} from '@assay/contract'
import type { Clock, NewId } from '../platform/clock.ts'
import { readName } from '../platform/text/name.ts'
import type { Control } from '../store/control.ts'
import { savedLookup } from '../store/saved/saved-lookup.ts'
import { readQuestionOf, requireSoundView } from './questions.ts'
import { deleteReportRow, insertReport, type ReportRow, selectReport, updateReportRow } from './store.ts'

type ReportWorld = { control: Control; now: Clock; newId: NewId }

const savedReport = savedLookup<ReportRow>('rep', 'report', { one: selectReport, remove: deleteReportRow })
const noReport = savedReport.missing
export const { require: requireReport, remove: removeReport } = savedReport

export async function addReport(
  { control, now, newId }: ReportWorld,
  workspaceId: string,
  {
    siteId,
    kind,
    name,
    description = '',
    question,
    view = null,
    owner,
  }: Input<typeof createReport>['body'] & { owner: string },
): Promise<Report> {
  readQuestionOf(kind, question, now)
  requireSoundView(kind, view)
  const at = new Date(now())
  const row: ReportRow = {
    workspace_id: workspaceId,
    id: newId('rep'),
    site_id: siteId,
    kind,
    name: readName(name),
    description,
    question,
    view,
    owner,
    created_at: at,
    updated_at: at,
  }
  const { reportsMax } = reportLimits
  const isMade = await control.transaction((sql) => insertReport(sql, row, reportsMax))
  if (isMade) return toReport(row)
  throw new Problem('conflict', { detail: `A site has ${reportsMax} reports at most. Delete one first.` })
}

export async function changeReport(
  world: Pick<ReportWorld, 'control' | 'now'>,
  workspaceId: string,
  id: string,
  { name, description, question, view }: Input<typeof updateReport>['body'],
): Promise<Report> {
  const { control, now } = world
  const row = await requireReport(control, workspaceId, id)
  if (question !== undefined) readQuestionOf(row.kind, question, now)
  if (view !== undefined) requireSoundView(row.kind, view)
  const changed: ReportRow = {
    ...row,
    name: name === undefined ? row.name : readName(name),
    description: description ?? row.description,
    question: question ?? row.question,
    view: view === undefined ? row.view : view,
    updated_at: new Date(now()),
  }
  if (!(await updateReportRow(control, changed))) throw noReport()
  return toReport(changed)
}

export function toReport(row: ReportRow): Report {
  return {
    id: row.id,
    siteId: row.site_id,
    kind: row.kind,
    name: row.name,
    description: row.description,
    question: row.question,
    view: row.view,
    owner: row.owner,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}
