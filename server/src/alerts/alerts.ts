import {
  type Alert,
  alertLimits,
  type createAlert,
  type Input,
  invalidParameter,
  Problem,
  type updateAlert,
} from '@assay/contract'
import { type Clock, isId, type NewId } from '../platform/clock.ts'
import type { SendNotice } from '../platform/notices.ts'
import { readName } from '../platform/text/name.ts'
import type { Control } from '../store/control.ts'
import { closeFiringWith } from './firings.ts'
import { readRecipients, readSlackUrl, type SlackSeal } from './messages/channels.ts'
import { type AlertSource, questionOf, requireSoundQuestion } from './questions.ts'
import {
  type AlertRow,
  deleteAlertRow,
  insertAlert,
  resetAlert,
  selectAlert,
  updateAlertSettings,
} from './store.ts'

export type AlertWorld = {
  control: Control
  now: Clock
  newId: NewId
  slack: SlackSeal
  sendNotice: SendNotice
}
type AlertBody = Input<typeof createAlert>['body']
type Change = Input<typeof updateAlert>['body']

export async function addAlert(
  world: AlertWorld,
  workspaceId: string,
  wanted: AlertBody & { owner: string },
): Promise<AlertRow> {
  const { control, now, newId, slack } = world
  const id = newId('alr')
  const at = new Date(now())
  const row: AlertRow = {
    workspace_id: workspaceId,
    id,
    site_id: wanted.siteId,
    name: readName(wanted.name),
    ...readAsked(wanted),
    interval: wanted.interval,
    condition: wanted.condition,
    recipients: readRecipients(wanted.recipients ?? []),
    slack_url: slack.seal(id, readSlackUrl(wanted.slackUrl ?? null)),
    has_notice: wanted.notice ?? false,
    is_paused: wanted.isPaused ?? false,
    state: 'unknown',
    last_value: null,
    last_start: null,
    last_checked_at: null,
    last_error: null,
    failures: 0,
    next_at: at,
    owner: wanted.owner,
    created_at: at,
    updated_at: at,
  }
  await requireAnswerable(control, row)
  const { alertsMax } = alertLimits
  if (await control.transaction((sql) => insertAlert(sql, row, alertsMax))) return row
  throw new Problem('conflict', { detail: `A site has ${alertsMax} alerts at most. Delete one first.` })
}

export async function changeAlert(
  world: AlertWorld,
  workspaceId: string,
  id: string,
  change: Change,
): Promise<AlertRow> {
  const { control, now, sendNotice } = world
  const at = new Date(now())
  const before = await requireAlert(control, workspaceId, id)
  const asked =
    change.question !== undefined || change.reportId !== undefined || change.reportMetric !== undefined
  if (asked) await requireAnswerable(control, changed(world, before, change, at))
  return control.transaction(async (sql) => {
    const row = await selectAlert(sql, before, 'FOR UPDATE')
    if (row === null) throw noAlert()
    const next = changed(world, row, change, at)
    await updateAlertSettings(sql, next)
    if (!isJudgedAnew(row, next)) return next
    await resetAlert(sql, row, at)
    await closeFiringWith({ sendNotice }, sql, next, { at, by: 'changed', value: null })
    return (await selectAlert(sql, row)) ?? next
  })
}

/** What another question, interval or condition says is not comparable; nor what was before a pause. */
function isJudgedAnew(before: AlertRow, after: AlertRow): boolean {
  const judged = ({ question, report_id, report_metric, interval, condition, is_paused }: AlertRow) =>
    JSON.stringify([question, report_id, report_metric, interval, condition, is_paused])
  return judged(before) !== judged(after)
}

function changed({ slack }: AlertWorld, row: AlertRow, change: Change, at: Date): AlertRow {
  const { name, interval, condition, recipients, slackUrl, notice, isPaused } = change
  return {
    ...row,
    ...askedAfter(row, change),
    ...(name !== undefined && { name: readName(name) }),
    ...(interval !== undefined && { interval }),
    ...(condition !== undefined && { condition }),
    ...(recipients !== undefined && { recipients: readRecipients(recipients) }),
    ...(slackUrl !== undefined && { slack_url: slack.seal(row.id, readSlackUrl(slackUrl)) }),
    ...(notice !== undefined && { has_notice: notice }),
    ...(isPaused !== undefined && { is_paused: isPaused }),
    updated_at: at,
  }
}

/** Another metric of the report that it has, or another question or report altogether. */
function askedAfter(row: AlertRow, change: Change): AlertSource {
  const { question, reportId, reportMetric } = change
  if (question === undefined && reportId === undefined && reportMetric !== undefined) {
    if (row.report_id === null) throw invalidParameter('reportMetric', 'is for alerts of a report')
    return { question: null, report_id: row.report_id, report_metric: reportMetric }
  }
  if (question !== undefined || reportId !== undefined) return readAsked(change)
  const { report_id, report_metric } = row
  return { question: row.question, report_id, report_metric }
}

/** A question or a report, and not both. */
export function readAsked({
  question,
  reportId,
  reportMetric,
}: Pick<Change, 'question' | 'reportId' | 'reportMetric'>): AlertSource {
  if (question !== undefined && reportId !== undefined) {
    throw invalidParameter('reportId', 'cannot be combined with question')
  }
  if (question === undefined && reportId === undefined) {
    throw invalidParameter('question', 'is missing: say what to watch, or name a report in reportId')
  }
  if (question !== undefined && reportMetric !== undefined) {
    throw invalidParameter('reportMetric', 'is for alerts of a report')
  }
  if (question !== undefined) requireSoundQuestion(question)
  return { question: question ?? null, report_id: reportId ?? null, report_metric: reportMetric ?? null }
}

/** Refuses a report that is not there, and a metric that it does not have. */
async function requireAnswerable(control: Control, row: AlertRow): Promise<void> {
  await questionOf(control, row.workspace_id, row.site_id, row)
}

export async function removeAlert(
  { control, now, sendNotice }: Pick<AlertWorld, 'control' | 'now' | 'sendNotice'>,
  workspaceId: string,
  id: string,
): Promise<void> {
  const row = await requireAlert(control, workspaceId, id)
  await control.transaction(async (sql) => {
    await closeFiringWith({ sendNotice }, sql, row, { at: new Date(now()), by: 'changed', value: null })
    if (!(await deleteAlertRow(sql, workspaceId, id))) throw noAlert()
  })
}

export async function requireAlert(control: Control, workspaceId: string, id: string): Promise<AlertRow> {
  const row = isId('alr', id) ? await selectAlert(control, { workspace_id: workspaceId, id }) : null
  if (row === null) throw noAlert()
  return row
}

function noAlert(): Problem {
  return new Problem('not-found', { detail: 'There is no such alert.' })
}

export function toAlert(row: AlertRow, openedAt: Date | undefined, slack: SlackSeal): Alert {
  return {
    id: row.id,
    siteId: row.site_id,
    name: row.name,
    question: row.question,
    reportId: row.report_id,
    reportMetric: row.report_metric,
    interval: row.interval,
    condition: row.condition,
    recipients: row.recipients,
    slackUrl: slack.masked(row.id, row.slack_url),
    notice: row.has_notice,
    isPaused: row.is_paused,
    state: row.state,
    openedAt: openedAt?.toISOString() ?? null,
    lastValue: row.last_value,
    lastIntervalStart: row.last_start?.toISOString() ?? null,
    lastCheckedAt: row.last_checked_at?.toISOString() ?? null,
    lastError: row.last_error,
    nextCheckAt: row.is_paused ? null : row.next_at.toISOString(),
    owner: row.owner,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}
