import { type ContractStatus, defaultPreset, type EventContract, type GatePolicy } from '@assay/contract'
import type { Sql } from '../../store/control.ts'
import type { Version } from './versions.ts'

/** What a version says and never changes. */
type ContractBody = Pick<
  EventContract,
  'owner' | 'category' | 'properties' | 'additional' | 'surfaces' | 'purpose' | 'severities'
>

export type ContractRow = {
  key: string
  major: number
  minor: number
  patch: number
  status: ContractStatus
  description: string
  body: ContractBody
  replaced_by: string | null
  created_at: Date
  published_at: Date | null
}

const columns = `key, major, minor, patch, status, description, body, replaced_by, created_at, published_at`
const columnsOf = (table: string) =>
  columns
    .split(', ')
    .map((column) => `${table}.${column}`)
    .join(', ')

const isInForce = `status IN ('published', 'deprecated')`
const newestFirst = 'major DESC, minor DESC, patch DESC'

/** Registry changes of one workspace come one after the other, so that two never choose the same version. */
export async function lockRegistry(sql: Sql, workspaceId: string): Promise<void> {
  await sql.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`registry ${workspaceId}`])
}

export async function insertContracts(
  sql: Sql,
  workspaceId: string,
  rows: readonly ContractRow[],
): Promise<void> {
  await sql.query(
    `INSERT INTO contracts (workspace_id, ${columns})
     SELECT $1, ${columns} FROM json_to_recordset($2::json) AS given (
       key text, major int, minor int, patch int, status text, description text, body json, replaced_by text,
       created_at timestamptz, published_at timestamptz)`,
    [workspaceId, JSON.stringify(rows)],
  )
}

export async function countKeys(sql: Sql, workspaceId: string): Promise<number> {
  const [row] = await sql.query<{ count: number }>(
    'SELECT count(DISTINCT key)::int AS count FROM contracts WHERE workspace_id = $1',
    [workspaceId],
  )
  return row?.count ?? 0
}

export async function selectExistingKeys(
  sql: Sql,
  workspaceId: string,
  keys: readonly string[],
): Promise<string[]> {
  const rows = await sql.query<{ key: string }>(
    'SELECT DISTINCT key FROM contracts WHERE workspace_id = $1 AND key = ANY($2)',
    [workspaceId, keys],
  )
  return rows.map((row) => row.key)
}

/** The current version of a contract: the newest live one; the newest of all if none is live. */
export async function selectCurrent(
  sql: Sql,
  workspaceId: string,
  keys: readonly string[],
): Promise<ContractRow[]> {
  return sql.query<ContractRow>(
    `SELECT DISTINCT ON (key) ${columns} FROM contracts
     WHERE workspace_id = $1 AND key = ANY($2)
     ORDER BY key, ${isInForce} DESC, ${newestFirst}`,
    [workspaceId, keys],
  )
}

type ListFilter = {
  after: string | null
  status: ContractStatus | null
  q: string | null
  limit: number
}

/** Contracts by key, each at its current version; drafts are listed at the newest version. */
export async function selectContracts(
  sql: Sql,
  workspaceId: string,
  { after, status, q, limit }: ListFilter,
): Promise<ContractRow[]> {
  return sql.query<ContractRow>(
    `SELECT ${columnsOf('version')}
     FROM (
       SELECT DISTINCT ON (key) workspace_id, key, major, minor, patch, status, description FROM contracts
       WHERE workspace_id = $1 AND ($2::text IS NULL OR key > $2)
       ORDER BY key, ($3::text IS NOT DISTINCT FROM 'draft' OR ${isInForce}) DESC, ${newestFirst}
     ) AS current
     JOIN contracts AS version USING (workspace_id, key, major, minor, patch)
     WHERE ($3::text IS NULL OR current.status = $3)
       AND ($4::text IS NULL OR strpos(lower(current.key || ' ' || current.description), lower($4)) > 0)
     ORDER BY version.key LIMIT $5`,
    [workspaceId, after, status, q, limit],
  )
}

/** Every version of one contract, newest first. */
export async function selectVersions(
  sql: Sql,
  workspaceId: string,
  key: string,
  limit: number,
): Promise<ContractRow[]> {
  return sql.query<ContractRow>(
    `SELECT ${columns} FROM contracts WHERE workspace_id = $1 AND key = $2 ORDER BY ${newestFirst} LIMIT $3`,
    [workspaceId, key, limit],
  )
}

export async function selectVersion(
  sql: Sql,
  workspaceId: string,
  key: string,
  [major, minor, patch]: Version,
): Promise<ContractRow | null> {
  const [row] = await sql.query<ContractRow>(
    `SELECT ${columns} FROM contracts
     WHERE workspace_id = $1 AND key = $2 AND major = $3 AND minor = $4 AND patch = $5`,
    [workspaceId, key, major, minor, patch],
  )
  return row ?? null
}

/** The bodies of versions that are known by number. */
export async function selectGivenVersions(
  sql: Sql,
  workspaceId: string,
  wanted: readonly { key: string; numbers: Version }[],
): Promise<ContractRow[]> {
  return sql.query<ContractRow>(
    `SELECT ${columns} FROM contracts
     WHERE workspace_id = $1 AND (key, major, minor, patch) IN (
       SELECT * FROM unnest($2::text[], $3::int[], $4::int[], $5::int[]))`,
    [
      workspaceId,
      wanted.map(({ key }) => key),
      wanted.map(({ numbers }) => numbers[0]),
      wanted.map(({ numbers }) => numbers[1]),
      wanted.map(({ numbers }) => numbers[2]),
    ],
  )
}

/** The newest version that was ever published: what senders may rely on. */
export async function selectNewestPublished(
  sql: Sql,
  workspaceId: string,
  key: string,
): Promise<ContractRow | null> {
  const [row] = await sql.query<ContractRow>(
    `SELECT ${columns} FROM contracts
     WHERE workspace_id = $1 AND key = $2 AND published_at IS NOT NULL
     ORDER BY ${newestFirst} LIMIT 1`,
    [workspaceId, key],
  )
  return row ?? null
}

export async function selectNewestDraft(
  sql: Sql,
  workspaceId: string,
  key: string,
): Promise<ContractRow | null> {
  const [row] = await sql.query<ContractRow>(
    `SELECT ${columns} FROM contracts
     WHERE workspace_id = $1 AND key = $2 AND status = 'draft'
     ORDER BY ${newestFirst} LIMIT 1`,
    [workspaceId, key],
  )
  return row ?? null
}

export async function markPublished(
  sql: Sql,
  workspaceId: string,
  key: string,
  [major, minor, patch]: Version,
  at: Date,
): Promise<void> {
  await sql.query(
    `UPDATE contracts SET status = 'published', published_at = $6
     WHERE workspace_id = $1 AND key = $2 AND major = $3 AND minor = $4 AND patch = $5`,
    [workspaceId, key, major, minor, patch, at],
  )
}

/** Every live version; returns how many there were. */
export async function markDeprecated(
  sql: Sql,
  workspaceId: string,
  key: string,
  replacedBy: string | null,
): Promise<number> {
  const rows = await sql.query(
    `UPDATE contracts SET status = 'deprecated', replaced_by = coalesce($3, replaced_by)
     WHERE workspace_id = $1 AND key = $2 AND ${isInForce} RETURNING key`,
    [workspaceId, key, replacedBy],
  )
  return rows.length
}

export async function markArchived(sql: Sql, workspaceId: string, key: string): Promise<number> {
  const rows = await sql.query(
    `UPDATE contracts SET status = 'archived' WHERE workspace_id = $1 AND key = $2 RETURNING key`,
    [workspaceId, key],
  )
  return rows.length
}

/** All contracts of a workspace at their current version, page by page. */
export async function selectCurrentPage(
  sql: Sql,
  workspaceId: string,
  after: string | null,
  limit: number,
): Promise<ContractRow[]> {
  return selectContracts(sql, workspaceId, { after, status: null, q: null, limit })
}

type VersionInForce = { key: string; major: number; minor: number; patch: number }

/** Live versions, of these keys or of all. */
export async function selectVersionsInForce(
  sql: Sql,
  workspaceId: string,
  keys: readonly string[] | null,
): Promise<VersionInForce[]> {
  return sql.query<VersionInForce>(
    `SELECT key, major, minor, patch FROM contracts
     WHERE workspace_id = $1 AND ($2::text[] IS NULL OR key = ANY($2)) AND ${isInForce}`,
    [workspaceId, keys],
  )
}

/** A workspace that set nothing learns. */
export async function selectGatePolicy(sql: Sql, workspaceId: string): Promise<Required<GatePolicy>> {
  const [row] = await sql.query<Required<GatePolicy>>(
    'SELECT preset, severities FROM gate_severities WHERE workspace_id = $1',
    [workspaceId],
  )
  return row ?? { preset: defaultPreset, severities: {} }
}

export async function upsertGatePolicy(
  sql: Sql,
  workspaceId: string,
  { preset, severities }: Required<GatePolicy>,
): Promise<void> {
  await sql.query(
    `INSERT INTO gate_severities (workspace_id, preset, severities) VALUES ($1, $2, $3::json)
     ON CONFLICT (workspace_id) DO UPDATE SET preset = excluded.preset, severities = excluded.severities`,
    [workspaceId, preset, JSON.stringify(severities)],
  )
}
