import { Problem, type TransferManifest, type WorkspaceImport } from '@assay/contract'
import { createTurns } from '../../platform/concurrency/turns.ts'
import { forEachItem, type ItemFailure } from '../../platform/items.ts'
import { requireEmpty } from './application.ts'
import { carryOut } from './execution.ts'
import { startImport } from './import-start.ts'
import {
  find,
  folderOf,
  type ImportWorld,
  idleFolder,
  importsFolder,
  keptMs,
  shown,
  stateWords,
} from './import-state.ts'
import {
  claimImport,
  type ImportRow,
  seeImport,
  selectApplying,
  selectLatelyBegun,
  takeOverImports,
} from './import-store.ts'
import { receivePiece, requireComplete } from './pieces.ts'

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

/** A node that was not at its import for so long is taken to be gone. */
const unseenSeconds = 60
const seenMs = 5_000

export function createImports(world: ImportWorld): Imports {
  const { control, nodeId, now } = world
  // bounded: by the imports that are being put into place.
  const running = new Map<string, Promise<void>>()
  // Two pieces of one workspace would write over each other.
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
