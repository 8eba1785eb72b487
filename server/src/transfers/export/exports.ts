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
import { forEachItem, type ItemFailure } from '../../platform/items.ts'
import type { Failures } from '../../platform/logging/failures.ts'
import { hourMs } from '../../platform/units.ts'
import type { Control, Sql } from '../../store/control.ts'
import type { Events } from '../../store/events.ts'
import type { StoredFiles } from '../../store/files/stored-files.ts'
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
import { type PartFolder, type Piece, readPiece, writePart } from '../files.ts'
import { controlTables, eventsTables, partNames } from '../tables.ts'
import { dropRecord, findRecord, keepRecord, unseenSeconds } from './export-records.ts'
import { beginExport, selectExportIds } from './export-store.ts'

export type ExportWorld = {
  control: Control
  events: Events
  people: People
  writer: Writer
  log: EventLog
  logBytesMax: number
  files: StoredFiles
  now: Clock
  newId: NewId
  failures: Pick<Failures, 'report'>
}

export type Exports = {
  start: (workspaceId: string) => Promise<WorkspaceExport>
  get: (workspaceId: string, id: string) => Promise<WorkspaceExport>
  read: (workspaceId: string, id: string, part: string, offset: number) => Promise<Piece>
  /** Whether anything of a workspace lies there, or is being written. */
  has: (workspaceId: string) => Promise<boolean>
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

const exportsFolder = 'transfers/exports'
const folderOf = (id: string) => `${exportsFolder}/${id}`

/**
 * One export a workspace. Where several nodes share the files, they also share which exports there are, so that any of
 * them hands it over; otherwise it is known to this process only, and what a run before left behind is gone.
 */
export async function createExports(world: ExportWorld): Promise<Exports> {
  const { files, control, now } = world
  // bounded: one a workspace, for keptHours.
  const jobs = new Map<string, Job>()
  if (!files.isShared) await files.remove(exportsFolder)
  const ofOthers = (workspaceId: string) => (files.isShared ? findRecord(control, workspaceId) : null)
  const find = async (workspaceId: string, id: string): Promise<WorkspaceExport> => {
    // Without shared files only this process knows of it; with them one of another node may have replaced it.
    const job = jobs.get(workspaceId)
    const found = files.isShared && job?.status !== 'running' ? await ofOthers(workspaceId) : (job ?? null)
    if (found?.id === id) return found
    throw new Problem('not-found', { detail: 'There is no such export.' })
  }
  async function remove(job: Job): Promise<void> {
    if (jobs.get(job.workspaceId) === job) jobs.delete(job.workspaceId)
    // Before it is over: a job whose record is gone removes what it wrote.
    if (files.isShared) await dropRecord(control, job.id)
    await job.running
    await files.remove(folderOf(job.id))
  }
  return {
    async start(workspaceId) {
      const before = jobs.get(workspaceId)
      const other = await ofOthers(workspaceId)
      if (before?.status === 'running' || other?.isRunning) {
        const id = before?.id ?? other?.id
        throw new Problem('conflict', { detail: `An export of this workspace is under way: ${id}.` })
      }
      if (before !== undefined) await remove(before)
      if (other !== null) await files.remove(folderOf(other.id))
      const job = await beginJob(world, workspaceId)
      jobs.set(workspaceId, job)
      job.running = control.unhurried(() => runJob(world, job))
      return shown(job)
    },
    get: async (workspaceId, id) => shown(await find(workspaceId, id)),
    async read(workspaceId, id, part, offset) {
      const { status } = await find(workspaceId, id)
      if (!partNames.includes(part)) throw new Problem('not-found', { detail: 'There is no such part.' })
      if (status !== 'done') throw new Problem('conflict', { detail: 'The export is not done.' })
      const piece = await readPiece({ files, folder: folderOf(id), workspaceId }, part, offset)
      if (piece === null) throw new Problem('conflict', { detail: 'No line of the part begins there.' })
      return piece
    },
    has: async (workspaceId) => jobs.has(workspaceId) || (await ofOthers(workspaceId)) !== null,
    async drop(workspaceId) {
      const job = jobs.get(workspaceId)
      if (job !== undefined) await remove(job)
      const other = await ofOthers(workspaceId)
      if (other === null) return
      await dropRecord(control, other.id)
      await files.remove(folderOf(other.id))
    },
    async removeOld(onFailure) {
      const expired = [...jobs.values()].filter(({ expiresMs }) => expiresMs <= now())
      await forEachItem(expired, remove, onFailure)
      if (files.isShared) await removeUnknown(world, onFailure)
    },
    async close() {
      for (const job of jobs.values()) await job.running
    },
  }
}

async function beginJob({ files, control, now, newId }: ExportWorld, workspaceId: string): Promise<Job> {
  const expiresMs = now() + transferLimits.keptHours * hourMs
  const id = newId('exp')
  const expires = new Date(expiresMs)
  const row = { workspace_id: workspaceId, id, expires_at: expires }
  if (files.isShared && !(await beginExport(control, row, unseenSeconds))) {
    throw new Problem('conflict', { detail: 'An export of this workspace is under way on another node.' })
  }
  const begun = { rows_done: 0, error: null, manifest: null, running: Promise.resolve() }
  return { id, workspaceId, status: 'running', ...begun, expiresMs, expires_at: expires.toISOString() }
}

/** Of nodes that are gone, and of exports that were dropped while another node made them. */
async function removeUnknown({ files, control, now }: ExportWorld, onFailure: ItemFailure): Promise<void> {
  const known = new Set(await selectExportIds(control, new Date(now())))
  const unknown = (await files.list(exportsFolder)).filter(({ name }) => !known.has(name))
  await forEachItem(unknown, ({ name }) => files.remove(folderOf(name)), onFailure)
}

function shown({ id, status, rows_done, error, manifest, expires_at }: WorkspaceExport): WorkspaceExport {
  return { id, status, rows_done, error, manifest, expires_at }
}

async function runJob(world: ExportWorld, job: Job): Promise<void> {
  const { files, control, failures } = world
  const at = { files, folder: folderOf(job.id), workspaceId: job.workspaceId }
  const endRecord = files.isShared ? keepRecord(control, () => job) : null
  try {
    job.manifest = await exportWorkspace(world, at, (rows) => {
      job.rows_done += rows
    })
    job.status = 'done'
  } catch (error) {
    job.status = 'failed'
    job.error = error instanceof Problem ? error.message : 'Something went wrong on our side. Begin again.'
    if (!(error instanceof Problem)) failures.report('exports of workspaces', error)
  }
  try {
    if (endRecord !== null && !(await endRecord())) await files.remove(at.folder)
  } catch (error) {
    // Its record is of a node that is not seen any more: it has failed, and its files go with it.
    failures.report('exports of workspaces', error)
  }
}

/**
 * No segment is loaded while rows are read, so that both stores are seen at one moment; events are acknowledged all the
 * while. What the control store says counts is asked again at the end, and if it changed, all is read again.
 */
async function exportWorkspace(
  world: ExportWorld,
  at: PartFolder,
  onRows: (rows: number) => void,
): Promise<TransferManifest> {
  const { workspaceId } = at
  const { control, events, people, writer, now } = world
  if (!(await writer.flush(flushMsMax))) throw unavailable('The events store is behind.')
  return writer.withoutLoads(async () => {
    for (let tries = 1; ; tries++) {
      const exportedAt = new Date(now()).toISOString()
      const snapshot = await control.transaction((sql) => exportControl(sql, at, onRows))
      const parts = [...snapshot.parts, ...(await exportEvents(world, snapshot.whose, at, onRows))]
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

async function exportControl(sql: Sql, at: PartFolder, onRows: (rows: number) => void): Promise<Snapshot> {
  const { workspaceId } = at
  await beginSnapshot(sql)
  const pointers = await selectPointers(sql, workspaceId)
  const parts: TransferPart[] = []
  for (const table of controlTables) {
    const all = await selectColumns(sql, table.name)
    const columns = all.filter(({ name }) => !table.without?.includes(name))
    const part = await writePart(at, table.name)
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
  at: PartFolder,
  onRows: (rows: number) => void,
): Promise<TransferPart[]> {
  const parts: TransferPart[] = []
  for (const table of eventsTables) {
    const part = await writePart(at, table.name)
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
