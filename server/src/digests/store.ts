import type { Digest, DigestFrequency, DigestNarrowing } from '@assay/contract'
import type { Sql } from '../store/control.ts'
import { savedRows } from '../store/saved/saved-rows.ts'

export type DigestRow = {
  workspace_id: string
  id: string
  site_id: string
  type: Digest['type']
  target_id: string | null
  narrowing: DigestNarrowing
  frequency: DigestFrequency
  weekday: number
  hour: number
  is_paused: boolean
  timezone: string
  next_at: Date
  owner: string
  created_at: Date
  updated_at: Date
}

const columns = `workspace_id, id, site_id, type, target_id, narrowing, frequency, weekday, hour, is_paused, timezone,
  next_at, owner, created_at, updated_at`

export const {
  insert: insertDigest,
  one: selectDigest,
  list: selectDigests,
  remove: deleteDigestRow,
} = savedRows<DigestRow>('digests', columns, ['narrowing'])

/** Locked until the transaction ends: changes of one digest run one after the other. */
export async function lockDigest(sql: Sql, workspaceId: string, id: string): Promise<DigestRow | null> {
  const [row] = await sql.query<DigestRow>(
    `SELECT ${columns} FROM digests WHERE workspace_id = $1 AND id = $2 FOR UPDATE`,
    [workspaceId, id],
  )
  return row ?? null
}

export async function updateDigestRow(sql: Sql, row: DigestRow): Promise<void> {
  await sql.query(
    `UPDATE digests SET narrowing = $3::json, frequency = $4, weekday = $5, hour = $6, is_paused = $7, timezone = $8,
       next_at = $9, updated_at = $10
     WHERE workspace_id = $1 AND id = $2`,
    [
      row.workspace_id,
      row.id,
      JSON.stringify(row.narrowing),
      row.frequency,
      row.weekday,
      row.hour,
      row.is_paused,
      row.timezone,
      row.next_at,
      row.updated_at,
    ],
  )
}

export type DueRow = { workspace_id: string; id: string }

/** Those to be sent now; and those whose site has another time zone since, so that their time is another. */
export function selectDueDigests(sql: Sql, at: Date, rows: number): Promise<DueRow[]> {
  return sql.query<DueRow>(
    `SELECT d.workspace_id, d.id FROM digests AS d JOIN sites AS s ON s.id = d.site_id
     WHERE NOT d.is_paused AND (d.next_at <= $1 OR d.timezone <> s.timezone)
     ORDER BY d.next_at LIMIT $2`,
    [at, rows],
  )
}

/** Null where another node is at it. */
export async function takeDigest(
  sql: Sql,
  { workspace_id, id }: DueRow,
): Promise<(DigestRow & { site_timezone: string }) | null> {
  const named = columns.replaceAll(/(\w+)/g, 'd.$1')
  const [row] = await sql.query<DigestRow & { site_timezone: string }>(
    `SELECT ${named}, s.timezone AS site_timezone FROM digests AS d JOIN sites AS s ON s.id = d.site_id
     WHERE d.workspace_id = $1 AND d.id = $2 AND NOT d.is_paused
     FOR UPDATE OF d SKIP LOCKED`,
    [workspace_id, id],
  )
  return row ?? null
}

export async function updateNextAt(
  sql: Sql,
  { workspace_id, id }: DueRow,
  { at, timezone }: { at: Date; timezone: string },
): Promise<void> {
  await sql.query('UPDATE digests SET next_at = $3, timezone = $4 WHERE workspace_id = $1 AND id = $2', [
    workspace_id,
    id,
    at,
    timezone,
  ])
}
