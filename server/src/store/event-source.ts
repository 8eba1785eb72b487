import type { QueryParams } from './events.ts'

/** What lies over the stored events of one site: rows of one generation that stand for stored ones. */
export type Overlay = {
  siteId: string
  generation: string
  /** All its rows lie in [fromMs, toMs). */
  fromMs: number
  toMs: number
  /** Some of its purchases count for their orders, so that stored ones of the same orders do not. */
  hasOrders: boolean
}

/** A site with events that stopped counting, since a secret sender brought the same; none of them before `fromMs`. */
export type SupersededSite = { siteId: string; fromMs: number }

/** Events of one site in [fromMs, toMs). */
type EventScope = { workspaceId: string; siteId: string; fromMs: number; toMs: number }

/**
 * What stands behind FROM, and its parameters. It has the columns of `events`, `target` among them; those not asked for
 * cost nothing.
 */
export type EventSource = { from: string; params: QueryParams }

/** Overlays of the stored events, besides the caller's filter. */
export type ReadOverlays = {
  overlay: Overlay | null
  superseded: SupersededSite | null
  /** People of the workspace were merged, so whom an event belongs to now must be looked up. */
  hasMerges: boolean
}

/**
 * Where every read of events takes its rows from: the table, or the table overlaid with the back-fills of the
 * site, with superseded events, and with merges of people. The caller still filters; the scope only limits
 * what is joined.
 */
export function eventSource(
  { overlay, superseded, hasMerges }: ReadOverlays,
  scope: EventScope,
): EventSource {
  const hasSuperseded = superseded !== null && superseded.fromMs < scope.toMs
  const readOverlays = overlaid(overlay, scope, hasSuperseded)
  const from = readOverlays ?? (hasSuperseded ? supersededOnly : null)
  if (from === null && !hasMerges) return { from: 'events', params: {} }
  return {
    from: hasMerges
      ? merged(from ?? `(SELECT *, ${computedColumns} FROM events WHERE ${inScope})`)
      : (from ?? 'events'),
    params: {
      ...(readOverlays !== null && overlay !== null && { sourceGeneration: overlay.generation }),
      sourceWorkspaceId: scope.workspaceId,
      sourceSiteId: scope.siteId,
      sourceFromMs: scope.fromMs,
      sourceToMs: scope.toMs,
    },
  }
}

/** Columns that the store works out from others, which a star leaves out. */
const computedColumns = 'target, error_key, error_type, error_title, error_culprit'

function overlaid(overlay: Overlay | null, scope: EventScope, hasSuperseded: boolean): string | null {
  if (overlay === null) return null
  const isTouched = overlay.fromMs < scope.toMs && scope.fromMs < overlay.toMs
  if (!isTouched && !overlay.hasOrders) return null
  const gone = hasSuperseded ? [isSuperseded] : []
  const stored = columnsWithout(overlay.hasOrders ? [isRepeat, ...gone] : gone)
  return `(
      SELECT ${stored}, ${computedColumns} FROM events
      WHERE ${inScope} AND (event_key, is_public) NOT IN (
        SELECT event_key, is_public FROM overlaid_events WHERE ${inOverlay})
      UNION ALL
      SELECT ${columnsWithout(gone, '* EXCEPT (generation, backfill_id, was_name, was_held)')}, ${computedColumns}
      FROM overlaid_events WHERE ${inOverlay}
    )`
}

/** All columns, with `counted` taken from rows for which one of these holds. */
function columnsWithout(conditions: readonly string[], columns = '*'): string {
  if (conditions.length === 0) return columns
  return `${columns} REPLACE (if((${conditions.join(') OR (')}), 0, counted) AS counted)`
}

/**
 * Events store the person id of ingest time; the mapping has the current one, and has a row only for merged
 * people.
 */
function merged(from: string): string {
  return `(
      SELECT e.* REPLACE (
        if(m.original_key = 0, e.person_key, m.current_key) AS person_key,
        if(m.original_key = 0, e.person_id, m.current_id) AS person_id)
      FROM ${from} AS e
      LEFT ANY JOIN (${currentPeople('sourceWorkspaceId')}) AS m ON e.person_key = m.original_key
    )`
}

/**
 * Rows with an original `person_key`, with that of its current person. For rows that are narrow and few
 * already: the cost of the look-up depends on them. The workspace is the parameter `workspaceId`.
 */
export function ofCurrentPeople(rows: string, { hasMerges }: Pick<ReadOverlays, 'hasMerges'>): string {
  if (!hasMerges) return `(${rows})`
  return `(
      SELECT e.* REPLACE (if(m.original_key = 0, e.person_key, m.current_key) AS person_key)
      FROM (${rows}) AS e
      LEFT ANY JOIN (${currentPeople('workspaceId')}) AS m ON e.person_key = m.original_key
    )`
}

/**
 * The current person of everyone who was ever merged, also for tables with original people. The table merges
 * while it is read: sums by key would take four times the memory, and some statements look up half a million
 * people twice.
 */
export function currentPeople(workspaceParameter: string): string {
  return `
        SELECT original_key, person_key AS current_key, person_id AS current_id
        FROM person_mapping FINAL WHERE workspace_id = {${workspaceParameter}:String}`
}

const inScope = `workspace_id = {sourceWorkspaceId:String} AND site_id = {sourceSiteId:String}
        AND ts >= fromUnixTimestamp64Milli({sourceFromMs:Int64}, 'UTC')
        AND ts < fromUnixTimestamp64Milli({sourceToMs:Int64}, 'UTC')`
const inOverlay = `generation = {sourceGeneration:String} AND ${inScope}`

/** Only what a public sender brought can be superseded, and its secret namesake must not be taken for it. */
const isSuperseded = `is_public = 1 AND event_key IN (SELECT event_key FROM superseded_events WHERE ${inScope})`
const supersededOnly = `(SELECT ${columnsWithout([isSuperseded])}, ${computedColumns} FROM events WHERE ${inScope})`

/** Stored purchases that came after the overlay was made; those before it are in the overlay themselves. */
const isRepeat = `name = '$purchase' AND order_id != '' AND order_id IN (
        SELECT order_id FROM overlay_orders WHERE generation = {sourceGeneration:String} AND is_overlaid = 1)`
