import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '..', '..')

type Manifest = {
  name: string
  version: string
  exports: Readonly<Record<string, string>>
}

export const readManifest = (home: string): Manifest =>
  JSON.parse(readFileSync(join(root, home, 'package.json'), 'utf8'))

export function emptyFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
}

/** What a published manifest takes over from the workspace: neither scripts nor what only our tests need. */
const shared = ['name', 'version', 'description', 'keywords', 'license', 'type', 'engines', 'publishConfig']

/**
 * Writes the manifest, the page for the registry and the licences. In the workspace a package is its source; published
 * it is what was bundled, so its entries are others.
 */
export function finishPackage(home: string, folder: string, entries: object, notices: string): void {
  const manifest = Object.entries(readManifest(home)).filter(([field]) => shared.includes(field))
  const published = { ...Object.fromEntries(manifest), ...entries }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(published, null, 2)}\n`)
  copyFileSync(join(root, home, 'README.md'), join(folder, 'README.md'))
  copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
  if (notices !== '') writeFileSync(join(folder, 'THIRD-PARTY-LICENSES.txt'), notices)
}
