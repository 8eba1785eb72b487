/**
 * Keeps the house rules that neither the compiler nor the linter knows: who may import whom, how large things
 * grow, where SQL, the environment, the clock and casts may stand, that the documents match the code, and that names
 * and documents use plain words.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkCircles } from './tidy/circle-rules.ts'
import { checkExports } from './tidy/export-rules.ts'
import { checkFile, type Violation } from './tidy/file-rules.ts'
import { checkFolders } from './tidy/folder-rules.ts'
import { checkImports, findImports } from './tidy/import-rules.ts'
import { checkMemory } from './tidy/memory-rules.ts'
import { checkRepository } from './tidy/repository-rules.ts'
import { readSource } from './tidy/source-text.ts'
import { checkTables } from './tidy/table-rules.ts'
import { checkWords } from './tidy/word-rules.ts'

/** Takes the whole repository, text by path. */
export function inspect(texts: ReadonlyMap<string, string>): Violation[] {
  const files = [...texts.keys()].sort()
  const read = (path: string) => texts.get(path) ?? ''
  const sources = files.filter((path) => /\.tsx?$/.test(path)).map((path) => readSource(path, read(path)))
  const known = new Set(files)
  const imports = sources.flatMap((source) => findImports(source, known))
  return [
    ...sources.flatMap(checkFile),
    ...sources.flatMap(checkMemory),
    ...checkImports(imports),
    ...checkCircles(imports),
    ...checkExports(sources, imports, { files, read }),
    ...checkFolders(files),
    ...checkRepository({ files, read }, imports),
    ...checkTables({ files, read }),
    ...checkWords({ files, read }),
  ]
}

/** What git knows or would add: nothing ignored, nothing that was deleted. */
export function readRepository(root: string): Map<string, string> {
  const listing = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  const listed = execFileSync('git', listing, { cwd: root, encoding: 'utf8' }).split('\0')
  const present = listed.filter((path) => path && existsSync(join(root, path)))
  return new Map(present.map((path) => [path, readFileSync(join(root, path), 'utf8')]))
}

if (import.meta.main) {
  const violations = inspect(readRepository(join(import.meta.dirname, '..')))
  for (const { file, line, rule, instead } of violations) console.log(`${file}:${line}  ${rule}: ${instead}`)
  console.log(violations.length === 0 ? 'tidy: nothing to say' : `tidy: ${violations.length} to put right`)
  process.exitCode = violations.length === 0 ? 0 : 1
}
