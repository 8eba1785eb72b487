import { existsSync } from 'node:fs'
import { mkdir, readdir, rm } from 'node:fs/promises'
import {
  Problem,
  type TransferManifest,
  transferFormat,
  transferLimits,
  type WorkspaceImport,
} from '@assay/contract'
import type { Failures } from '../../platform/failures.ts'
import { requireFreeSpace } from '../../platform/free-space.ts'
import { forEachItem, type ItemFailure } from '../../platform/items.ts'
import { pathWithin } from '../../platform/safe-path.ts'
import { selectLastMigration } from '../control-store.ts'
import { selectLastEventsMigration } from '../events-store.ts'
import { measurePart, partPath, sizeOf, sizeOfLines, writePieceAt } from '../files.ts'
import { partNames } from '../tables.ts'
import { type ApplyWorld, applyImport, clearEvents, requireEmpty, tellImported } from './application.ts'
import {
  type ImportRow,
  selectApplying,
  selectImport,
  selectLatelyBegun,
  updateImport,
  upsertImport,
} from './import-store.ts'

export type ImportWorld = ApplyWorld & {
  nodeId: string
  directory: string
  failures: Pick<Failures, 'report'>
}

export type Imports = {
  start: (workspaceId: string, manifest: TransferManifest) => Promise<WorkspaceImport>
  get: (workspaceId: string, id: string) => Promise<WorkspaceImport>
  receive: (workspaceId: string, id: string, part: string, offset: number, text: string) => Promise<number>
  apply: (workspaceId: string, id: string) => Promise<WorkspaceImport>
  /** Whether files of a workspace lie here that are not, or not yet, in place. */
  holdsFiles: (workspaceId: string) => Promise<boolean>
  /**
   * Deletes uploaded files, since a person in the workspace was erased; a running import is left to finish.
   */
  drop: (workspaceId: string) => Promise<void>
  /** Continues imports that an ended process had started to apply. */
  resume: () => Promise<void>
  /** Deletes files of abandoned imports, or of deleted workspaces. */
  removeOld: (onFailure: ItemFailure) => Promise<void>
  /** When everything that is being put into place is there. */
  close: () => Promise<void>
}

const keptMs = transferLimits.keptHours * 3_600_000

export function createImports(world: ImportWorld): Imports {
  const { control, nodeId, now } = world
  // bounded: by the imports that are being put into place.
  const running = new Map<string, Promise<void>>()
  const inTurn = createTurns()
  function run(row: ImportRow): void {
    const work = world.control
      .unhurried(() => carryOut(world, row))
      .catch((error) => world.failures.report('imports', error))
    running.set(row.id, work)
    void work.then(() => running.delete(row.id))
  }
  return {
    start: (workspaceId, manifest) => inTurn(workspaceId, () => startImport(world, workspaceId, manifest)),
    get: async (workspaceId, id) => shown(world, await find(world, workspaceId, id)),
    receive: (workspaceId, id, part, offset, text) =>
      inTurn(workspaceId, async () => {
        const row = await find(world, workspaceId, id)
        return receivePiece(row, directoryOf(world, id), part, offset, text)
      }),
    apply: (workspaceId, id) =>
      inTurn(workspaceId, async () => {
        const row = await find(world, workspaceId, id)
        if (row.status !== 'receiving') throw new Problem('conflict', { detail: stateWords[row.status] })
        await requireComplete(row, directoryOf(world, id))
        await requireEmpty(world, workspaceId)
        await updateImport(control, id, ['receiving'], 'applying', null, new Date(now()))
        await world.filling.begin(workspaceId)
        run(row)
        return shown(world, { ...row, status: 'applying' })
      }),
    holdsFiles: async (workspaceId) => (await idleDirectory(world, workspaceId)) !== null,
    drop: (workspaceId) =>
      inTurn(workspaceId, async () => {
        const directory = await idleDirectory(world, workspaceId)
        if (directory !== null) await rm(directory, { recursive: true, force: true })
      }),
    async resume() {
      for (const row of await selectApplying(control)) if (row.node_id === nodeId) run(row)
    },
    async removeOld(onFailure) {
      const since = new Date(now() - keptMs)
      const wanted = new Set(await selectLatelyBegun(control, nodeId, since))
      const ids = await readdir(world.directory).catch(() => [])
      const old = ids.filter((id) => !wanted.has(id))
      await forEachItem(old, (id) => rm(directoryOf(world, id), { recursive: true, force: true }), onFailure)
    },
    async close() {
      await Promise.all(running.values())
    },
  }
}

type InTurn = <T>(workspaceId: string, work: () => Promise<T>) => Promise<T>

/** Pieces of one workspace come one after the other, or two of them would write over each other. */
function createTurns(): InTurn {
  // bounded: by the requests that are being answered.
  const turns = new Map<string, Promise<unknown>>()
  return (workspaceId, work) => {
    const turn = (turns.get(workspaceId) ?? Promise.resolve()).then(work, work)
    turns.set(workspaceId, turn)
    const leave = () => {
      if (turns.get(workspaceId) === turn) turns.delete(workspaceId)
    }
    turn.then(leave, leave)
    return turn
  }
}

const directoryOf = ({ directory }: ImportWorld, id: string) => pathWithin(directory, id)

/** Of an import that is being put into place the rows are found in the stores, and its files go at the end of it. */
async function idleDirectory(world: ImportWorld, workspaceId: string): Promise<string | null> {
  const row = await selectImport(world.control, workspaceId)
  if (row === null || row.node_id !== world.nodeId || row.status === 'applying') return null
  const directory = directoryOf(world, row.id)
  return existsSync(directory) ? directory : null
}

async function find({ control, nodeId }: ImportWorld, workspaceId: string, id: string): Promise<ImportRow> {
  const row = await selectImport(control, workspaceId)
  if (row?.id === id && row.node_id === nodeId) return row
  throw new Problem('not-found', { detail: 'There is no such import on this node.' })
}

async function shown(world: ImportWorld, row: ImportRow): Promise<WorkspaceImport> {
  const { id, rows_done, error, manifest } = row
  // A caller who reads that it is done finds the workspace open.
  const isOpen = row.status !== 'done' || !world.filling.has(row.workspace_id)
  const received = await Promise.all(
    manifest.parts.map(async ({ name }) => ({
      name,
      bytes: await sizeOfLines(partPath(directoryOf(world, id), name)),
    })),
  )
  const rows = manifest.parts.reduce((sum, part) => sum + part.rows, 0)
  return { id, status: isOpen ? row.status : 'applying', rows, rows_done, error, received }
}

async function startImport(
  world: ImportWorld,
  workspaceId: string,
  manifest: TransferManifest,
): Promise<WorkspaceImport> {
  const { control, nodeId, now, newId } = world
  await requireReadable(world, manifest)
  const before = await selectImport(control, workspaceId)
  const isAgain = before !== null && isSame(before, manifest, nodeId)
  // After a lost connection or a restart, the caller repeats the request and waits for the end.
  if (before?.status === 'applying' && isAgain) return shown(world, before)
  if (before?.status === 'applying') throw new Problem('conflict', { detail: stateWords.applying })
  if (before?.status === 'done' && isAgain) throw new Problem('conflict', { detail: inPlaceWords })
  await requireEmpty(world, workspaceId)
  if (isAgain && before.created_at.getTime() > now() - keptMs) {
    await updateImport(control, before.id, [before.status], 'receiving', null, new Date(now()))
    return shown(world, { ...before, status: 'receiving', error: null })
  }
  if (before !== null) await rm(directoryOf(world, before.id), { recursive: true, force: true })
  await requireRoom(world.directory, manifest)
  const row: ImportRow = {
    id: newId('imp'),
    workspace_id: workspaceId,
    node_id: nodeId,
    status: 'receiving',
    manifest,
    rows_done: 0,
    error: null,
    created_at: new Date(now()),
  }
  await mkdir(directoryOf(world, row.id), { recursive: true, mode: 0o700 })
  await upsertImport(control, row)
  return shown(world, row)
}

/**
 * Applies the import and records the result. The files are deleted when it is done; after a failure they can
 * be used again. While the events store cannot be cleaned after a failure, the workspace stays closed, and
 * the next start continues.
 */
async function carryOut(world: ImportWorld, row: ImportRow): Promise<void> {
  const { control, filling, now } = world
  const directory = directoryOf(world, row.id)
  const failure = await putInPlace(world, row, directory)
  if (failure !== null) {
    await clearEvents(world, row.workspace_id)
    const detail =
      failure instanceof Problem ? failure.message : 'Something went wrong on our side. Begin again.'
    await updateImport(control, row.id, ['applying'], 'failed', detail, new Date(now()))
  }
  try {
    if (failure === null) await tellImported(world, row)
  } finally {
    await filling.end(row.workspace_id)
  }
  if (failure === null) await rm(directory, { recursive: true, force: true })
  else if (!(failure instanceof Problem)) throw failure
}

async function putInPlace(world: ImportWorld, row: ImportRow, directory: string): Promise<Error | null> {
  try {
    // Of an import that is gone on with after a start, the files may be gone.
    await requireComplete(row, directory)
    await applyImport(world, row, directory)
    return null
  } catch (error) {
    // A connection may break with the very word that it is done.
    const current = await selectImport(world.control, row.workspace_id)
    if (current?.id === row.id && current.status === 'done') return null
    return error instanceof Error ? error : new Error(String(error))
  }
}

const stateWords = {
  receiving: 'The import is still being handed over.',
  applying: 'The import is being put into place already.',
  done: 'The import is done.',
  failed: 'The import failed. Begin it again.',
} as const

const inPlaceWords = 'This export is in place here already: nothing is left to be done.'

function isSame(before: ImportRow, manifest: TransferManifest, nodeId: string): boolean {
  const sums = ({ parts }: TransferManifest) => parts.map(({ name, sha256 }) => `${name} ${sha256}`).join()
  return before.node_id === nodeId && sums(before.manifest) === sums(manifest)
}

/** The rows of a newer release may have what this one does not know; those of an older one are understood. */
async function requireReadable({ control, events }: ImportWorld, manifest: TransferManifest): Promise<void> {
  const refuse = (detail: string) => new Problem('conflict', { detail })
  if (manifest.format !== transferFormat) {
    throw refuse(`This export has format ${manifest.format}, and this server reads format ${transferFormat}.`)
  }
  const [control0 = '', events0 = ''] = manifest.schema.split(' ')
  const isNewer =
    control0 > (await selectLastMigration(control)) || events0 > (await selectLastEventsMigration(events))
  if (isNewer) throw refuse('This export was made by a newer release. Update this server first.')
  const unknown = manifest.parts.find(({ name }) => !partNames.includes(name))
  if (unknown !== undefined) throw refuse(`This server does not know the part ${unknown.name}.`)
  const names = new Set(manifest.parts.map(({ name }) => name))
  if (names.size !== manifest.parts.length) throw refuse('A part stands twice in the manifest.')
  const bytes = manifest.parts.reduce((sum, part) => sum + part.bytes, 0)
  if (bytes > transferLimits.bytesMax) throw refuse(`More than ${transferLimits.bytesMax} bytes in all.`)
}

/** The files of an import, and as much again for the rows that are made of them. */
async function requireRoom(directory: string, { parts }: TransferManifest): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  await requireFreeSpace(directory, 2 * parts.reduce((sum, { bytes }) => sum + bytes, 0))
}

async function receivePiece(
  row: ImportRow,
  directory: string,
  name: string,
  offset: number,
  text: string,
): Promise<number> {
  const part = row.manifest.parts.find((one) => one.name === name)
  if (part === undefined) throw new Problem('not-found', { detail: 'There is no such part in this import.' })
  if (row.status !== 'receiving') throw new Problem('conflict', { detail: stateWords[row.status] })
  const path = partPath(directory, name)
  const bytes = await sizeOf(path)
  const length = Buffer.byteLength(text)
  if (offset > bytes) throw new Problem('conflict', { detail: `The next piece begins at ${bytes}.` })
  if (offset + length > part.bytes)
    throw new Problem('conflict', { detail: `The part has ${part.bytes} bytes.` })
  await requireFreeSpace(directory, length)
  return writePieceAt(path, offset, text)
}

async function requireComplete({ manifest }: ImportRow, directory: string): Promise<void> {
  for (const promised of manifest.parts) {
    const found = await measurePart(directory, promised.name)
    if (found.sha256 === promised.sha256 && found.rows === promised.rows) continue
    const isWhole = found.bytes === promised.bytes
    const reason = isWhole
      ? 'is not what the manifest promises'
      : `has ${found.bytes} of ${promised.bytes} bytes`
    // Nothing can be appended to it: it is uploaded again.
    if (isWhole) await rm(partPath(directory, promised.name), { force: true })
    throw new Problem('conflict', { detail: `The part ${promised.name} ${reason}.` })
  }
}
