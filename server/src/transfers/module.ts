import type { IdentityModule } from '../identity/module.ts'
import type { IngestModule } from '../ingest/module.ts'
import type { Module } from '../platform/module.ts'
import type { Platform } from '../platform/platform.ts'
import type { WorkspacesModule } from '../workspaces/module.ts'
import type { ImportLock } from './import/import-lock.ts'
import { transferJobs } from './jobs.ts'
import { transferData } from './personal-data.ts'
import { transferRoutes } from './routes.ts'
import { createTransfers, type Transfers } from './transfers.ts'

type Needs = {
  workspaces: WorkspacesModule
  identity: IdentityModule
  ingest: IngestModule
  /** Workspaces that are being put into place. */
  importLock: ImportLock
}
type TransfersModule = Module & Transfers

/** A workspace as files: out of one installation, into another, and backups. */
export async function createTransfersModule(platform: Platform, needs: Needs): Promise<TransfersModule> {
  const { ingest, log, writer } = needs.ingest
  const { dataDir, logBytesMax } = platform.config
  const transfers = await createTransfers({
    ...platform,
    dataDir,
    logBytesMax,
    people: needs.identity.people,
    ingest,
    log,
    writer,
    importLock: needs.importLock,
    renewed: needs.workspaces.closed.renewed,
  })
  const { exports, imports } = transfers
  return {
    ...transfers,
    routes: (plane) => transferRoutes(plane, transfers),
    jobs: () => transferJobs(transfers),
    personalData: { copies: transferData(transfers) },
    workspaceGone: (workspaceId) => void exports.drop(workspaceId),
    resume: () => imports.resume(),
    close: async () => {
      await imports.close()
      await exports.close()
    },
  }
}
