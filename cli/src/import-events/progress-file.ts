import { createHash } from 'node:crypto'
import { readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isRecord } from '@assay/contract'
import { writePrivateFile } from '../private-file.ts'
import type { Summary } from './summary.ts'

/** How far an import of the same files to the same place got. */
type Progress = { position: number; summary: Summary }

const fileName = '.assay-import.json'

/** The same files, of the same size, to the same server. */
export function importId(tool: string, files: readonly string[], target: string): string {
  const sizes = files.map((file) => `${file} ${statSync(file, { throwIfNoEntry: false })?.size ?? 0}`)
  return createHash('sha256')
    .update([tool, target, ...sizes].join('\n'))
    .digest('hex')
}

export function readProgress(directory: string, id: string): Progress | null {
  try {
    const stored: unknown = JSON.parse(readFileSync(join(directory, fileName), 'utf8'))
    if (!isRecord(stored) || stored.id !== id || typeof stored.position !== 'number') return null
    // boundary: this command wrote it, under the same id.
    return { position: stored.position, summary: stored.summary as Summary }
  } catch {
    return null
  }
}

export function writeProgress(directory: string, id: string, progress: Progress): void {
  const path = join(directory, fileName)
  writePrivateFile(`${path}.new`, JSON.stringify({ id, ...progress }))
  renameSync(`${path}.new`, path)
}

export const removeProgress = (directory: string) => rmSync(join(directory, fileName), { force: true })
