import { type DriftAlert, type DriftStatus, type listDrift, type Made, Problem } from '@assay/contract'
import { type FunnelPages, funnelPages } from '../analytics/funnels/pages.ts'
import { type Period, toPeriod } from '../analytics/period.ts'
import type { ReadingDeps } from '../analytics/report-query.ts'
import { filterOf } from '../analytics/report-query.ts'
import type { FreshRead } from '../http/fresh-read.ts'
import { forEachItem, type ItemFailure } from '../platform/items.ts'
import type { SendNotice } from '../platform/notices.ts'
import { dayMs } from '../platform/units.ts'
import { changeMatch } from '../registry/catalog/definitions.ts'
import type { Elements } from '../registry/catalog/elements.ts'
import type { SiteRow } from '../sites/sites.ts'
import { locks } from '../store/locks.ts'
import { selectClicks, selectViews } from './click-store.ts'
import {
  type AlertRow,
  type Check,
  lockAlert,
  selectAlert,
  selectAlerts,
  selectAliases,
  selectCheck,
  selectDueSites,
  upsertAlert,
  upsertAlias,
  upsertCheck,
  upsertTriedAt,
} from './store.ts'
import { type Finding, findDrift, isBack, type Seen, watchedDays } from './watch.ts'

export type DriftNeeds = ReadingDeps & { elements: Elements; sendNotice: SendNotice }

/** Alerts take a day of silence anyway. */
const checkMs = 3_600_000
/** Who looks wants to see what is, not what was an hour ago. */
const freshMs = 5 * 60_000
/** Sites that one turn of the schedule looks at. */
const sitesPerTurn = 20

export async function readDrift(
  deps: DriftNeeds,
  site: SiteRow,
  { status, period }: { status: DriftStatus | undefined; period: Period | null },
  read: Pick<FreshRead, 'isAwaited' | 'reachesUntil'>,
): Promise<Made<typeof listDrift>> {
  const known = await selectCheck(deps.control, site.workspace_id, site.id)
  const isFresh = known !== null && deps.now() - known.checkedAt.getTime() < freshMs && !read.isAwaited
  const { checkedAt, dataUntil } = isFresh ? known : await checkSite(deps, site)
  read.reachesUntil((dataUntil ?? checkedAt).getTime())
  const rows = await selectAlerts(deps.control, site.workspace_id, site.id)
  const funnels = await funnelPages(deps.control, site.workspace_id, site.id)
  return {
    siteId: site.id,
    checkedAt: checkedAt.toISOString(),
    period: period === null ? null : toPeriod(period),
    alerts: rows
      .filter((row) => (status === undefined || row.status === status) && stoodOpen(row, period))
      .map((row) => toAlert(row, funnels)),
  }
}

/** Opened before the end of the period, and not closed before it began. */
function stoodOpen({ opened_at, closed_at }: AlertRow, period: Period | null): boolean {
  if (period === null) return true
  const isClosed = closed_at !== null && closed_at.getTime() < period.fromMs
  return opened_at.getTime() < period.toMs && !isClosed
}

/**
 * One run of the schedule: sites that were not checked for an hour. Failing ones go to the end, so that they
 * never block the others.
 */
export async function checkDueSites(deps: DriftNeeds, onFailure: ItemFailure): Promise<void> {
  const { control, now, sites } = deps
  const due = await selectDueSites(control, new Date(now() - checkMs), sitesPerTurn)
  const check = async ({ workspace_id, site_id }: (typeof due)[number]) => {
    await upsertTriedAt(control, workspace_id, site_id, new Date(now()))
    const site = await sites.own(workspace_id, site_id)
    if (site !== null) await checkSite(deps, site)
  }
  await forEachItem(due, check, onFailure)
}

/** One node at a time, so that an alert is opened once. */
function checkSite(deps: DriftNeeds, site: SiteRow): Promise<Check> {
  const { control, events, elements: matches, now } = deps
  return control.exclusively(locks.lookAtElements, async () => {
    const at = new Date(now())
    const dataUntil = new Date(deps.freshness.of(site.workspace_id).dataUntilMs)
    const [aliases, filter] = await Promise.all([
      selectAliases(control, site.workspace_id, site.id),
      filterOf(deps, site.workspace_id, site, {}),
    ])
    const seen = await selectClicks(events, filter, at.getTime(), aliases)
    const views =
      seen.length === 0 ? new Map<string, number[]>() : await selectViews(events, filter, at.getTime())
    const known = await selectAlerts(control, site.workspace_id, site.id)
    const defined = await matches.of(site.workspace_id)
    const eventsOf = (selector: string) =>
      defined.filter(({ match }) => match.selector === selector).map(({ key }) => key)
    const changed = nextAlerts(known, findDrift(sinceKnown(seen, known, at), views), seen, at).map((row) => ({
      ...row,
      id: row.id === '' ? deps.newId('drf') : row.id,
      site_id: site.id,
      ...weightOf(row, eventsOf(row.selector)),
    }))
    for (const row of changed) await saveAlert(deps, site.workspace_id, row)
    const check = { checkedAt: at, dataUntil }
    await upsertCheck(control, site.workspace_id, site.id, check)
    return check
  })
}

/** The notice is sent in the transaction that opens the alert. */
async function saveAlert(
  { control, sendNotice }: DriftNeeds,
  workspaceId: string,
  row: AlertRow,
): Promise<void> {
  await control.transaction(async (sql) => {
    // Read again: on one node two may check a site concurrently.
    const before = await lockAlert(sql, workspaceId, row)
    const isOpening = row.status === 'open' && (before === null || before.status === 'resolved')
    const saved = { ...row, id: before?.id ?? row.id }
    await upsertAlert(sql, workspaceId, saved)
    if (!isOpening) return
    const subject = `${saved.id} ${saved.opened_at.toISOString()}`
    await sendNotice(workspaceId, { type: 'drift.opened', subject, data: noticeOf(saved) }, sql)
  })
}

function noticeOf(row: AlertRow) {
  const { id, site_id, page, selector, kind, severity, candidate, affected_events } = row
  const candidate_selector = candidate?.selector ?? null
  const opened_at = row.opened_at.toISOString()
  return { id, site_id, page, selector, kind, severity, candidate_selector, affected_events, opened_at }
}

/** A newly known element has no earlier clicks. */
function sinceKnown(seen: readonly Seen[], known: readonly AlertRow[], at: Date): Seen[] {
  const borders = new Map(known.map((row) => [keyOf(row), row.ignore_before]))
  return seen.map((element) => {
    const border = borders.get(keyOf(element))
    if (border === null || border === undefined) return element
    const days = Math.ceil((at.getTime() - border.getTime()) / dayMs)
    const clicks = element.clicks.map((count, day) => (day < watchedDays - days ? 0 : count))
    return { ...element, clicks, before: days <= 1 ? null : element.before }
  })
}

const keyOf = ({ page, selector }: { page: string; selector: string }) => `${page} ${selector}`

/** Alerts that are new or changed: opened, updated, or resolved because the element is back. */
function nextAlerts(
  known: readonly AlertRow[],
  findings: readonly Finding[],
  seen: readonly Seen[],
  at: Date,
): AlertRow[] {
  const byKey = new Map(known.map((row) => [keyOf(row), row]))
  const elements = new Map(seen.map((element) => [keyOf(element), element]))
  const found = findings.map((finding): AlertRow => {
    const row = byKey.get(keyOf(finding))
    const { page, selector, text, kind, expectedPerDay, observed, candidate, lastMs } = finding
    const goesOn = row !== undefined && row.status !== 'resolved'
    return {
      id: row?.id ?? '',
      site_id: '',
      page,
      selector,
      text,
      kind,
      severity: 'low',
      opened_at: goesOn ? row.opened_at : at,
      last_seen_at: new Date(lastMs),
      expected_per_day: expectedPerDay,
      observed,
      candidate,
      affected_events: [],
      status: goesOn ? row.status : 'open',
      closed_at: goesOn ? row.closed_at : null,
      ignore_before: row?.ignore_before ?? null,
    }
  })
  const isFound = new Set(findings.map(keyOf))
  const back = known.filter((row) => {
    const element = elements.get(keyOf(row))
    const isPending = row.status === 'open' || row.status === 'muted'
    const alert = { text: row.text, kind: row.kind, expectedPerDay: row.expected_per_day }
    return isPending && !isFound.has(keyOf(row)) && element !== undefined && isBack(element, alert)
  })
  return [...found, ...back.map((row): AlertRow => ({ ...row, status: 'resolved', closed_at: at }))]
}

/** Clicks a day from which on a lost element is no trifle. */
const busyPerDay = 50

function weightOf(row: AlertRow, events: string[]): Pick<AlertRow, 'severity' | 'affected_events'> {
  const isBroken = row.kind !== 'retexted'
  if (isBroken && events.length > 0) return { severity: 'high', affected_events: events }
  return {
    severity: isBroken && row.expected_per_day >= busyPerDay ? 'medium' : 'low',
    affected_events: events,
  }
}

export async function changeAlert(
  deps: DriftNeeds,
  workspaceId: string,
  id: string,
  status: DriftStatus,
): Promise<DriftAlert> {
  const row = id.includes('\0') ? null : await selectAlert(deps.control, workspaceId, id)
  if (row === null) throw new Problem('not-found', { detail: 'There is no such alert.' })
  if (status === 'accepted') await takeCandidate(deps, workspaceId, row)
  // From here on the element is what it is now, and what it was before is no longer expected.
  const isSettled = status === 'resolved' || (status === 'accepted' && row.kind === 'retexted')
  const at = new Date(deps.now())
  const isClosed = status === 'resolved' || status === 'accepted'
  const changed = {
    ...row,
    status,
    closed_at: isClosed ? (row.closed_at ?? at) : null,
    ...(isSettled && { ignore_before: at }),
  }
  await upsertAlert(deps.control, workspaceId, changed)
  const site = await deps.requireSite(workspaceId, row.site_id)
  return toAlert(changed, await funnelPages(deps.control, site.workspace_id, site.id))
}

async function takeCandidate(deps: DriftNeeds, workspaceId: string, row: AlertRow): Promise<void> {
  const { candidate, page, selector } = row
  if (candidate === null) {
    throw new Problem('conflict', {
      detail: 'There is no candidate to accept. Resolve or mute the alert instead.',
    })
  }
  if (row.kind === 'retexted') return
  await upsertAlias(deps.control, workspaceId, row.site_id, { page, alias: candidate.selector, selector })
  const defined = await deps.elements.of(workspaceId)
  for (const { key, site_id, match } of defined) {
    if (match.selector !== selector) continue
    const next = { ...match, selector: candidate.selector }
    await changeMatch(deps.control, workspaceId, key, next, site_id ?? undefined)
    await deps.elements.changed(workspaceId)
  }
}

function toAlert(row: AlertRow, funnels: readonly FunnelPages[]): DriftAlert {
  return {
    id: row.id,
    elementKey: keyOf(row),
    page: row.page,
    selector: row.selector,
    text: row.text,
    kind: row.kind,
    severity: row.severity,
    openedAt: row.opened_at.toISOString(),
    lastSeenAt: row.last_seen_at.toISOString(),
    expectedPerDay: Math.round(row.expected_per_day * 10) / 10,
    observed: row.observed,
    candidate: row.candidate,
    affectedEvents: row.affected_events,
    affectedFunnels: funnels.filter(({ pages }) => pages.has(row.page)).map(({ id }) => id),
    status: row.status,
  }
}
