import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isRecord } from '@assay/contract'
import { makePrivateDirectory, writePrivateFile } from '../private-file.ts'
import type { World } from '../world.ts'

/** Keys by server address, in the user's home directory and never in the project. */
function credentialsFile({ home, environment }: Pick<World, 'home' | 'environment'>): string {
  const folder = environment.XDG_CONFIG_HOME || join(home, '.config')
  return join(folder, 'assay', 'credentials.json')
}

function readAll(file: string): Record<string, unknown> {
  if (!existsSync(file)) return {}
  const read: unknown = JSON.parse(readFileSync(file, 'utf8'))
  return isRecord(read) ? { ...read } : {}
}

export function savedKey(world: World, server: string): string | null {
  const entry = readAll(credentialsFile(world))[server]
  return isRecord(entry) && typeof entry.key === 'string' ? entry.key : null
}

/** Returns the path of the file, which only its owner can read. */
export function saveKey(world: World, server: string, key: string): string {
  const file = credentialsFile(world)
  makePrivateDirectory(dirname(file))
  const all = { ...readAll(file), [server]: { key } }
  writePrivateFile(file, `${JSON.stringify(all, null, 2)}\n`)
  return file
}
