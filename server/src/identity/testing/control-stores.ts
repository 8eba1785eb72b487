import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newId } from '../../platform/clock.ts'
import { type Control, openControl } from '../../store/control.ts'
import { readMigrations } from '../../store/migrations/migration-files.ts'
import { prepareControl } from '../../testing/harness.ts'
import { startPostgres } from '../../testing/postgres-server.ts'
import { openWorkspace } from '../../workspaces/workspaces.ts'

/** One connection a node: an embedded store has one, a server two. */
export type ControlStore = { nodes: Control[]; close: () => Promise<void> }

export async function openEmbeddedStore(): Promise<ControlStore> {
  const dataDir = await prepareControl(mkdtempSync(join(tmpdir(), 'assay-identity-')))
  const control = await openControl({ dataDir })
  return {
    nodes: [control],
    close: async () => {
      await control.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

export async function openServerStore(): Promise<ControlStore> {
  const server = await startPostgres()
  const url = await server.url('identity_test')
  const nodes = [await openControl({ dataDir: '', url }), await openControl({ dataDir: '', url })]
  const [first] = nodes
  if (first !== undefined) await migrated(first)
  return {
    nodes,
    close: async () => {
      for (const node of nodes) await node.close()
      await server.stop()
    },
  }
}

async function migrated(control: Control): Promise<void> {
  for (const { text } of readMigrations('control')) await control.script(text)
}

export async function newWorkspace(control: Control): Promise<string> {
  const workspaceId = newId('ws')
  await openWorkspace(control, workspaceId, 'Test')
  return workspaceId
}
