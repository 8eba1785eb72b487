import type { AuditEntry } from '@assay/contract'
import type { Sql } from '../store/control.ts'

export type AuditRow = {
  id: string
  workspace_id: string
  at: Date
  actor_kind: AuditEntry['actor']['kind']
  actor_id: string
  actor_label: string
  action: string
  object_type: string
  object_id: string
  details: Record<string, unknown>
  outcome: AuditEntry['outcome']
  request_id: string
  country: string
}
export type PendingRow = Omit<AuditRow, 'outcome'>

const pendingColumns = `id, workspace_id, at, actor_kind, actor_id, actor_label, action, object_type, object_id,
  details, request_id, country`

function pendingValues(row: PendingRow): unknown[] {
  return [
    row.id,
    row.workspace_id,
    row.at,
    row.actor_kind,
    row.actor_id,
    row.actor_label,
    row.action,
    row.object_type,
    row.object_id,
    JSON.stringify(row.details),
    row.request_id,
    row.country,
  ]
}

export async function insertPending(sql: Sql, row: PendingRow): Promise<void> {
  await sql.query(
    `INSERT INTO audit_pending (${pendingColumns}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
    pendingValues(row),
  )
}

export async function deletePending(sql: Sql, id: string): Promise<void> {
  await sql.query('DELETE FROM audit_pending WHERE id = $1', [id])
}

/** One statement, so that an act is never both or neither. An entry that was made for it already stays as it is. */
export async function insertEntry(sql: Sql, row: AuditRow): Promise<void> {
  await sql.query(
    `WITH ended AS (DELETE FROM audit_pending WHERE id = $1)
     INSERT INTO audit_log (${pendingColumns}, outcome)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
     ON CONFLICT (id) DO NOTHING`,
    [...pendingValues(row), row.outcome],
  )
}

/** What was begun before a time and never ended becomes an entry that says so. */
export async function closePending(sql: Sql, before: Date): Promise<number> {
  const rows = await sql.query(
    `WITH ended AS (DELETE FROM audit_pending WHERE at < $1 RETURNING ${pendingColumns})
     INSERT INTO audit_log (${pendingColumns}, outcome)
     SELECT ${pendingColumns}, 'unconfirmed' FROM ended
     ON CONFLICT (id) DO NOTHING RETURNING id`,
    [before],
  )
  return rows.length
}

type AuditFilter = {
  workspaceId: string
  actor: string | null
  action: string | null
  objectType: string | null
  objectId: string | null
  from: Date | null
  to: Date | null
  before: string | null
  limit: number
}

export async function selectEntries(sql: Sql, filter: AuditFilter): Promise<AuditRow[]> {
  return sql.query<AuditRow>(
    `SELECT ${pendingColumns}, outcome FROM audit_log
     WHERE workspace_id = $1
       AND ($2::text IS NULL OR actor_id = $2)
       AND ($3::text IS NULL OR action = $3)
       AND ($4::text IS NULL OR object_type = $4)
       AND ($5::text IS NULL OR object_id = $5)
       AND ($6::timestamptz IS NULL OR at >= $6)
       AND ($7::timestamptz IS NULL OR at < $7)
       AND ($8::text IS NULL OR id < $8)
     ORDER BY id DESC LIMIT $9`,
    [
      filter.workspaceId,
      filter.actor,
      filter.action,
      filter.objectType,
      filter.objectId,
      filter.from,
      filter.to,
      filter.before,
      filter.limit,
    ],
  )
}

/** How people recognise a key: its name and its hint. */
export async function selectKeyLabel(sql: Sql, keyId: string): Promise<string> {
  const [row] = await sql.query<{ name: string; hint: string }>(
    'SELECT name, hint FROM api_keys WHERE id = $1',
    [keyId],
  )
  return row === undefined ? '' : `${row.name} (${row.hint})`
}

/** How people recognise each other. */
export async function selectPersonLabel(sql: Sql, userId: string): Promise<string> {
  const [row] = await sql.query<{ email: string }>('SELECT email FROM users WHERE id = $1', [userId])
  return row?.email ?? ''
}
