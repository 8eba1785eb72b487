import { spawnSync } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { root } from './package-folder.ts'

/** Any file that a declaration names, by `from '…'` or `import('…')`. */
const named = /(?:from|import\() ?['"]([^'"]+)['"]/g

/**
 * Writes the types that these sources reach, and no others, to a folder. Throws if they need a package, since none is
 * installed with ours. `sources` are paths in the repository; their declarations keep them.
 */
export function writeDeclarations(config: string, sources: readonly string[], folder: string): void {
  const all = mkdtempSync(join(tmpdir(), 'assay-types-'))
  try {
    const options = ['--noEmit', 'false', '--declaration', '--emitDeclarationOnly', '--stripInternal']
    const { status, stdout } = spawnSync(
      join(root, 'node_modules/.bin/tsc'),
      ['-p', join(root, config), ...options, '--rootDir', root, '--outDir', all],
      { encoding: 'utf8' },
    )
    if (status !== 0) throw new Error(`The types cannot be written:\n${stdout}`)
    const texts = new Map(
      globSync('**/*.d.ts', { cwd: all }).map((path) => [path, readFileSync(join(all, path), 'utf8')]),
    )
    for (const path of reachedFrom(sources.map(declarationOf), texts)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), withPublishedNames(texts.get(path) ?? ''))
    }
  } finally {
    rmSync(all, { recursive: true, force: true })
  }
}

export const declarationOf = (source: string): string => source.replace(/\.ts$/, '.d.ts')

function reachedFrom(entries: readonly string[], texts: ReadonlyMap<string, string>): ReadonlySet<string> {
  const reached = new Set(entries)
  // A set hands out what is added while it is walked.
  for (const path of reached) {
    const text = texts.get(path)
    if (text === undefined) throw new Error(`There are no types of ${path}`)
    for (const [, name = ''] of text.matchAll(named)) {
      if (!name.startsWith('.')) throw new Error(`The types of ${path} need the package ${name}`)
      reached.add(join(path, '..', declarationOf(name)))
    }
  }
  return reached
}

/** The source names its own files; published types have to name the files next to them. */
const withPublishedNames = (text: string): string =>
  text.replaceAll(/((?:from|import\() ?['"]\.[^'"]*)\.ts(?=['"])/g, '$1.js')
