import type { Sql } from '../../store/control.ts'
import type { RemovalClock } from './removal-clock.ts'

/** Without the row, which the migration creates, no time is trusted until it has lasted. */
export async function selectRemovalClock(sql: Sql): Promise<RemovalClock> {
  const [row] = await sql.query<{ believed_at: Date; doubted_at: Date | null; held_ms: number }>(
    'SELECT believed_at, doubted_at, held_ms::float8 AS held_ms FROM removal_clock',
  )
  if (row === undefined) return { believedMs: 0, doubt: null }
  const { believed_at: believedAt, doubted_at: doubtedAt, held_ms: heldMs } = row
  return {
    believedMs: believedAt.getTime(),
    doubt: doubtedAt === null ? null : { seenMs: doubtedAt.getTime(), heldMs },
  }
}

export async function upsertRemovalClock(sql: Sql, { believedMs, doubt }: RemovalClock): Promise<void> {
  await sql.query(
    `INSERT INTO removal_clock (believed_at, doubted_at, held_ms) VALUES ($1, $2, $3)
     ON CONFLICT (is_only) DO UPDATE
     SET believed_at = excluded.believed_at, doubted_at = excluded.doubted_at, held_ms = excluded.held_ms`,
    [new Date(believedMs), doubt === null ? null : new Date(doubt.seenMs), doubt?.heldMs ?? 0],
  )
}
