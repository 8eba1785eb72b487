import { join } from 'node:path/posix'
import { committedOutput, testFile, type Violation } from './file-rules.ts'
import type { Import } from './import-rules.ts'
import type { Repository } from './repository-rules.ts'
import { lineAt, type SourceText } from './source-text.ts'

const declaration =
  /^export (?:declare )?(?:async )?(?:function\*?|const|let|(?:abstract )?class|type|interface|enum) (\w+)/gm
const taken = /^export const \{([^}]*)\} =/gm
/** What an import takes: the part between its first word and its address. */
const clause = /\b(?:import|export)\s+(?:type\s+)?([^;'"`]*?)\s*\bfrom\s*$/
/** Longer than the longest list of names in an import. */
const clauseCharactersMax = 4_000

type Use = { from: string; names: readonly string[] | 'all' }

/**
 * Refuses an export that no other file imports: a reader takes it for something that others depend on. A test counts
 * as another file. What a package publishes is named in its manifest, and is for others to import.
 */
export function checkExports(
  sources: readonly SourceText[],
  imports: readonly Import[],
  { files, read }: Repository,
): Violation[] {
  const published = publishedFiles(files, read)
  const byPath = new Map(sources.map((source) => [source.path, source]))
  const uses = Map.groupBy(
    imports.filter(({ from, to }) => from !== to),
    ({ to }) => to,
  )
  const usesOf = (file: string): Use[] =>
    (uses.get(file) ?? []).map((found) => ({ from: found.from, names: namesOf(found, byPath) }))

  /** A file that only passes names on does not use them. */
  const isUsed = (file: string, name: string): boolean =>
    usesOf(file).some(({ from, names }) => {
      if (names !== 'all' && !names.includes(name)) return false
      return !isIndex(from) || isUsed(from, name)
    })

  return sources
    .filter(({ path }) => isChecked(path) && !published.has(path))
    .flatMap(({ path, text, code }) =>
      exportsOf(code)
        .filter(({ name }) => !isUsed(path, name))
        .map(({ name, index }) => ({
          file: path,
          line: lineAt(text, index),
          rule: 'unused export',
          instead: `no other file imports ${name}: take the word export away, or delete it`,
        })),
    )
}

const isIndex = (path: string) => /(?:^|\/)src\/index\.ts$/.test(path)
const isChecked = (path: string) =>
  !testFile.test(path) && !isIndex(path) && !committedOutput.test(path) && !/\.(?:config|d)\.tsx?$/.test(path)

function exportsOf(code: string): { name: string; index: number }[] {
  const declared = [...code.matchAll(declaration)].map(({ 1: name = '', index }) => ({ name, index }))
  const fromObjects = [...code.matchAll(taken)].flatMap(({ 1: list = '', index }) =>
    list.split(',').flatMap((one) => {
      const name = one.split(':').at(-1)?.trim()
      return name ? [{ name, index }] : []
    }),
  )
  return [...declared, ...fromObjects]
}

/** All where a file is named without a list of names: `import()`, `import * as`, the address of a worker. */
function namesOf({ from, start }: Import, byPath: ReadonlyMap<string, SourceText>): Use['names'] {
  const before = byPath.get(from)?.code.slice(Math.max(0, start - 1 - clauseCharactersMax), start - 1) ?? ''
  const list = /\{([^}]*)\}/.exec(clause.exec(before)?.[1] ?? '')?.[1]
  if (list === undefined) return 'all'
  return list.split(',').map(
    (one) =>
      one
        .trim()
        .replace(/^type\s+/, '')
        .split(/\s+as\s+/)[0] ?? '',
  )
}

/** The files that manifests of packages name. */
function publishedFiles(files: readonly string[], read: Repository['read']): Set<string> {
  const manifests = files.filter((path) => /(?:^|\/)package\.json$/.test(path))
  return new Set(
    manifests.flatMap((path) =>
      [...read(path).matchAll(/[\w./-]+\.tsx?\b/g)].map(([name]) => join(path, '..', name)),
    ),
  )
}
