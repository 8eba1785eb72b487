import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const folder = join(import.meta.dirname, '../../../../shared/data')

/** Published reference results, next to the repository if present; never in it. */
export function referenceText(path: string): string | null {
  const file = join(folder, path)
  if (existsSync(file)) return readFileSync(file, 'utf8')
  console.info(`reference data is absent: ${path}`)
  return null
}
