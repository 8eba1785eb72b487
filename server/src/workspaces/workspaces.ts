import type { Sql } from '../store/control.ts'
import { countWorkspaces, insertWorkspace } from './store.ts'

export async function hasWorkspaces(sql: Sql): Promise<boolean> {
  return (await countWorkspaces(sql)) > 0
}

export async function openWorkspace(sql: Sql, id: string, name: string): Promise<void> {
  await insertWorkspace(sql, id, name)
}
