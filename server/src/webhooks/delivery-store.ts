import type { DeliveryStatus, WebhookProvider } from '@assay/contract'
import type { Sql } from '../store/control.ts'

export type DeliveryRow = {
  id: string
  workspace_id: string
  connection_id: string
  site_id: string
  provider: WebhookProvider
  vendor_id: string | null
  body_hash: Uint8Array
  item: number
  type: string
  status: DeliveryStatus
  reason: string | null
  event_ids: string[]
  repeats: number
  occurred_at: Date | null
  received_at: Date
  due_at: Date | null
  waits_for: string | null
  payload: string | null
}

const deliveryColumns = `id, workspace_id, connection_id, site_id, provider, vendor_id, body_hash, item, type, status,
  reason, event_ids, repeats, occurred_at, received_at, due_at, waits_for, payload`

/** Nothing happens when the same was written at the same time by another request. */
export async function insertDelivery(sql: Sql, row: DeliveryRow): Promise<void> {
  await sql.query(
    `INSERT INTO webhook_deliveries (${deliveryColumns})
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)
     ON CONFLICT DO NOTHING`,
    [
      row.id,
      row.workspace_id,
      row.connection_id,
      row.site_id,
      row.provider,
      row.vendor_id,
      row.body_hash,
      row.item,
      row.type,
      row.status,
      row.reason,
      row.event_ids,
      row.repeats,
      row.occurred_at,
      row.received_at,
      row.due_at,
      row.waits_for,
      row.payload,
    ],
  )
}

/** A connection is named by a row that may have come from anywhere, so nothing is found by it alone. */
export type Whose = { workspaceId: string; connectionId: string }

/** Earlier deliveries, by the same body or by the vendor's own ids. */
export async function selectEarlier(
  sql: Sql,
  { workspaceId, connectionId }: Whose,
  bodyHash: Uint8Array,
  vendorIds: readonly string[],
): Promise<DeliveryRow[]> {
  return sql.query<DeliveryRow>(
    `SELECT ${deliveryColumns} FROM webhook_deliveries
     WHERE workspace_id = $4 AND connection_id = $1 AND (body_hash = $2 OR vendor_id = ANY($3))`,
    [connectionId, bodyHash, vendorIds, workspaceId],
  )
}

export async function countRepeats(sql: Sql, ids: readonly string[]): Promise<void> {
  await sql.query('UPDATE webhook_deliveries SET repeats = repeats + 1 WHERE id = ANY($1)', [ids])
}

export type DeliveryFilter = {
  connectionId: string | null
  provider: string | null
  status: string | null
  type: string | null
  from: Date | null
  to: Date | null
}

export async function selectDeliveries(
  sql: Sql,
  workspaceId: string,
  filter: DeliveryFilter,
  before: string | null,
  limit: number,
): Promise<DeliveryRow[]> {
  const { connectionId, provider, status, type, from, to } = filter
  return sql.query<DeliveryRow>(
    `SELECT ${deliveryColumns} FROM webhook_deliveries
     WHERE workspace_id = $1 AND ($2::text IS NULL OR id < $2)
       AND ($3::text IS NULL OR connection_id = $3)
       AND ($4::text IS NULL OR provider = $4)
       AND ($5::text IS NULL OR status = $5)
       AND ($6::text IS NULL OR type = $6)
       AND ($7::timestamptz IS NULL OR received_at >= $7)
       AND ($8::timestamptz IS NULL OR received_at < $8)
     ORDER BY id DESC LIMIT $9`,
    [workspaceId, before, connectionId, provider, status, type, from, to, limit],
  )
}

export async function selectDelivery(sql: Sql, workspaceId: string, id: string): Promise<DeliveryRow | null> {
  const [row] = await sql.query<DeliveryRow>(
    `SELECT ${deliveryColumns} FROM webhook_deliveries WHERE workspace_id = $1 AND id = $2`,
    [workspaceId, id],
  )
  return row ?? null
}

export async function updateDelivery(
  sql: Sql,
  row: Pick<DeliveryRow, 'id' | 'status' | 'reason' | 'event_ids' | 'payload'>,
): Promise<void> {
  await sql.query(
    `UPDATE webhook_deliveries
     SET status = $2, reason = $3, event_ids = $4, payload = $5, due_at = NULL, waits_for = NULL
     WHERE id = $1`,
    [row.id, row.status, row.reason, row.event_ids, row.payload],
  )
}

/** In the order of their arrival: of two reports of one payment the first that counts gives it its name. */
export async function selectDue(sql: Sql, at: Date, limit: number): Promise<DeliveryRow[]> {
  return sql.query<DeliveryRow>(
    `SELECT ${deliveryColumns} FROM webhook_deliveries
     WHERE status = 'waiting' AND due_at <= $1
       AND workspace_id NOT IN (SELECT id FROM workspaces WHERE delete_requested_at IS NOT NULL)
     ORDER BY due_at, id LIMIT $2`,
    [at, limit],
  )
}

export async function postponeDelivery(sql: Sql, id: string, dueAt: Date): Promise<void> {
  await sql.query("UPDATE webhook_deliveries SET due_at = $2 WHERE id = $1 AND status = 'waiting'", [
    id,
    dueAt,
  ])
}

/** The order that these wait for started a subscription, which reports it. */
export async function coverWaiting(
  sql: Sql,
  { workspaceId, connectionId }: Whose,
  waitsFor: string,
): Promise<void> {
  await sql.query(
    `UPDATE webhook_deliveries
     SET status = 'unmapped', reason = 'told_elsewhere', due_at = NULL, waits_for = NULL
     WHERE workspace_id = $3 AND connection_id = $1 AND waits_for = $2 AND status = 'waiting'`,
    [connectionId, waitsFor, workspaceId],
  )
}

/** The oldest of which nothing was made go beyond so many, or so many bytes as they are stored. */
export async function evictReportsBeyond(
  sql: Sql,
  { workspaceId, connectionId }: Whose,
  { rows, bytes }: { rows: number; bytes: number },
): Promise<void> {
  await sql.query(
    `DELETE FROM webhook_deliveries WHERE id IN (
       SELECT id FROM (
         SELECT id, row_number() OVER newest AS place, sum(pg_column_size(payload)) OVER newest AS bytes
         FROM webhook_deliveries
         WHERE workspace_id = $1 AND connection_id = $2 AND payload IS NOT NULL AND status <> 'waiting'
         WINDOW newest AS (ORDER BY id DESC)
       ) AS kept WHERE place > $3 OR bytes > $4)`,
    [workspaceId, connectionId, rows, bytes],
  )
}

export async function forgetDeliveriesBefore(sql: Sql, at: Date): Promise<void> {
  await sql.query('DELETE FROM webhook_deliveries WHERE received_at < $1', [at])
}
