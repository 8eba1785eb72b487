import { type NodeRole, nodeRoles } from '../../platform/node/node-roles.ts'
import type { Sql } from '../control.ts'

/** A process that runs on this store. */
export type RunningNode = {
  nodeId: string
  version: string
  /** The oldest version that may run at the same time. */
  worksWith: string
  /** The last migrations that it knows, of the control and of the events store. */
  schema: string
  roles: readonly NodeRole[]
}

type NodeRow = { node_id: string; version: string; works_with: string; schema: string; roles: NodeRole[] }

/** Without the tables, which an earlier migration makes, no node of ours ran here. */
export async function selectRunning(sql: Sql): Promise<RunningNode[]> {
  const rows = (await hasTable(sql, 'nodes'))
    ? await sql.query<NodeRow>(
        'SELECT node_id, version, works_with, schema, roles FROM nodes WHERE seen_until >= now() ORDER BY node_id',
      )
    : []
  const known = new Set(rows.map(({ node_id }) => node_id))
  const unversioned = (await selectUnversioned(sql)).filter((nodeId) => !known.has(nodeId))
  return [...rows.map(toNode), ...unversioned.map(withoutVersion)]
}

function toNode({ node_id, version, works_with, schema, roles }: NodeRow): RunningNode {
  return { nodeId: node_id, version, worksWith: works_with, schema, roles }
}

/** Of a build that did not write its version down. */
function withoutVersion(nodeId: string): RunningNode {
  return { nodeId, version: '0.0.0', worksWith: '0.0.0', schema: '', roles: nodeRoles }
}

async function selectUnversioned(sql: Sql): Promise<string[]> {
  if (!(await hasTable(sql, 'log_nodes'))) return []
  const rows = await sql.query<{ node_id: string }>(
    'SELECT node_id FROM log_nodes WHERE seen_until >= now() ORDER BY node_id',
  )
  return rows.map(({ node_id }) => node_id)
}

export async function hasTable(sql: Sql, name: string): Promise<boolean> {
  const [row] = await sql.query<{ is_there: boolean }>('SELECT to_regclass($1) IS NOT NULL AS is_there', [
    name,
  ])
  return row?.is_there === true
}

/** The process that was the node before is gone: two processes of one data directory cannot run. */
export async function seeRunning(
  sql: Sql,
  { nodeId, version, worksWith, schema, roles }: RunningNode,
  runId: string,
  seenMs: number,
): Promise<void> {
  await sql.query(
    `INSERT INTO nodes (node_id, run_id, version, works_with, schema, roles, seen_until)
     VALUES ($1, $2, $3, $4, $5, $6, now() + $7 * interval '1 millisecond')
     ON CONFLICT (node_id) DO UPDATE
     SET run_id = excluded.run_id, version = excluded.version, works_with = excluded.works_with,
       schema = excluded.schema, roles = excluded.roles, seen_until = excluded.seen_until`,
    [nodeId, runId, version, worksWith, schema, roles, seenMs],
  )
}

/** Forgets a process, unless another one is the node by now; and those that are long gone. */
export async function leaveRunning(sql: Sql, nodeId: string, runId: string): Promise<void> {
  await sql.query(
    `DELETE FROM nodes WHERE (node_id = $1 AND run_id = $2) OR seen_until < now() - interval '1 day'`,
    [nodeId, runId],
  )
}
