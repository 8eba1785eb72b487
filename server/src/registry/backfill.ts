import { type Backfill, Problem, toSnakeCase } from '@assay/contract'
import { Temporal } from 'temporal-polyfill'
import type { Clock, NewId } from '../clock.ts'
import type { Control } from '../store/control.ts'
import type { Events } from '../store/events.ts'
import {
  type BackfillRow,
  insertBackfill,
  markWithdrawn,
  selectBackfill,
  selectBackfills,
  selectCounts,
  selectRunningBackfills,
  selectSentNames,
  selectStanding,
  toOverlay,
  updateBackfill,
} from './backfill-store.ts'
import type { MappingRow } from './mapping-store.ts'
import { invalid } from './mappings.ts'
import type { Overlays } from './overlays.ts'
import { lockRegistry } from './store.ts'

/** Each makes every read's query longer, by about a kilobyte. */
export const standingMax = 20
/** Spellings of one name; more are noise, and each is sent with every read. */
const spellingsMax = 50
/** A slice is counted in well under a second on a site with a million events a month. */
const sliceMs = 31 * 86_400_000
const rangeMsMax = 3_700 * 86_400_000
/** Later times are not stored. */
const timeMsMax = Date.UTC(2105, 0, 1)
/** How long the answer waits for the counting: nearly every back-fill is done by then. */
const answerMsMax = 2_000

export type Backfills = {
  start: (workspaceId: string, rule: MappingRow, range: Range, isDryRun: boolean) => Promise<BackfillRow>
  withdraw: (workspaceId: string, id: string) => Promise<BackfillRow>
  /** Goes on with what a stop has cut short. */
  resume: () => Promise<void>
  /** Stops counting at the next slice; the rest is for the next start. */
  close: () => Promise<void>
}

export type Range = { fromMs: number; toMs: number }

export type BackfillOptions = {
  control: Control
  events: Events
  overlays: Overlays
  /** Loads what was acknowledged before, so that it is counted. */
  settle: () => Promise<unknown>
  now: Clock
  newId: NewId
}

export function createBackfills(options: BackfillOptions): Backfills {
  const { control, overlays, now, newId } = options
  const underWay = new Set<Promise<void>>()
  const stopping = { is: false }

  function launch(row: BackfillRow): Promise<void> {
    const job = count(options, row, stopping).finally(() => underWay.delete(job))
    underWay.add(job)
    return job
  }

  return {
    async start(workspaceId, rule, range, isDryRun) {
      const row = newRow(newId('job'), workspaceId, rule, range, isDryRun, now())
      await control.transaction(async (sql) => {
        await lockRegistry(sql, workspaceId)
        if (!isDryRun) refuseOverlap(row, await selectStanding(sql, workspaceId))
        await insertBackfill(sql, row)
      })
      await withinMs(launch(row), answerMsMax)
      return requireBackfill(control, workspaceId, row.id)
    },
    async withdraw(workspaceId, id) {
      await requireBackfill(control, workspaceId, id)
      await markWithdrawn(control, id)
      await overlays.changed(workspaceId)
      return requireBackfill(control, workspaceId, id)
    },
    async resume() {
      for (const row of await selectRunningBackfills(control)) void launch(row)
    },
    async close() {
      stopping.is = true
      await Promise.all(underWay)
    },
  }
}

async function withinMs(job: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([job, limit])
  clearTimeout(timer)
}

/** Counts slice by slice, and then puts the overlay in force. What cannot be counted is failed and changes nothing. */
async function count(options: BackfillOptions, row: BackfillRow, stopping: { is: boolean }): Promise<void> {
  const { control, overlays } = options
  try {
    const counted = await countSlices(options, row, stopping)
    if (counted === null) return
    await updateBackfill(control, { ...counted, status: row.is_dry_run ? 'counted' : 'active', progress: 1 })
    await overlays.changed(row.workspace_id)
  } catch {
    if (stopping.is) return
    await updateBackfill(control, { ...row, status: 'failed' }).catch(() => {})
  }
}

async function countSlices(
  { control, events, settle }: BackfillOptions,
  row: BackfillRow,
  stopping: { is: boolean },
): Promise<BackfillRow | null> {
  await settle()
  const [fromMs, toMs] = [row.from_at.getTime(), row.to_at.getTime()]
  const range = { workspaceId: row.workspace_id, siteId: row.site_id, fromMs, toMs }
  let counted: BackfillRow = { ...row, events: 0, incomplete: 0, has_orders: false }
  counted.sent_names = spellings(row.source, await selectSentNames(events, range))
  for (let at = fromMs; at < toMs; at += sliceMs) {
    if (stopping.is) return null
    const end = Math.min(at + sliceMs, toMs)
    const found = await selectCounts(events, row.workspace_id, toOverlay(counted), at, end)
    counted = {
      ...counted,
      events: counted.events + found.events,
      incomplete: counted.incomplete + found.incomplete,
      has_orders: counted.has_orders || found.orders > 0,
      progress: (end - fromMs) / (toMs - fromMs),
    }
    await updateBackfill(control, counted)
  }
  return counted
}

/** Every way in which the source was written. */
function spellings(source: string, sentNames: readonly string[]): string[] {
  const key = toSnakeCase(source)
  const found = sentNames.filter((name) => toSnakeCase(name) === key)
  return [...new Set([key, source, ...found.toSorted()])].slice(0, spellingsMax)
}

function newRow(
  id: string,
  workspaceId: string,
  rule: MappingRow,
  { fromMs, toMs }: Range,
  isDryRun: boolean,
  nowMs: number,
): BackfillRow {
  return {
    id,
    workspace_id: workspaceId,
    site_id: rule.site_id,
    mapping_id: rule.id,
    source: rule.source,
    source_key: rule.source_key,
    target: rule.target,
    property_map: rule.property_map,
    from_at: new Date(fromMs),
    to_at: new Date(toMs),
    status: 'running',
    progress: 0,
    events: 0,
    incomplete: 0,
    has_orders: false,
    sent_names: [],
    is_dry_run: isDryRun,
    created_at: new Date(nowMs),
  }
}

/** Two overlays on one event would make the answer depend on their order. */
function refuseOverlap(row: BackfillRow, standing: readonly BackfillRow[]): void {
  const other = standing.find(
    (one) =>
      one.site_id === row.site_id &&
      one.source_key === row.source_key &&
      one.from_at < row.to_at &&
      one.to_at > row.from_at,
  )
  if (other !== undefined) {
    throw new Problem('conflict', {
      detail: `Back-fill ${other.id} covers ${row.source_key} in part of this time. Withdraw it first.`,
      members: { backfillId: other.id },
    })
  }
  if (standing.length < standingMax) return
  throw new Problem('conflict', {
    detail: `A workspace has at most ${standingMax} back-fills in force. Withdraw one that is no longer needed.`,
  })
}

export async function requireBackfill(
  control: Control,
  workspaceId: string,
  id: string,
): Promise<BackfillRow> {
  // Postgres refuses a text with this character rather than not finding it.
  const row = id.includes('\0') ? null : await selectBackfill(control, workspaceId, id)
  if (row === null) throw new Problem('not-found', { detail: 'There is no such back-fill.' })
  return row
}

export async function listSiteBackfills(
  control: Control,
  workspaceId: string,
  siteId: string,
  cursor: string | undefined,
  limit: number,
): Promise<{ data: Backfill[]; nextCursor: string | null }> {
  const rows = await selectBackfills(control, workspaceId, siteId, cursor ?? null, limit + 1)
  const data = rows.slice(0, limit).map(toBackfill)
  return { data, nextCursor: rows.length > limit ? (data.at(-1)?.id ?? null) : null }
}

export function toBackfill(row: BackfillRow): Backfill {
  return {
    id: row.id,
    mappingId: row.mapping_id,
    siteId: row.site_id,
    source: row.source,
    target: row.target,
    propertyMap: row.property_map,
    from: row.from_at.toISOString(),
    to: row.to_at.toISOString(),
    status: row.status,
    progress: row.progress,
    events: row.events,
    incomplete: row.incomplete,
    dryRun: row.is_dry_run,
    createdAt: row.created_at.toISOString(),
  }
}

/** A plain date is a day of the site's zone; as `to` it means the end of that day. */
export function readRange(from: string, to: string, timezone: string): Range {
  const fromMs = readTime('from', from, timezone, 0)
  const toMs = readTime('to', to, timezone, 1)
  if (fromMs >= toMs) throw invalid([{ field: 'from', message: 'must be before to' }])
  if (fromMs < 0 || toMs > timeMsMax) {
    throw invalid([{ field: 'from', message: 'and to must lie between 1970 and 2105' }])
  }
  if (toMs - fromMs > rangeMsMax) throw invalid([{ field: 'from', message: 'may lie ten years before to' }])
  return { fromMs, toMs }
}

function readTime(field: string, text: string, timezone: string, dateAddsDays: number): number {
  try {
    if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return Temporal.Instant.from(text).epochMilliseconds
    const date = Temporal.PlainDate.from(text).add({ days: dateAddsDays })
    return date.toZonedDateTime({ timeZone: timezone }).epochMilliseconds
  } catch {
    throw invalid([{ field, message: 'must be an RFC 3339 time or a date such as 2026-11-15' }])
  }
}
