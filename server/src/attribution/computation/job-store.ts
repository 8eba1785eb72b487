import type { jobStatuses } from '@assay/contract'
import type { Sql } from '../../store/control.ts'

export type JobRow = {
  id: string
  workspace_id: string
  from_day: string
  to_day: string
  status: (typeof jobStatuses)[number]
  progress: number
  policy_version: number | null
  days_computed: number
  days_unchanged: number
  outcomes: number
  tries: number
  detail: string | null
  created_at: Date
  finished_at: Date | null
}

const columns = `id, workspace_id, from_day::text AS from_day, to_day::text AS to_day, status, progress, policy_version,
  days_computed, days_unchanged, outcomes, tries, detail, created_at, finished_at`

export async function insertJob(
  sql: Sql,
  job: Pick<JobRow, 'id' | 'workspace_id' | 'from_day' | 'to_day' | 'created_at'>,
): Promise<void> {
  await sql.query(
    `INSERT INTO attribution_jobs (id, workspace_id, from_day, to_day, status, created_at)
     VALUES ($1, $2, $3::date, $4::date, 'queued', $5)`,
    [job.id, job.workspace_id, job.from_day, job.to_day, job.created_at],
  )
}

export async function selectJob(sql: Sql, workspaceId: string, id: string): Promise<JobRow | null> {
  const [row] = await sql.query<JobRow>(
    `SELECT ${columns} FROM attribution_jobs WHERE workspace_id = $1 AND id = $2`,
    [workspaceId, id],
  )
  return row ?? null
}

/** The oldest job without a worker, also one whose worker is gone. */
export async function claimJob(
  sql: Sql,
  holder: string,
  now: Date,
  leaseUntil: Date,
): Promise<JobRow | null> {
  const [row] = await sql.query<JobRow>(
    `UPDATE attribution_jobs SET status = 'running', holder = $1, lease_until = $3, tries = tries + 1
     WHERE id = (
       SELECT id FROM attribution_jobs
       WHERE status = 'queued' OR (status = 'running' AND lease_until < $2)
       ORDER BY created_at, id LIMIT 1 FOR UPDATE SKIP LOCKED)
     RETURNING ${columns}`,
    [holder, now, leaseUntil],
  )
  return row ?? null
}

type JobProgress = {
  progress: number
  policyVersion: number
  daysComputed: number
  daysUnchanged: number
  outcomes: number
}

/** False when another worker has it by now. */
export async function saveJobProgress(
  sql: Sql,
  id: string,
  holder: string,
  done: JobProgress,
  leaseUntil: Date,
): Promise<boolean> {
  const rows = await sql.query(
    `UPDATE attribution_jobs SET progress = $3, policy_version = $4, days_computed = $5, days_unchanged = $6,
       outcomes = $7, lease_until = $8
     WHERE id = $1 AND holder = $2 AND status = 'running' RETURNING id`,
    [
      id,
      holder,
      done.progress,
      done.policyVersion,
      done.daysComputed,
      done.daysUnchanged,
      done.outcomes,
      leaseUntil,
    ],
  )
  return rows.length > 0
}

export async function renewJob(sql: Sql, id: string, holder: string, leaseUntil: Date): Promise<void> {
  await sql.query(
    `UPDATE attribution_jobs SET lease_until = $3 WHERE id = $1 AND holder = $2 AND status = 'running'`,
    [id, holder, leaseUntil],
  )
}

/** False when another worker has it by now. */
export async function endJob(
  sql: Sql,
  id: string,
  holder: string,
  status: 'done' | 'failed' | 'queued',
  detail: string | null,
  at: Date | null,
): Promise<boolean> {
  const rows = await sql.query(
    `UPDATE attribution_jobs SET status = $3, detail = $4, finished_at = $5, holder = NULL, lease_until = NULL
     WHERE id = $1 AND holder = $2 AND status = 'running' RETURNING id`,
    [id, holder, status, detail, at],
  )
  return rows.length > 0
}
