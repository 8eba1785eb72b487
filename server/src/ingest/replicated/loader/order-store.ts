import type { Sql } from '../../../store/control.ts'
import type { IdHash } from '../../row/row.ts'

/** An order that an event of a load brings, by the class of its sender. */
export type OrderClaim = { order: IdHash; isPublic: boolean; eventId: string }

const columnsOf = (claims: readonly OrderClaim[]) => [
  claims.map(({ order }) => order.hi),
  claims.map(({ order }) => order.lo),
  claims.map(({ isPublic }) => isPublic),
  claims.map(({ eventId }) => eventId),
]
const given = 'unnest($1::bigint[], $2::bigint[], $3::boolean[], $4::text[])'

/** Claims orders that no other load has claimed; returns whose each of them is. */
export async function claimOrders(sql: Sql, claims: readonly OrderClaim[]): Promise<OrderClaim[]> {
  if (claims.length === 0) return []
  await sql.query(
    `INSERT INTO log_orders (order_hi, order_lo, is_public, event_id)
     SELECT * FROM ${given} ON CONFLICT DO NOTHING`,
    columnsOf(claims),
  )
  type ClaimRow = { hi: string | number; lo: string | number; is_public: boolean; event_id: string }
  const rows = await sql.query<ClaimRow>(
    `SELECT order_hi AS hi, order_lo AS lo, is_public, event_id FROM log_orders
     WHERE (order_hi, order_lo) IN (SELECT hi, lo FROM ${given} AS one (hi, lo, public, id))`,
    columnsOf(claims),
  )
  return rows.map(({ hi, lo, is_public, event_id }) => ({
    order: { hi: Number(hi), lo: Number(lo) },
    isPublic: is_public,
    eventId: event_id,
  }))
}

/** The events store has these orders now. */
export async function releaseOrders(sql: Sql, claims: readonly OrderClaim[]): Promise<void> {
  if (claims.length === 0) return
  await sql.query(
    `DELETE FROM log_orders AS claimed USING ${given} AS one (hi, lo, public, id)
     WHERE order_hi = one.hi AND order_lo = one.lo AND is_public = one.public AND event_id = one.id`,
    columnsOf(claims),
  )
  // Of loads whose node died before it came to this; the store has had them for long.
  await sql.query("DELETE FROM log_orders WHERE claimed_at < now() - interval '30 days'")
}
