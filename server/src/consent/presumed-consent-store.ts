import type { ConsentRegime, ConsentStatement } from '@assay/contract'
import type { Sql } from '../store/control.ts'

type StandingRecord = {
  person_id: string
  id: string
  regime: ConsentRegime | null
  stated: ConsentStatement
  gpc: boolean
  expires_at: Date | null
}

/** The latest record of everyone who has one, under their current ids, in the order of these. */
export function selectStandingRecords(
  sql: Sql,
  workspaceId: string,
  at: Date,
  after: string,
  rows: number,
): Promise<StandingRecord[]> {
  return sql.query<StandingRecord>(
    `SELECT DISTINCT ON (person_id) person_id, id, regime, stated, gpc, expires_at
     FROM (
       SELECT coalesce(i.person_id, c.subject_id) AS person_id, c.id, c.regime, c.stated, c.gpc, c.expires_at,
              c.effective_at, c.seq
       FROM consents AS c
       LEFT JOIN identifiers AS i ON i.workspace_id = c.workspace_id AND i.original_id = c.subject_id
       WHERE c.workspace_id = $1 AND c.effective_at <= $2
     ) AS standing
     WHERE person_id > $3
     ORDER BY person_id, effective_at DESC, seq DESC LIMIT $4`,
    [workspaceId, at, after, rows],
  )
}
