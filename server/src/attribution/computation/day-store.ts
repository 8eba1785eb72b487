import type { Sql } from '../../store/control.ts'
import type { Fit } from '../models/credits.ts'
import type { DayRange } from './days.ts'

export type DayRow = {
  day: string
  inputs: string
  touch_run: string | null
  outcome_run: string | null
  policy_version: number | null
  outcomes: number
  is_outdated: boolean
  /** Everything acknowledged before is in its touchpoints, and in its outcomes. */
  touches_until: Date | null
  outcomes_until: Date | null
}

export function selectDays(sql: Sql, workspaceId: string, fromDay: string, toDay: string): Promise<DayRow[]> {
  return sql.query<DayRow>(
    `SELECT day::text AS day, inputs, touch_run, outcome_run, policy_version, outcomes, is_outdated, touches_until,
            outcomes_until
     FROM attribution_days WHERE workspace_id = $1 AND day >= $2::date AND day <= $3::date ORDER BY day`,
    [workspaceId, fromDay, toDay],
  )
}

/** Sets which rows are the touchpoints of these days. */
export async function saveTouchRuns(
  sql: Sql,
  workspaceId: string,
  days: readonly { day: string; inputs: string }[],
  run: string,
): Promise<void> {
  await sql.query(
    `INSERT INTO attribution_days (workspace_id, day, inputs, touch_run)
     SELECT $1, day::date, inputs, $4 FROM unnest($2::text[], $3::text[]) AS d (day, inputs)
     ON CONFLICT (workspace_id, day) DO UPDATE SET inputs = excluded.inputs, touch_run = excluded.touch_run`,
    [workspaceId, days.map(({ day }) => day), days.map(({ inputs }) => inputs), run],
  )
}

export async function saveOutcomeRuns(
  sql: Sql,
  workspaceId: string,
  days: readonly { day: string; outcomes: number }[],
  run: string,
  policyVersion: number,
): Promise<void> {
  await sql.query(
    `UPDATE attribution_days AS a
     SET outcome_run = $4, policy_version = $5, outcomes = d.outcomes, is_outdated = false
     FROM unnest($2::text[], $3::integer[]) AS d (day, outcomes)
     WHERE a.workspace_id = $1 AND a.day = d.day::date`,
    [workspaceId, days.map(({ day }) => day), days.map(({ outcomes }) => outcomes), run, policyVersion],
  )
}

const reachColumns = {
  touches: { until: 'touches_until', run: 'touch_run' },
  outcomes: { until: 'outcomes_until', run: 'outcome_run' },
} as const

/** Records that the touchpoints or outcomes of these days were checked. */
export async function saveReach(
  sql: Sql,
  workspaceId: string,
  what: keyof typeof reachColumns,
  { from, to }: DayRange,
  reached: Date,
): Promise<void> {
  const { until, run } = reachColumns[what]
  await sql.query(
    `UPDATE attribution_days SET ${until} = $4
     WHERE workspace_id = $1 AND day >= $2::date AND day <= $3::date AND ${run} IS NOT NULL`,
    [workspaceId, from, to, reached],
  )
}

/** Marks days whose outcomes were computed from outdated data. */
export async function markOutdated(sql: Sql, workspaceId: string, days: readonly string[]): Promise<void> {
  await sql.query(
    `UPDATE attribution_days SET is_outdated = true
     WHERE workspace_id = $1 AND outcome_run IS NOT NULL AND day = ANY($2::date[])`,
    [workspaceId, days],
  )
}

export async function markAllOutdated(sql: Sql, workspaceId: string): Promise<void> {
  await sql.query(
    'UPDATE attribution_days SET is_outdated = true WHERE workspace_id = $1 AND outcome_run IS NOT NULL',
    [workspaceId],
  )
}

export type StateRow = {
  people_seq: number
  consent_seq: number
  fit: Fit | null
  fit_policy_version: number | null
  fitted_at: Date | null
  /** Identifies the training data of the fit; another name means another fit. */
  fitted_from: string
}

export async function selectState(sql: Sql, workspaceId: string): Promise<StateRow> {
  const [row] = await sql.query<StateRow>(
    `SELECT people_seq::float8 AS people_seq, consent_seq::float8 AS consent_seq, fit, fit_policy_version, fitted_at,
            fitted_from
     FROM attribution_states WHERE workspace_id = $1`,
    [workspaceId],
  )
  const nothing = { fit: null, fit_policy_version: null, fitted_at: null, fitted_from: '' }
  return row ?? { people_seq: 0, consent_seq: 0, ...nothing }
}

export async function saveFollowed(
  sql: Sql,
  workspaceId: string,
  peopleSeq: number,
  consentSeq: number,
): Promise<void> {
  await sql.query(
    `INSERT INTO attribution_states (workspace_id, people_seq, consent_seq) VALUES ($1, $2, $3)
     ON CONFLICT (workspace_id) DO UPDATE SET people_seq = $2, consent_seq = $3`,
    [workspaceId, peopleSeq, consentSeq],
  )
}

export async function saveFit(
  sql: Sql,
  workspaceId: string,
  fit: Fit,
  policyVersion: number,
  from: string,
  at: Date,
): Promise<void> {
  await sql.query(
    `INSERT INTO attribution_states (workspace_id, fit, fit_policy_version, fitted_from, fitted_at)
     VALUES ($1, $2::json, $3, $4, $5)
     ON CONFLICT (workspace_id)
     DO UPDATE SET fit = excluded.fit, fit_policy_version = $3, fitted_from = $4, fitted_at = $5`,
    [workspaceId, JSON.stringify(fit), policyVersion, from, at],
  )
}

type Heads = { people_seq: number; consent_seq: number }

/** How far the events store follows the identity ledger, and the last consent record. */
export async function selectHeads(sql: Sql, workspaceId: string): Promise<Heads> {
  const [row] = await sql.query<Heads>(
    `SELECT coalesce((SELECT mapped_seq FROM identity_ledger_heads WHERE workspace_id = $1), 0)::float8 AS people_seq,
            coalesce((SELECT max(seq) FROM consents WHERE workspace_id = $1), 0)::float8 AS consent_seq`,
    [workspaceId],
  )
  return row ?? { people_seq: 0, consent_seq: 0 }
}

/** Everyone whose person or consent changed since then; original and current ids. */
export async function selectChangedPeople(
  sql: Sql,
  workspaceId: string,
  since: Heads,
  rows: number,
): Promise<string[]> {
  const found = await sql.query<{ id: string }>(
    `SELECT original_id AS id FROM identifiers WHERE workspace_id = $1 AND changed_seq > $2
     UNION SELECT person_id FROM identifiers WHERE workspace_id = $1 AND changed_seq > $2
     UNION SELECT subject_id FROM consents WHERE workspace_id = $1 AND seq > $3
     LIMIT $4`,
    [workspaceId, since.people_seq, since.consent_seq, rows],
  )
  return found.map(({ id }) => id)
}

export type ConsentAtRow = {
  owner_id: string
  id: string
  stated: Record<string, 'granted' | 'denied'>
  gpc: boolean
  effective_at: Date
  expires_at: Date | null
}

/** All consent records of these people and everyone merged with them, in order of effect. */
export function selectConsentsOf(
  sql: Sql,
  workspaceId: string,
  people: readonly string[],
): Promise<ConsentAtRow[]> {
  return sql.query<ConsentAtRow>(
    `SELECT coalesce(i.person_id, c.subject_id) AS owner_id, c.id, c.stated, c.gpc, c.effective_at, c.expires_at
     FROM consents AS c
     LEFT JOIN identifiers AS i ON i.workspace_id = c.workspace_id AND i.original_id = c.subject_id
     WHERE c.workspace_id = $1 AND coalesce(i.person_id, c.subject_id) = ANY($2)
     ORDER BY c.effective_at, c.seq`,
    [workspaceId, people],
  )
}

/** Keys that no visitor's browser has. */
export async function selectTrustedKeys(sql: Sql, workspaceId: string): Promise<string[]> {
  const rows = await sql.query<{ id: string }>(
    `SELECT id FROM api_keys WHERE workspace_id = $1 AND kind IN ('secret', 'live')`,
    [workspaceId],
  )
  return rows.map(({ id }) => id)
}
