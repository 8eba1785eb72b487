import { mkdir, rm } from 'node:fs/promises'
import {
  Problem,
  type TransferManifest,
  type TransferPart,
  transferFormat,
  transferLimits,
  type WorkspaceExport,
} from '@assay/contract'
import type { People } from '../../identity/people.ts'
import type { Writer } from '../../ingest/loader/loader.ts'
import type { EventLog } from '../../ingest/wal/event-log.ts'
import type { Clock, NewId } from '../../platform/clock.ts'
import type { Failures } from '../../platform/failures.ts'
import { forEachItem, type ItemFailure } from '../../platform/items.ts'
import { pathWithin } from '../../platform/safe-path.ts'
import { hourMs } from '../../platform/units.ts'
import type { Control, Sql } from '../../store/control.ts'
import type { Events } from '../../store/events.ts'
import {
  beginSnapshot,
  readTable,
  selectColumns,
  selectLastMigration,
  selectPointers,
  selectReferred,
  selectWorkspaceName,
} from '../control-store.ts'
import { readEventsTable, selectLastEventsMigration, type Whose } from '../events-store.ts'
import { type Piece, partPath, readPiece, writePart } from '../files.ts'
import { controlTables, eventsTables, partNames } from '../tables.ts'

export type ExportWorld = {
  control: Control
  events: Events
  people: People
  writer: Writer
  log: EventLog
  logBytesMax: number
  directory: string
  now: Clock
  newId: NewId
  failures: Pick<Failures, 'report'>
}

export type Exports = {
  start: (workspaceId: string) => Promise<WorkspaceExport>
  get: (workspaceId: string, id: string) => WorkspaceExport
  read: (workspaceId: string, id: string, part: string, offset: number) => Promise<Piece>
  /** Whether anything of a workspace lies there, or is being written. */
  has: (workspaceId: string) => boolean
  /** Deletes the files of a workspace: a person in it was erased, or the workspace was deleted. */
  drop: (workspaceId: string) => Promise<void>
  removeOld: (onFailure: ItemFailure) => Promise<void>
  close: () => Promise<void>
}

type Job = WorkspaceExport & { workspaceId: string; expiresMs: number; running: Promise<void> }

const pageRows = 2_000
/** Which rows count may change while they are read; a computation that is under way ends in the meantime. */
const triesMax = 3
/** While rows are read the log only grows; with half of it full, what comes in is more important. */
const logShareMax = 0.5
/** What was acknowledged before is to be in it, and the store may be behind. */
const flushMsMax = 60_000

/** Files of exports lie on this node, one export a workspace. Those that a run before left behind are gone. */
export async function createExports(world: ExportWorld): Promise<Exports> {
  const { directory, now, newId } = world
  // bounded: one a workspace, for keptHours.
  const jobs = new Map<string, Job>()
  await rm(directory, { recursive: true, force: true })
  const directoryOf = (job: Job) => pathWithin(directory, job.id)
  const find = (workspaceId: string, id: string): Job => {
    const job = jobs.get(workspaceId)
    if (job?.id === id) return job
    throw new Problem('not-found', { detail: 'There is no such export on this node.' })
  }
  async function remove(job: Job): Promise<void> {
    if (jobs.get(job.workspaceId) === job) jobs.delete(job.workspaceId)
    await job.running
    await rm(directoryOf(job), { recursive: true, force: true })
  }
  return {
    async start(workspaceId) {
      const before = jobs.get(workspaceId)
      if (before?.status === 'running') {
        throw new Problem('conflict', { detail: `An export of this workspace is under way: ${before.id}.` })
      }
      if (before !== undefined) await remove(before)
      const expiresMs = now() + transferLimits.keptHours * hourMs
      const job: Job = {
        id: newId('exp'),
        workspaceId,
        status: 'running',
        rows_done: 0,
        error: null,
        manifest: null,
        expiresMs,
        expires_at: new Date(expiresMs).toISOString(),
        running: Promise.resolve(),
      }
      jobs.set(workspaceId, job)
      job.running = world.control.unhurried(() => runJob(world, job, directoryOf(job)))
      return shown(job)
    },
    get: (workspaceId, id) => shown(find(workspaceId, id)),
    async read(workspaceId, id, part, offset) {
      const job = find(workspaceId, id)
      if (!partNames.includes(part)) throw new Problem('not-found', { detail: 'There is no such part.' })
      if (job.status !== 'done') throw new Problem('conflict', { detail: 'The export is not done.' })
      const piece = await readPiece(partPath(directoryOf(job), part), offset)
      if (piece === null) throw new Problem('conflict', { detail: 'No line of the part begins there.' })
      return piece
    },
    has: (workspaceId) => jobs.has(workspaceId),
    async drop(workspaceId) {
      const job = jobs.get(workspaceId)
      if (job !== undefined) await remove(job)
    },
    async removeOld(onFailure) {
      const expired = [...jobs.values()].filter(({ expiresMs }) => expiresMs <= now())
      await forEachItem(expired, remove, onFailure)
    },
    async close() {
      for (const job of jobs.values()) await job.running
    },
  }
}

function shown({ id, status, rows_done, error, manifest, expires_at }: Job): WorkspaceExport {
  return { id, status, rows_done, error, manifest, expires_at }
}

async function runJob(world: ExportWorld, job: Job, directory: string): Promise<void> {
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 })
    job.manifest = await exportWorkspace(world, job.workspaceId, directory, (rows) => {
      job.rows_done += rows
    })
    job.status = 'done'
  } catch (error) {
    job.status = 'failed'
    job.error = error instanceof Problem ? error.message : 'Something went wrong on our side. Begin again.'
    if (!(error instanceof Problem)) world.failures.report('exports of workspaces', error)
  }
}

/**
 * No segment is loaded while rows are read, so that both stores are seen at one moment; events are acknowledged all the
 * while. What the control store says counts is asked again at the end, and if it changed, all is read again.
 */
async function exportWorkspace(
  world: ExportWorld,
  workspaceId: string,
  directory: string,
  onRows: (rows: number) => void,
): Promise<TransferManifest> {
  const { control, events, people, writer, now } = world
  if (!(await writer.flush(flushMsMax))) throw unavailable('The events store is behind.')
  return writer.withoutLoads(async () => {
    for (let tries = 1; ; tries++) {
      const exportedAt = new Date(now()).toISOString()
      const snapshot = await control.transaction((sql) => exportControl(sql, workspaceId, directory, onRows))
      const parts = [...snapshot.parts, ...(await exportEvents(world, snapshot.whose, directory, onRows))]
      if ((await selectPointers(control, workspaceId)) === snapshot.pointers) {
        return {
          format: transferFormat,
          workspace_id: workspaceId,
          workspace_name: snapshot.name,
          exported_at: exportedAt,
          person_key: people.keys.of(workspaceId),
          schema: `${snapshot.migration} ${await selectLastEventsMigration(events)}`,
          parts,
        }
      }
      if (tries === triesMax) throw unavailable('A back-fill or a computation is under way.')
    }
  })
}

type Snapshot = { parts: TransferPart[]; pointers: string; name: string; migration: string; whose: Whose }

async function exportControl(
  sql: Sql,
  workspaceId: string,
  directory: string,
  onRows: (rows: number) => void,
): Promise<Snapshot> {
  await beginSnapshot(sql)
  const pointers = await selectPointers(sql, workspaceId)
  const parts: TransferPart[] = []
  for (const table of controlTables) {
    const all = await selectColumns(sql, table.name)
    const columns = all.filter(({ name }) => !table.without?.includes(name))
    const part = await writePart(directory, table.name)
    for await (const rows of readTable(sql, table, columns, workspaceId, pageRows)) {
      await part.write(rows.map((row) => JSON.stringify(row)))
      onRows(rows.length)
    }
    parts.push(await part.end())
  }
  const name = await selectWorkspaceName(sql, workspaceId)
  const whose = { workspaceId, ...(await selectReferred(sql, workspaceId)) }
  return { parts, pointers, name, whose, migration: await selectLastMigration(sql) }
}

async function exportEvents(
  world: ExportWorld,
  whose: Whose,
  directory: string,
  onRows: (rows: number) => void,
): Promise<TransferPart[]> {
  const parts: TransferPart[] = []
  for (const table of eventsTables) {
    const part = await writePart(directory, table.name)
    for await (const lines of readEventsTable(world.events, table, whose)) {
      await part.write(lines)
      onRows(lines.length)
      if (world.log.pendingBytes > world.logBytesMax * logShareMax) {
        throw unavailable('So much comes in that the log was half full before all was read.')
      }
    }
    parts.push(await part.end())
  }
  return parts
}

function unavailable(detail: string): Problem {
  return new Problem('unavailable', { detail: `${detail} Begin the export again a little later.` })
}
