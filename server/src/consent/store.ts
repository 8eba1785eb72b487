import type { ConsentRegime, ConsentStatement } from '@assay/contract'
import type { Sql } from '../store/control.ts'

export type ConsentRow = {
  id: string
  seq: number
  subject_id: string
  anonymous_id: string | null
  regime: ConsentRegime | null
  stated: ConsentStatement
  gpc: boolean
  source: string
  policy_version: string | null
  proof: string | Record<string, unknown> | null
  effective_at: Date
  expires_at: Date | null
  supersedes: string | null
  recorded_at: Date
}

const columns = `id, seq::float8 AS seq, subject_id, anonymous_id, regime, stated, gpc, source, policy_version, proof,
  effective_at, expires_at, supersedes, recorded_at`

export async function insertConsent(
  sql: Sql,
  workspaceId: string,
  row: Omit<ConsentRow, 'seq'>,
  recordedBy: string,
): Promise<void> {
  await sql.query(
    `INSERT INTO consents (workspace_id, id, subject_id, anonymous_id, regime, stated, gpc, source, policy_version,
       proof, effective_at, expires_at, supersedes, recorded_at, recorded_by)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
    [
      workspaceId,
      row.id,
      row.subject_id,
      row.anonymous_id,
      row.regime,
      JSON.stringify(row.stated),
      row.gpc,
      row.source,
      row.policy_version,
      row.proof === null ? null : JSON.stringify(row.proof),
      row.effective_at,
      row.expires_at,
      row.supersedes,
      row.recorded_at,
      recordedBy,
    ],
  )
}

/** The original ids of everyone merged with this one, including itself. */
export async function selectMembers(sql: Sql, workspaceId: string, originalId: string): Promise<string[]> {
  const rows = await sql.query<{ original_id: string }>(
    `SELECT $2::text AS original_id
     UNION
     SELECT member.original_id FROM identifiers AS own
     JOIN identifiers AS member
       ON member.workspace_id = own.workspace_id AND member.person_id = own.person_id
     WHERE own.workspace_id = $1 AND own.original_id = $2`,
    [workspaceId, originalId],
  )
  return rows.map((row) => row.original_id)
}

/** The latest record at a time, whether or not it has expired by then. */
export async function selectConsentAt(
  sql: Sql,
  workspaceId: string,
  subjects: readonly string[],
  at: Date,
): Promise<ConsentRow | null> {
  const [row] = await sql.query<ConsentRow>(
    `SELECT ${columns} FROM consents
     WHERE workspace_id = $1 AND subject_id = ANY($2) AND effective_at <= $3
     ORDER BY effective_at DESC, seq DESC LIMIT 1`,
    [workspaceId, subjects, at],
  )
  return row ?? null
}

/** In the order of recording, the latest first. */
export function selectConsents(
  sql: Sql,
  workspaceId: string,
  subjects: readonly string[],
  beforeSeq: number,
  rows: number,
): Promise<ConsentRow[]> {
  return sql.query<ConsentRow>(
    `SELECT ${columns} FROM consents
     WHERE workspace_id = $1 AND subject_id = ANY($2) AND seq < $3
     ORDER BY consents.seq DESC LIMIT $4`,
    [workspaceId, subjects, beforeSeq, rows],
  )
}

export async function countConsentsOf(
  sql: Sql,
  workspaceId: string,
  subjects: readonly string[],
): Promise<number> {
  const [row] = await sql.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM consents WHERE workspace_id = $1 AND subject_id = ANY($2)',
    [workspaceId, subjects],
  )
  return row?.count ?? 0
}

export async function countSubjectsOf(
  sql: Sql,
  workspaceId: string,
  subjects: readonly string[],
): Promise<number> {
  const [row] = await sql.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM consent_subjects WHERE workspace_id = $1 AND original_id = ANY($2)',
    [workspaceId, subjects],
  )
  return row?.count ?? 0
}

/** The only way to delete a record. */
export async function deleteConsentsOf(
  sql: Sql,
  workspaceId: string,
  subjects: readonly string[],
): Promise<void> {
  await sql.query('DELETE FROM consents WHERE workspace_id = $1 AND subject_id = ANY($2)', [
    workspaceId,
    subjects,
  ])
  await sql.query('DELETE FROM consent_subjects WHERE workspace_id = $1 AND original_id = ANY($2)', [
    workspaceId,
    subjects,
  ])
}

/** Records of one person are serialised, also across nodes. */
export async function lockPerson(sql: Sql, workspaceId: string, subjects: readonly string[]): Promise<void> {
  const [first] = subjects.toSorted()
  await sql.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
    `consent ${workspaceId} ${first}`,
  ])
}

/** Records who has to be looked up from now on. */
export async function insertSubjects(
  sql: Sql,
  workspaceId: string,
  subjects: readonly string[],
): Promise<void> {
  await sql.query(
    `INSERT INTO consent_subjects (workspace_id, original_id) SELECT $1, unnest($2::text[]) ON CONFLICT DO NOTHING`,
    [workspaceId, subjects],
  )
}

/** Notices contain the id of the workspace and original person ids. */
export const consentChannel = 'assay_consent'
/** A notice of Postgres takes 8,000 bytes, and an id 31. */
const idsPerNotice = 200

/** In the transaction that changes them, so that the notice is sent when it commits, and only then. */
export async function notifySubjects(
  sql: Sql,
  workspaceId: string,
  originalIds: readonly string[],
): Promise<void> {
  for (let start = 0; start < originalIds.length; start += idsPerNotice) {
    const notice = [workspaceId, ...originalIds.slice(start, start + idsPerNotice)].join(' ')
    await sql.query('SELECT pg_notify($1, $2)', [consentChannel, notice])
  }
}

export async function countSubjects(sql: Sql, workspaceId: string): Promise<number> {
  const [row] = await sql.query<{ count: number }>(
    `SELECT ((SELECT count(*) FROM consent_subjects WHERE workspace_id = $1)
           + (SELECT count(*) FROM identity_suppressions WHERE workspace_id = $1))::float8 AS count`,
    [workspaceId],
  )
  return row?.count ?? 0
}

/** Everyone with a record, and everyone who was erased, in the order of their ids. */
export async function selectSubjects(
  sql: Sql,
  workspaceId: string,
  after: string,
  rows: number,
): Promise<string[]> {
  const found = await sql.query<{ original_id: string }>(
    `SELECT original_id FROM (
       (SELECT original_id FROM consent_subjects WHERE workspace_id = $1 AND original_id > $2
        ORDER BY original_id LIMIT $3)
       UNION
       (SELECT original_id FROM identity_suppressions WHERE workspace_id = $1 AND original_id > $2
        ORDER BY original_id LIMIT $3)
     ) AS subjects ORDER BY original_id COLLATE "C" LIMIT $3`,
    [workspaceId, after, rows],
  )
  return found.map((row) => row.original_id)
}

export type StandingRow = {
  original_id: string
  is_suppressed: boolean
  id: string | null
  stated: ConsentStatement | null
  gpc: boolean | null
  effective_at: Date | null
  expires_at: Date | null
  /** When an existing record becomes effective. */
  next_at: Date | null
}

/** The status of each: erased or not, and the latest record of them and of everyone merged with them. */
export function selectStandings(
  sql: Sql,
  workspaceId: string,
  originalIds: readonly string[],
  at: Date,
): Promise<StandingRow[]> {
  return sql.query<StandingRow>(
    `SELECT asked.original_id, suppressed.original_id IS NOT NULL AS is_suppressed,
            current.id, current.stated, current.gpc,
            current.effective_at, current.expires_at, upcoming.next_at
     FROM unnest($2::text[]) AS asked (original_id)
     LEFT JOIN identity_suppressions AS suppressed
       ON suppressed.workspace_id = $1 AND suppressed.original_id = asked.original_id
     CROSS JOIN LATERAL (
       SELECT array_agg(member_id) AS ids FROM (
         SELECT asked.original_id AS member_id
         UNION
         SELECT member.original_id FROM identifiers AS own
         JOIN identifiers AS member
           ON member.workspace_id = own.workspace_id AND member.person_id = own.person_id
         WHERE own.workspace_id = $1 AND own.original_id = asked.original_id) AS one
     ) AS members
     LEFT JOIN LATERAL (
       SELECT id, stated, gpc, effective_at, expires_at FROM consents
       WHERE workspace_id = $1 AND subject_id = ANY(members.ids) AND effective_at <= $3
       ORDER BY effective_at DESC, seq DESC LIMIT 1
     ) AS current ON true
     LEFT JOIN LATERAL (
       SELECT min(effective_at) AS next_at FROM consents
       WHERE workspace_id = $1 AND subject_id = ANY(members.ids) AND effective_at > $3
     ) AS upcoming ON true`,
    [workspaceId, originalIds, at],
  )
}
