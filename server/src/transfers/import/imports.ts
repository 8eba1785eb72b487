import {
  Problem,
  type TransferManifest,
  transferFormat,
  transferLimits,
  type WorkspaceImport,
} from '@assay/contract'
import { requireFreeSpace } from '../../platform/files/free-space.ts'
import { forEachItem, type ItemFailure } from '../../platform/items.ts'
import type { Failures } from '../../platform/logging/failures.ts'
import type { StoredFiles } from '../../store/files/stored-files.ts'
import { selectLastMigration } from '../control-store.ts'
import { selectLastEventsMigration } from '../events-store.ts'
import { measurePart, type PartFolder, partPath, sizeOfLines } from '../files.ts'
import { partNames } from '../tables.ts'
import {
  type ApplyWorld,
  applyImport,
  clearEvents,
  ImportTaken,
  publishImported,
  requireEmpty,
} from './application.ts'
import {
  claimImport,
  type ImportRow,
  seeImport,
  selectApplying,
  selectImport,
  selectLatelyBegun,
  takeOverImports,
  updateImport,
  upsertImport,
} from './import-store.ts'

export type ImportWorld = ApplyWorld & {
  files: StoredFiles
  dataDir: string
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
  /** Continues what a node that is gone had started to apply, where several nodes share the files. */
  takeOver: () => Promise<void>
  /** Deletes files of abandoned imports, or of deleted workspaces. */
  removeOld: (onFailure: ItemFailure) => Promise<void>
  /** When everything that is being put into place is there. */
  close: () => Promise<void>
}

const keptMs = transferLimits.keptHours * 3_600_000
/** A node that was not at its import for so long is taken to be gone. */
const unseenSeconds = 60
const seenMs = 5_000
const importsFolder = 'transfers/imports'

export function createImports(world: ImportWorld): Imports {
  const { control, nodeId, now } = world
  // bounded: by the imports that are being put into place.
  const running = new Map<string, Promise<void>>()
  const inTurn = createTurns()
  function run(row: ImportRow): void {
    const see = () => void seeImport(control, row.id, nodeId).catch(() => {})
    const seen = world.files.isShared ? setInterval(see, seenMs).unref() : undefined
    const work = control
      .unhurried(() => carryOut(world, row))
      .catch((error) => world.failures.report('imports', error))
      .finally(() => clearInterval(seen))
    running.set(row.id, work)
    void work.then(() => running.delete(row.id))
  }
  return {
    start: (workspaceId, manifest) => inTurn(workspaceId, () => startImport(world, workspaceId, manifest)),
    get: async (workspaceId, id) => shown(world, await find(world, workspaceId, id)),
    receive: (workspaceId, id, part, offset, text) =>
      inTurn(workspaceId, async () => {
        const row = await find(world, workspaceId, id)
        return receivePiece(world, row, part, offset, text)
      }),
    apply: (workspaceId, id) =>
      inTurn(workspaceId, async () => {
        const row = await find(world, workspaceId, id)
        if (row.status !== 'receiving') throw new Problem('conflict', { detail: stateWords[row.status] })
        await requireComplete(row, folderOf(world, row))
        await requireEmpty(world, workspaceId)
        if (!(await claimImport(control, id, nodeId)))
          throw new Problem('conflict', { detail: stateWords.applying })
        await world.importLock.begin(workspaceId)
        run(row)
        return shown(world, { ...row, status: 'applying' })
      }),
    holdsFiles: async (workspaceId) => (await idleFolder(world, workspaceId)) !== null,
    drop: (workspaceId) =>
      inTurn(workspaceId, async () => {
        const folder = await idleFolder(world, workspaceId)
        if (folder !== null) await world.files.remove(folder)
      }),
    async resume() {
      for (const row of await selectApplying(control)) if (row.node_id === nodeId) run(row)
    },
    async takeOver() {
      if (!world.files.isShared) return
      for (const row of await takeOverImports(control, nodeId, unseenSeconds)) run(row)
    },
    async removeOld(onFailure) {
      const since = new Date(now() - keptMs)
      const holder = world.files.isShared ? null : nodeId
      const wanted = new Set(await selectLatelyBegun(control, holder, since))
      const old = (await world.files.list(importsFolder)).filter(({ name }) => !wanted.has(name))
      await forEachItem(old, ({ name }) => world.files.remove(`${importsFolder}/${name}`), onFailure)
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

const folderOf = (
  { files }: ImportWorld,
  { id, workspace_id: workspaceId }: Pick<ImportRow, 'id' | 'workspace_id'>,
): PartFolder => ({ files, folder: `${importsFolder}/${id}`, workspaceId })

/** Whether this node has the files of the import. */
const isHere = ({ files, nodeId }: ImportWorld, row: ImportRow) => files.isShared || row.node_id === nodeId

/** Of an import that is being put into place the rows are found in the stores, and its files go at the end of it. */
async function idleFolder(world: ImportWorld, workspaceId: string): Promise<string | null> {
  const row = await selectImport(world.control, workspaceId)
  if (row === null || !isHere(world, row) || row.status === 'applying') return null
  const { folder } = folderOf(world, row)
  return (await world.files.list(folder)).length > 0 ? folder : null
}

async function find(world: ImportWorld, workspaceId: string, id: string): Promise<ImportRow> {
  const row = await selectImport(world.control, workspaceId)
  if (row?.id === id && isHere(world, row)) return row
  throw new Problem('not-found', { detail: 'There is no such import.' })
}

async function shown(world: ImportWorld, row: ImportRow): Promise<WorkspaceImport> {
  const { id, rows_done, error, manifest } = row
  // A caller who reads that it is done finds the workspace open.
  const isOpen = row.status !== 'done' || !world.importLock.has(row.workspace_id)
  const received = await Promise.all(
    manifest.parts.map(async ({ name }) => ({
      name,
      bytes: await sizeOfLines(folderOf(world, row), name),
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
  const isAgain = before !== null && isHere(world, before) && isSame(before, manifest)
  // After a lost connection or a restart, the caller repeats the request and waits for the end.
  if (before?.status === 'applying' && isAgain) return shown(world, before)
  if (before?.status === 'applying') throw new Problem('conflict', { detail: stateWords.applying })
  if (before?.status === 'done' && isAgain) throw new Problem('conflict', { detail: inPlaceWords })
  await requireEmpty(world, workspaceId)
  if (isAgain && before.created_at.getTime() > now() - keptMs) {
    await updateImport(control, before.id, [before.status], 'receiving', null, new Date(now()))
    return shown(world, { ...before, status: 'receiving', error: null })
  }
  if (before !== null) await world.files.remove(folderOf(world, before).folder)
  if (!world.files.isShared) await requireRoom(world.dataDir, manifest)
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
  await upsertImport(control, row)
  return shown(world, row)
}

/**
 * Applies the import and records the result. The files are deleted when it is done; after a failure they can
 * be used again. While the events store cannot be cleaned after a failure, the workspace stays closed, and
 * the next start continues.
 */
async function carryOut(world: ImportWorld, row: ImportRow): Promise<void> {
  const { control, importLock, now } = world
  const at = folderOf(world, row)
  const failure = await putInPlace(world, row, at)
  // The other node clears up, and records the end.
  if (failure instanceof ImportTaken) return
  if (failure !== null) {
    await clearEvents(world, row.workspace_id)
    const detail =
      failure instanceof Problem ? failure.message : 'Something went wrong on our side. Begin again.'
    await updateImport(control, row.id, ['applying'], 'failed', detail, new Date(now()))
  }
  try {
    if (failure === null) await publishImported(world, row)
  } finally {
    await importLock.end(row.workspace_id)
  }
  if (failure === null) await world.files.remove(at.folder)
  else if (!(failure instanceof Problem)) throw failure
}

async function putInPlace(world: ImportWorld, row: ImportRow, at: PartFolder): Promise<Error | null> {
  try {
    // Of an import that is gone on with after a start, the files may be gone.
    await requireComplete(row, at)
    await applyImport(world, row, at)
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

function isSame(before: ImportRow, manifest: TransferManifest): boolean {
  const sums = ({ parts }: TransferManifest) => parts.map(({ name, sha256 }) => `${name} ${sha256}`).join()
  return sums(before.manifest) === sums(manifest)
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
  await requireFreeSpace(directory, 2 * parts.reduce((sum, { bytes }) => sum + bytes, 0))
}

async function receivePiece(
  world: ImportWorld,
  row: ImportRow,
  name: string,
  offset: number,
  text: string,
): Promise<number> {
  const part = row.manifest.parts.find((one) => one.name === name)
  if (part === undefined) throw new Problem('not-found', { detail: 'There is no such part in this import.' })
  if (row.status !== 'receiving') throw new Problem('conflict', { detail: stateWords[row.status] })
  const { files, workspaceId, ...at } = folderOf(world, row)
  const path = partPath(at, name)
  const bytes = (await files.size(path)) ?? 0
  const piece = Buffer.from(text)
  if (offset > bytes) throw new Problem('conflict', { detail: `The next piece begins at ${bytes}.` })
  if (offset + piece.length > part.bytes)
    throw new Problem('conflict', { detail: `The part has ${part.bytes} bytes.` })
  if (!files.isShared) await requireFreeSpace(world.dataDir, piece.length)
  await files.write(path, offset, piece, { workspaceId, isDurable: true })
  return offset + piece.length
}

async function requireComplete({ manifest }: ImportRow, at: PartFolder): Promise<void> {
  for (const promised of manifest.parts) {
    const found = await measurePart(at, promised.name)
    if (found.sha256 === promised.sha256 && found.rows === promised.rows) continue
    const isWhole = found.bytes === promised.bytes
    const reason = isWhole
      ? 'is not what the manifest promises'
      : `has ${found.bytes} of ${promised.bytes} bytes`
    // Nothing can be appended to it: it is uploaded again.
    if (isWhole) await at.files.remove(partPath(at, promised.name))
    throw new Problem('conflict', { detail: `The part ${promised.name} ${reason}.` })
  }
}
