import type { Sql } from '../../store/control.ts'

/** Records that so much is quarantined that a notice was sent. False when it was sent already. */
export async function insertEpisode(
  sql: Sql,
  workspaceId: string,
  { siteId, name, at }: { siteId: string; name: string; at: Date },
): Promise<boolean> {
  const rows = await sql.query(
    `INSERT INTO health_quarantine_episodes (workspace_id, site_id, event_name, since, last_over_at)
     SELECT id, $2, $3, $4, $4 FROM workspaces WHERE id = $1
     ON CONFLICT DO NOTHING RETURNING site_id`,
    [workspaceId, siteId, name, at],
  )
  return rows.length > 0
}

/** These continue. */
export async function touchEpisodes(
  sql: Sql,
  workspaceId: string,
  held: readonly { siteId: string; name: string }[],
  at: Date,
): Promise<void> {
  if (held.length === 0) return
  await sql.query(
    `UPDATE health_quarantine_episodes AS e SET last_over_at = greatest(e.last_over_at, $4)
     FROM unnest($2::text[], $3::text[]) AS h (site_id, event_name)
     WHERE e.workspace_id = $1 AND e.site_id = h.site_id AND e.event_name = h.event_name`,
    [workspaceId, held.map(({ siteId }) => siteId), held.map(({ name }) => name), at],
  )
}

export async function deleteQuietEpisodes(sql: Sql, workspaceId: string, before: Date): Promise<void> {
  await sql.query('DELETE FROM health_quarantine_episodes WHERE workspace_id = $1 AND last_over_at < $2', [
    workspaceId,
    before,
  ])
}
