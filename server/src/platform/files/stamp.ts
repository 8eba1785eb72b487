import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../../../', import.meta.url))

/** 64 bits distinguish all versions. */
const stampDigits = 16

/** No build contains them: a changed test is no reason to make the dashboard again. */
const isOfTests = /\.test\.tsx?$/

/** Names a build of these files and folders: the same sources give the same stamp. */
export function stampOf(sources: readonly string[]): string {
  const hash = createHash('sha256')
  for (const source of sources) {
    for (const path of filesOf(source)) hash.update(`${path}\0`).update(readFileSync(root + path))
  }
  return hash.digest('hex').slice(0, stampDigits)
}

function filesOf(source: string): string[] {
  // The container has no lock file next to the sources; what it installed is fixed anyway.
  if (!existsSync(root + source)) return []
  if (/\.\w+$/.test(source)) return [source]
  const names = readdirSync(root + source, { recursive: true, encoding: 'utf8' }).sort()
  return names
    .filter((name) => /\.(?:tsx?|css|svg|json|md|png)$/.test(name) && !isOfTests.test(name))
    .map((name) => `${source}/${name}`)
}
