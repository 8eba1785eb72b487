import { type BackingUp, createBackingUp } from './export/backups.ts'
import { createExports, type Exports, type ExportWorld } from './export/exports.ts'
import type { ImportWorld } from './import/import-state.ts'
import { createImports, type Imports } from './import/imports.ts'

/** Workspaces that leave an installation and that come into it, and copies of the whole of it. */
export type Transfers = { exports: Exports; imports: Imports; backingUp: BackingUp }

type TransferOptions = ExportWorld & ImportWorld & { dataDir: string }

export async function createTransfers({ dataDir, ...world }: TransferOptions): Promise<Transfers> {
  const exports = await createExports(world)
  return {
    exports,
    imports: createImports({ ...world, dataDir }),
    backingUp: await createBackingUp({ ...world, dataDir }),
  }
}
