import type { ForgetMode } from '@assay/contract'
import type { Control, Sql } from '../../store/control.ts'
import { readAgreed, writeAgreed } from '../../store/installation.ts'

/** Postgres returns 64 bits as text. */
type Big = string | number

/** A partition of this process: how far it is loaded, and the load that was begun and not finished. */
export type HeldPartition = {
  partition: number
  fence: number
  loadedSeq: number
  /** The last message of that load, and what was decided about its lines. */
  begun: { lastSeq: number; repeats: string } | null
}

type PartitionRow = {
  partition: number
  fence: Big
  loaded_seq: Big
  load_seq: Big | null
  repeats: string | null
}

function toHeld(row: PartitionRow): HeldPartition {
  const { partition, fence, loaded_seq, load_seq, repeats } = row
  const begun = load_seq === null ? null : { lastSeq: Number(load_seq), repeats: repeats ?? '' }
  return { partition, fence: Number(fence), loadedSeq: Number(loaded_seq), begun }
}

export async function createPartitions(sql: Sql, partitions: number): Promise<void> {
  await sql.query(
    'INSERT INTO log_partitions (partition) SELECT generate_series(0, $1::int - 1) ON CONFLICT DO NOTHING',
    [partitions],
  )
}

/** The partitions of a new log, from the messages after these on. */
export async function resetPartitions(sql: Sql, loadedSeqs: readonly number[]): Promise<void> {
  await sql.query('DELETE FROM log_erasures')
  await sql.query('DELETE FROM log_partitions')
  await sql.query(
    `INSERT INTO log_partitions (partition, loaded_seq, fence)
     SELECT at - 1, seq, (extract(epoch FROM clock_timestamp()) * 1000)::bigint
     FROM unnest($1::bigint[]) WITH ORDINALITY AS one (seq, at)`,
    [loadedSeqs],
  )
}

/**
 * Takes up to so many partitions that no node holds. The time is that of Postgres, so that nodes need not agree
 * about theirs.
 */
export async function claimPartitions(
  sql: Sql,
  holder: string,
  leaseMs: number,
  most: number,
): Promise<HeldPartition[]> {
  const rows = await sql.query<PartitionRow>(
    `UPDATE log_partitions SET holder = $1, fence = fence + 1, lease_until = now() + $2 * interval '1 millisecond'
     WHERE partition IN (
       SELECT partition FROM log_partitions WHERE lease_until < now() OR holder = ''
       ORDER BY lease_until LIMIT $3 FOR UPDATE SKIP LOCKED)
     RETURNING partition, fence, loaded_seq, load_seq, repeats`,
    [holder, leaseMs, most],
  )
  return rows.map(toHeld)
}

/** Extends the leases that are still ours; returns the partitions. */
export async function renewPartitions(
  sql: Sql,
  holder: string,
  held: readonly Pick<HeldPartition, 'partition' | 'fence'>[],
  leaseMs: number,
): Promise<Set<number>> {
  const rows = await sql.query<{ partition: number }>(
    `UPDATE log_partitions AS p SET lease_until = now() + $2 * interval '1 millisecond'
     FROM unnest($3::int[], $4::bigint[]) AS mine (partition, fence)
     WHERE p.partition = mine.partition AND p.fence = mine.fence AND p.holder = $1
     RETURNING p.partition`,
    [holder, leaseMs, held.map(({ partition }) => partition), held.map(({ fence }) => fence)],
  )
  return new Set(rows.map(({ partition }) => partition))
}

export async function releasePartition(
  sql: Sql,
  { partition, fence }: Pick<HeldPartition, 'partition' | 'fence'>,
): Promise<void> {
  await sql.query(
    `UPDATE log_partitions SET holder = '', lease_until = now() WHERE partition = $1 AND fence = $2`,
    [partition, fence],
  )
}

/** What is written down of a partition; null if another node holds it. */
export async function selectHeld(
  sql: Sql,
  { partition, fence }: Pick<HeldPartition, 'partition' | 'fence'>,
): Promise<HeldPartition | null> {
  const [row] = await sql.query<PartitionRow>(
    `SELECT partition, fence, loaded_seq, load_seq, repeats FROM log_partitions
     WHERE partition = $1 AND fence = $2`,
    [partition, fence],
  )
  return row === undefined ? null : toHeld(row)
}

/** Writes a load down before it begins; false if another node holds the partition. */
export async function beginLoad(
  sql: Sql,
  { partition, fence }: Pick<HeldPartition, 'partition' | 'fence'>,
  lastSeq: number,
  repeats: string,
): Promise<boolean> {
  const rows = await sql.query(
    `UPDATE log_partitions SET load_seq = $3, repeats = $4
     WHERE partition = $1 AND fence = $2 AND load_seq IS NULL RETURNING partition`,
    [partition, fence, lastSeq, repeats],
  )
  return rows.length === 1
}

/** The load is in the store; false if another node holds the partition, and repeats the load without an effect. */
export async function endLoad(
  sql: Sql,
  { partition, fence }: Pick<HeldPartition, 'partition' | 'fence'>,
  lastSeq: number,
): Promise<boolean> {
  const rows = await sql.query(
    `UPDATE log_partitions SET loaded_seq = $3, load_seq = NULL, repeats = NULL
     WHERE partition = $1 AND fence = $2 AND load_seq = $3 RETURNING partition`,
    [partition, fence, lastSeq],
  )
  return rows.length === 1
}

/** How far each partition is loaded. */
export async function selectLoaded(sql: Sql): Promise<number[]> {
  const rows = await sql.query<{ loaded_seq: Big }>(
    'SELECT loaded_seq FROM log_partitions ORDER BY partition',
  )
  return rows.map(({ loaded_seq }) => Number(loaded_seq))
}

/** People whose lines are left out of every partition, up to a message in each. */
export type LogErasure = {
  workspaceId: string
  personIds: readonly string[]
  mode: ForgetMode
  untilSeqs: readonly number[]
}

export async function insertErasure(
  sql: Sql,
  { workspaceId, personIds, mode, untilSeqs }: LogErasure,
): Promise<void> {
  await sql.query(
    `INSERT INTO log_erasures (workspace_id, person_ids, mode, until_seqs)
     SELECT id, $2::text[], $3, $4::bigint[] FROM workspaces WHERE id = $1`,
    [workspaceId, personIds, mode, untilSeqs],
  )
}

export async function selectErasures(sql: Sql): Promise<LogErasure[]> {
  type ErasureRow = { workspace_id: string; person_ids: string[]; mode: ForgetMode; until_seqs: Big[] }
  const rows = await sql.query<ErasureRow>(
    'SELECT workspace_id, person_ids, mode, until_seqs FROM log_erasures ORDER BY id',
  )
  return rows.map((row) => ({
    workspaceId: row.workspace_id,
    personIds: row.person_ids,
    mode: row.mode,
    untilSeqs: row.until_seqs.map(Number),
  }))
}

/** Those whose lines are all loaded, without what was left out. */
export async function deleteDoneErasures(sql: Sql): Promise<void> {
  await sql.query(
    `DELETE FROM log_erasures AS e WHERE NOT EXISTS (
       SELECT 1 FROM log_partitions AS p WHERE p.loaded_seq < e.until_seqs[p.partition + 1])`,
  )
}

/** Node by node, which log it uses. */
export type LogNode = {
  nodeId: string
  runId: string
  kind: 'files' | 'nats'
  /** Whether it takes a share of the partitions. */
  loads: boolean
  isSeen: boolean
}

/** False if another process says that it is this node. */
export async function seeNode(
  sql: Sql,
  { nodeId, runId, kind, loads }: Omit<LogNode, 'isSeen'>,
  leaseMs: number,
): Promise<boolean> {
  const rows = await sql.query(
    `INSERT INTO log_nodes (node_id, run_id, kind, loads, seen_until)
     VALUES ($1, $2, $3, $5, now() + $4 * interval '1 millisecond')
     ON CONFLICT (node_id) DO UPDATE
     SET run_id = excluded.run_id, kind = excluded.kind, loads = excluded.loads, seen_until = excluded.seen_until
     WHERE log_nodes.run_id = excluded.run_id OR log_nodes.seen_until < now() RETURNING node_id`,
    [nodeId, runId, kind, leaseMs, loads],
  )
  return rows.length === 1
}

export async function selectNodes(sql: Sql): Promise<(LogNode & { seenUntil: Date })[]> {
  type NodeRow = {
    node_id: string
    run_id: string
    kind: LogNode['kind']
    loads: boolean
    seen_until: Date
    is_seen: boolean
  }
  const rows = await sql.query<NodeRow>(
    'SELECT node_id, run_id, kind, loads, seen_until, seen_until >= now() AS is_seen FROM log_nodes ORDER BY node_id',
  )
  return rows.map((row) => ({
    nodeId: row.node_id,
    runId: row.run_id,
    kind: row.kind,
    loads: row.loads,
    seenUntil: row.seen_until,
    isSeen: row.is_seen,
  }))
}

/** Forgets a process, unless another one is the node by now. */
export async function leaveNode(
  sql: Sql,
  { nodeId, runId }: Pick<LogNode, 'nodeId' | 'runId'>,
): Promise<void> {
  await sql.query('DELETE FROM log_nodes WHERE node_id = $1 AND run_id = $2', [nodeId, runId])
}

/** Nodes that are long gone. */
export async function deleteGoneNodes(sql: Sql): Promise<void> {
  await sql.query("DELETE FROM log_nodes WHERE seen_until < now() - interval '1 day'")
}

/** Where the log of the installation is. */
export type LogHome = {
  kind: 'files' | 'nats'
  /** Of this log: a part of every token, so that sequences of another one never meet them. */
  id: string
  /** Whose files, where it is in files. */
  nodeId: string
  partitions: number
  /** Everything in it was loaded when its last node stopped. */
  isDrained: boolean
}

const homeName = 'log_home'

export async function readHome(sql: Sql): Promise<LogHome | null> {
  const value = await readAgreed(sql, homeName)
  // boundary: only `writeHome` writes it.
  return value === null ? null : (JSON.parse(value) as LogHome)
}

export function writeHome(sql: Sql, home: LogHome): Promise<void> {
  return writeAgreed(sql, homeName, JSON.stringify(home))
}

export type HomeStore = Pick<Control, 'query' | 'exclusively' | 'unhurried' | 'shared'>
