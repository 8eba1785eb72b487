import { randomBytes } from 'node:crypto'
import type { Sql } from '../store/control.ts'
import { countWorkspaces, insertWorkspace, installationSecret } from './store.ts'

export async function hasWorkspaces(sql: Sql): Promise<boolean> {
  return (await countWorkspaces(sql)) > 0
}

export async function openWorkspace(sql: Sql, id: string, name: string): Promise<void> {
  await insertWorkspace(sql, id, name)
}

/** A secret that all nodes of this installation share, made by whoever asks first. */
export function sharedSecret(sql: Sql, name: string): Promise<string> {
  return installationSecret(sql, name, randomBytes(32).toString('hex'))
}
