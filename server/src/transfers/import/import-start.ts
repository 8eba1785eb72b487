import {
  Problem,
  type TransferManifest,
  transferFormat,
  transferLimits,
  type WorkspaceImport,
} from '@assay/contract'
import { requireFreeSpace } from '../../platform/files/free-space.ts'
import { selectLastMigration } from '../control-store.ts'
import { selectLastEventsMigration } from '../events-store.ts'
import { partNames } from '../tables.ts'
import { requireEmpty } from './application.ts'
import { folderOf, type ImportWorld, isHere, keptMs, shown, stateWords } from './import-state.ts'
import { type ImportRow, selectImport, updateImport, upsertImport } from './import-store.ts'

export async function startImport(
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
