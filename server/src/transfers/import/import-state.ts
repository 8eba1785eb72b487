import { Problem, transferLimits, type WorkspaceImport } from '@assay/contract'
import type { Failures } from '../../platform/logging/failures.ts'
import type { StoredFiles } from '../../store/files/stored-files.ts'
import { type PartFolder, sizeOfLines } from '../files.ts'
import type { ApplyWorld } from './application.ts'
import { type ImportRow, selectImport } from './import-store.ts'

export type ImportWorld = ApplyWorld & {
  files: StoredFiles
  dataDir: string
  failures: Pick<Failures, 'report'>
}

export const keptMs = transferLimits.keptHours * 3_600_000

export const importsFolder = 'transfers/imports'

export const folderOf = (
  { files }: ImportWorld,
  { id, workspace_id: workspaceId }: Pick<ImportRow, 'id' | 'workspace_id'>,
): PartFolder => ({ files, folder: `${importsFolder}/${id}`, workspaceId })

/** Whether this node has the files of the import. */
export const isHere = ({ files, nodeId }: ImportWorld, row: ImportRow) =>
  files.isShared || row.node_id === nodeId

/** Of an import that is being put into place the rows are found in the stores, and its files go at the end of it. */
export async function idleFolder(world: ImportWorld, workspaceId: string): Promise<string | null> {
  const row = await selectImport(world.control, workspaceId)
  if (row === null || !isHere(world, row) || row.status === 'applying') return null
  const { folder } = folderOf(world, row)
  return (await world.files.list(folder)).length > 0 ? folder : null
}

export async function find(world: ImportWorld, workspaceId: string, id: string): Promise<ImportRow> {
  const row = await selectImport(world.control, workspaceId)
  if (row?.id === id && isHere(world, row)) return row
  throw new Problem('not-found', { detail: 'There is no such import.' })
}

export async function shown(world: ImportWorld, row: ImportRow): Promise<WorkspaceImport> {
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

export const stateWords = {
  receiving: 'The import is still being handed over.',
  applying: 'The import is being put into place already.',
  done: 'The import is done.',
  failed: 'The import failed. Begin it again.',
} as const
