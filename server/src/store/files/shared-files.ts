import { Problem } from '@assay/contract'
import type { Control, Sql } from '../control.ts'
import { pieceBytes, type StoredFiles } from './stored-files.ts'

/** Of one workspace, in all its files: what Postgres should have to hold for a day. */
const workspaceBytesMax = 16 * 1024 ** 3

/** Chunks in Postgres: it is the one store that all nodes have, that answers what it took, and that is backed up. */
export function sharedFiles(control: Control): StoredFiles {
  return {
    isShared: true,
    size: (path) => selectSize(control, path),
    read: (path, offset, length) => selectBytes(control, path, offset, length),
    write: (path, offset, bytes, { workspaceId }) =>
      control.transaction(async (sql) => {
        // Two nodes that write one file do so one after the other.
        await sql.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [path])
        await requireRoom(sql, workspaceId, bytes.length)
        await cutAt(sql, path, offset)
        if (((await selectSize(sql, path)) ?? 0) !== offset)
          throw new Error(`${path} does not reach ${offset}`)
        // An empty file is one chunk of nothing.
        for (let from = 0; from === 0 || from < bytes.length; from += pieceBytes) {
          await insertChunk(sql, path, offset + from, bytes.subarray(from, from + pieceBytes), workspaceId)
        }
      }),
    rename: (from, to) =>
      control.transaction(async (sql) => {
        await deleteFiles(sql, to)
        await sql.query('UPDATE stored_files SET path = $2 WHERE path = $1', [from, to])
      }),
    remove: (path) => deleteFiles(control, path),
    list: (folder) => selectNames(control, folder),
  }
}

async function selectSize(sql: Sql, path: string): Promise<number | null> {
  const [row] = await sql.query<{ size: number | null }>(
    `SELECT (place + octet_length(chunk))::float8 AS size FROM stored_files
     WHERE path = $1 ORDER BY place DESC LIMIT 1`,
    [path],
  )
  return row?.size ?? null
}

async function selectBytes(sql: Sql, path: string, offset: number, length: number): Promise<Buffer> {
  const rows = await sql.query<{ place: number; chunk: Uint8Array }>(
    `SELECT place::float8 AS place, chunk FROM stored_files
     WHERE path = $1 AND place > $2::bigint - $4::bigint AND place < $2::bigint + $3::bigint ORDER BY place`,
    [path, offset, length, pieceBytes],
  )
  const parts = rows.map(({ place, chunk }) =>
    chunk.subarray(Math.max(0, offset - place), Math.max(0, offset + length - place)),
  )
  return Buffer.concat(parts)
}

async function requireRoom(sql: Sql, workspaceId: string, more: number): Promise<void> {
  const [row] = await sql.query<{ bytes: number }>(
    `SELECT coalesce(sum(octet_length(chunk)), 0)::float8 AS bytes FROM stored_files WHERE workspace_id = $1`,
    [workspaceId],
  )
  if ((row?.bytes ?? 0) + more <= workspaceBytesMax) return
  throw new Problem('conflict', {
    detail: `The files of a workspace have ${workspaceBytesMax} bytes at most where several nodes share them.`,
  })
}

async function cutAt(sql: Sql, path: string, offset: number): Promise<void> {
  await sql.query('DELETE FROM stored_files WHERE path = $1 AND place >= $2::bigint', [path, offset])
  await sql.query(
    `UPDATE stored_files SET chunk = substring(chunk FROM 1 FOR ($2::bigint - place)::int)
     WHERE path = $1 AND place > $2::bigint - $3::bigint AND place + octet_length(chunk) > $2::bigint`,
    [path, offset, pieceBytes],
  )
}

async function insertChunk(
  sql: Sql,
  path: string,
  place: number,
  chunk: Buffer,
  workspaceId: string,
): Promise<void> {
  await sql.query('INSERT INTO stored_files (path, place, workspace_id, chunk) VALUES ($1, $2, $3, $4)', [
    path,
    place,
    workspaceId,
    chunk,
  ])
}

async function deleteFiles(sql: Sql, path: string): Promise<void> {
  await sql.query('DELETE FROM stored_files WHERE path = $1 OR starts_with(path, $2)', [path, `${path}/`])
}

async function selectNames(sql: Sql, folder: string): Promise<{ name: string; changedMs: number }[]> {
  const rows = await sql.query<{ name: string; changed_at: Date }>(
    `SELECT split_part(substr(path, length($1) + 1), '/', 1) AS name, max(changed_at) AS changed_at
     FROM stored_files WHERE starts_with(path, $1) GROUP BY name ORDER BY name`,
    [`${folder}/`],
  )
  return rows.map(({ name, changed_at }) => ({ name, changedMs: changed_at.getTime() }))
}
