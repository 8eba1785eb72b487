import type { Anomaly } from '@assay/contract'
import { forEachItem, type ItemFailure } from '../../platform/items.ts'
import { dayMs, hourMs } from '../../platform/units.ts'
import { type HealthContext, scopeOf } from '../scope.ts'
import { selectActive } from '../stores/coverage-store.ts'
import { selectBeginnings, selectHours, selectSurfaceHours } from '../stores/hour-store.ts'
import { selectIssues } from '../stores/issue-store.ts'
import type { HealthScope } from '../stores/measures.ts'
import { selectLatency, selectTrends, type TrendRow } from '../stores/trend-store.ts'
import { toAnomaly } from './anomalies.ts'
import {
  type AnomalyRow,
  closeAnomaly,
  countAlerts,
  insertAnomaly,
  selectMutedUntil,
  selectOpen,
  selectTroubled,
  takeHour,
  updateAnomaly,
} from './anomaly-store.ts'
import {
  type Finding,
  latencyFindings,
  schemaFindings,
  seriesOf,
  surfaceFindings,
  volumeFindings,
} from './findings.ts'
import { choicesMost, planSample, propertyFindings } from './property-findings.ts'
import { selectProfiles } from './property-store.ts'
import { readSettings } from './settings.ts'

export type Watch = {
  /** Looks at the hour that ended last in every workspace where something came or is open. */
  look: (onFailure: ItemFailure) => Promise<void>
  /** The same in one workspace; false when it was checked already. */
  lookAt: (workspaceId: string) => Promise<boolean>
}

/** An hour is looked at when this much of the next is over: events come late. */
const settleMs = 10 * 60_000
/** Four weeks to compare with, one to learn its width. */
const volumeDays = 35
const schemaDays = 15
const latencyDays = 8
/** Events that are watched in one workspace: those that come most. */
const seriesMax = 500

export function createWatch(context: HealthContext): Watch {
  async function lookAt(workspaceId: string): Promise<boolean> {
    const toMs = Math.floor((context.now() - settleMs) / hourMs) * hourMs
    if (!(await takeHour(context.control, workspaceId, new Date(toMs)))) return false
    const scope = await scopeOf(context, workspaceId, undefined)
    const findings = scope.siteIds.length === 0 ? [] : await findAll(context, scope, toMs)
    await settle(context, scope, findings, toMs)
    return true
  }
  return {
    lookAt,
    async look(onFailure) {
      const active = await selectActive(context.events, context.now() - dayMs)
      const looked = new Set([...active, ...(await selectTroubled(context.control))])
      await forEachItem(looked, lookAt, onFailure)
    },
  }
}

/** Seven statements over a fixed time: what that costs does not grow with history. */
async function findAll(context: HealthContext, scope: HealthScope, toMs: number): Promise<Finding[]> {
  const settings = await readSettings(context, scope.workspaceId)
  const span = (days: number) => ({ fromMs: toMs - days * dayMs, toMs })
  const hours = await selectHours(context.events, scope, span(volumeDays), { name: null, names: seriesMax })
  const beginnings = await selectBeginnings(context.events, scope, span(volumeDays))
  const surfaces = await selectSurfaceHours(context.events, scope, span(volumeDays))
  const issues = await selectIssues(context.events, scope, span(schemaDays), toMs - dayMs)
  const latency = await selectLatency(context.events, scope, span(latencyDays))
  const profiles = await selectProfiles(context.events, scope, planSample(hours, toMs), choicesMost)
  return [
    ...volumeFindings(seriesOf(hours, toMs, beginnings), settings),
    ...surfaceFindings(seriesOf(surfaces, toMs, beginnings), settings),
    ...schemaFindings(issues, toMs - dayMs),
    ...propertyFindings(profiles, toMs - dayMs),
    ...latencyFindings(latency, span(latencyDays)),
  ]
}

const identityOf = ({ type, siteId, name, issue }: Pick<Finding, 'type' | 'siteId' | 'name' | 'issue'>) =>
  [type, siteId, name, issue].join('\u0001')
const identityOfRow = (row: AnomalyRow) =>
  identityOf({ type: row.type, siteId: row.site_id, name: row.event_name, issue: row.issue })

/** Opens what is new, updates what continues, and closes what is over. */
async function settle(
  context: HealthContext,
  scope: HealthScope,
  findings: readonly Finding[],
  toMs: number,
): Promise<void> {
  const at = new Date(context.now())
  const open = new Map(
    (await selectOpen(context.control, scope.workspaceId)).map((row) => [identityOfRow(row), row]),
  )
  for (const finding of findings) {
    const row = open.get(identityOf(finding))
    open.delete(identityOf(finding))
    if (row === undefined) await openNew(context, scope, finding, at)
    else
      await updateAnomaly(context.control, row.id, {
        ...finding,
        severity: severityOf(finding),
        updated_at: at,
      })
  }
  for (const row of open.values()) await closeOver(context, scope.workspaceId, row.id, new Date(toMs), at)
}

/** Workspaces that got a notice of an anomaly get one of its end, in the transaction that closes it. */
async function closeOver(
  { control, sendNotice }: HealthContext,
  workspaceId: string,
  id: string,
  endedAt: Date,
  at: Date,
): Promise<void> {
  await control.transaction(async (sql) => {
    const row = await closeAnomaly(sql, id, endedAt, at)
    if (row === null || !row.is_alert) return
    await sendNotice(workspaceId, { type: 'anomaly.closed', subject: id, data: toAnomaly(row) }, sql)
  })
}

const severityOf = ({ isCritical }: Finding): Anomaly['severity'] => (isCritical ? 'critical' : 'warning')

async function openNew(
  context: HealthContext,
  scope: HealthScope,
  finding: Finding,
  at: Date,
): Promise<void> {
  const { control, newId } = context
  const { workspaceId } = scope
  const cause = await suspect(context, scope, finding)
  const identity = { type: finding.type, site_id: finding.siteId, event_name: finding.name }
  const mutedUntil = await selectMutedUntil(control, workspaceId, identity)
  const isMuted = mutedUntil !== null && mutedUntil > at
  const { alerts_per_week: budget } = await readSettings(context, workspaceId)
  const used = await countAlerts(control, workspaceId, new Date(at.getTime() - 7 * dayMs))
  const row: AnomalyRow = {
    id: newId('anm'),
    ...identity,
    issue: finding.issue,
    started_at: new Date(finding.startMs),
    ended_at: null,
    observed: finding.observed,
    expected: finding.expected,
    score: finding.score,
    severity: severityOf(finding),
    cause,
    cause_group: groupOf(finding, cause),
    is_alert: !isMuted && used < budget,
    status: isMuted ? 'muted' : 'open',
    muted_until: isMuted ? mutedUntil : null,
    note: null,
    created_at: at,
    updated_at: at,
  }
  await control.transaction(async (sql) => {
    const isOurs = await insertAnomaly(sql, workspaceId, row)
    if (!isOurs || !row.is_alert) return
    const notice = { type: 'anomaly.opened', subject: row.id, data: toAnomaly(row) } as const
    await context.sendNotice(workspaceId, notice, sql)
  })
}

/** A part that gained or lost this much of the whole is suspected. */
const shareChangeLeast = 0.3

/** What sends now and did not before, or did and does not now, among what sends this event. */
async function suspect(
  { events }: HealthContext,
  { workspaceId }: HealthScope,
  { siteId, name, startMs }: Finding,
): Promise<Anomaly['suspected_cause']> {
  const nothing = { app_version: null, sdk: null, source: null, contract_version: null }
  if (name === '') return nothing
  const scope = { workspaceId, siteIds: [siteId] }
  const span = { fromMs: startMs - 7 * dayMs, toMs: startMs + dayMs }
  const rows = await selectTrends(events, scope, span, name, startMs)
  const of = (dimension: string) => mostChanged(rows.filter((row) => row.dimension === dimension))
  return {
    app_version: of('release'),
    sdk: of('sdk'),
    source: of('source'),
    contract_version: of('contract_version'),
  }
}

function mostChanged(rows: readonly Pick<TrendRow, 'value' | 'now' | 'earlier'>[]): string | null {
  const now = rows.reduce((sum, row) => sum + Number(row.now), 0)
  const earlier = rows.reduce((sum, row) => sum + Number(row.earlier), 0)
  if (earlier === 0 || now === 0) return null
  const changes = rows
    .filter(({ value }) => value.trim() !== '')
    .map((row) => ({ value: row.value, change: Number(row.now) / now - Number(row.earlier) / earlier }))
    .filter(({ change }) => Math.abs(change) >= shareChangeLeast)
    // What came new is suspected before what went.
    .sort((left, right) => right.change - left.change)
  return changes[0]?.value ?? null
}

/** One cause makes many events look strange; without one, what began in the same hour of a site belongs together. */
function groupOf({ siteId, startMs }: Finding, cause: Anomaly['suspected_cause']): string {
  const named = Object.values(cause).filter((value) => value !== null)
  const hour = new Date(Math.floor(startMs / hourMs) * hourMs).toISOString().slice(0, 13)
  return [siteId, ...(named.length > 0 ? named : [hour])].join(' ')
}
