import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newId } from '../../platform/clock.ts'
import { type Control, openControl } from '../../store/control.ts'
import { makeDatabase, prepareControl } from '../../testing/harness.ts'
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
  const { url, drop } = await makeDatabase()
  const nodes = [await openControl({ dataDir: '', url }), await openControl({ dataDir: '', url })]
  return {
    nodes,
    close: async () => {
      for (const node of nodes) await node.close()
      await drop()
    },
  }
}

export async function newWorkspace(control: Control): Promise<string> {
  const workspaceId = newId('ws')
  await openWorkspace(control, workspaceId, 'Test')
  return workspaceId
}
