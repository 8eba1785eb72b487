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

/** Events of one site in [fromMs, toMs). */
export type EventScope = { workspaceId: string; siteId: string; fromMs: number; toMs: number }

/** What stands behind FROM, and its parameters. It has the columns of `events`; those not asked for cost nothing. */
export type EventSource = { from: string; params: QueryParams }

const storedEvents: EventSource = { from: 'events', params: {} }

/**
 * Where every read of events takes its rows from: the table, or the table with the back-fills of the site laid over
 * it. The caller still says which events it wants; the scope only bounds what is laid together.
 */
export function eventSource(overlay: Overlay | null, scope: EventScope): EventSource {
  if (overlay === null) return storedEvents
  const isTouched = overlay.fromMs < scope.toMs && scope.fromMs < overlay.toMs
  if (!isTouched && !overlay.hasOrders) return storedEvents
  const columns = overlay.hasOrders ? `* REPLACE (if(${isRepeat}, 0, counted) AS counted)` : '*'
  return {
    from: `(
      SELECT ${columns} FROM events
      WHERE ${inScope} AND event_key NOT IN (SELECT event_key FROM overlaid_events WHERE ${inOverlay})
      UNION ALL
      SELECT * EXCEPT (generation, backfill_id, was_name, was_held) FROM overlaid_events WHERE ${inOverlay}
    )`,
    params: {
      sourceGeneration: overlay.generation,
      sourceWorkspaceId: scope.workspaceId,
      sourceSiteId: scope.siteId,
      sourceFromMs: scope.fromMs,
      sourceToMs: scope.toMs,
    },
  }
}

const inScope = `workspace_id = {sourceWorkspaceId:String} AND site_id = {sourceSiteId:String}
        AND ts >= fromUnixTimestamp64Milli({sourceFromMs:Int64}, 'UTC')
        AND ts < fromUnixTimestamp64Milli({sourceToMs:Int64}, 'UTC')`
const inOverlay = `generation = {sourceGeneration:String} AND ${inScope}`

/** Stored purchases that came after the overlay was made; those before it are in the overlay themselves. */
const isRepeat = `name = '$purchase' AND order_id != '' AND order_id IN (
        SELECT order_id FROM overlay_orders WHERE generation = {sourceGeneration:String} AND is_overlaid = 1)`
