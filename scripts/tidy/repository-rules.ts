import { join } from 'node:path/posix'
import { committedOutput, testFile, testingFolder, type Violation } from './file-rules.ts'
import { assemblyFolder, type Import, layerOf, libraries } from './import-rules.ts'
import { missingPlatformPackages } from './lock-file.ts'
import { checkMigrations } from './migration-rules.ts'
import { lineAt } from './source-text.ts'

/** All files of the repository, by path from its root. */
export type Repository = { files: readonly string[]; read: (path: string) => string }

export function checkRepository(repository: Repository, imports: readonly Import[]): Violation[] {
  return [
    ...checkRooms(repository.files),
    ...checkDeadFiles(repository, imports),
    ...checkProblemPages(repository),
    ...checkMigrations(repository.files, repository.read),
    ...checkFolderMap(repository),
    ...checkLocalTraces(repository),
    ...checkLockFile(repository),
  ]
}

function checkRooms(files: readonly string[]): Violation[] {
  return foldersIn(files, 'server/src/').flatMap((room) => {
    const file = `server/src/${room}/routes.ts`
    if (room === assemblyFolder || libraries.includes(room)) return []
    const instead = layerOf(room)
      ? 'give the module its routes.ts, or list it as a library in scripts/tidy/import-rules.ts'
      : 'give the module its place among the layers in scripts/tidy/import-rules.ts'
    return files.includes(file) && layerOf(room) ? [] : [{ file, line: 1, rule: 'module', instead }]
  })
}

/** A file lives when other code, a manifest or a recipe names it; a test alone does not keep it alive. */
function checkDeadFiles({ files, read }: Repository, imports: readonly Import[]): Violation[] {
  const named = files
    .filter((path) => /(?:^|\/)(?:package\.json|\w+\.html)$|^[A-Z]+\.md$/.test(path))
    .flatMap((path) => [...read(path).matchAll(/[\w./-]+\.tsx?\b/g)].map(([name]) => join(path, '..', name)))
  const alive = new Set(named)
  for (const { from, to } of imports) {
    if (from !== to && (!testFile.test(from) || testingFolder.test(to))) alive.add(to)
  }
  return files
    .filter((path) => /\.tsx?$/.test(path) && !testFile.test(path) && !/\.(?:config|d)\.ts$/.test(path))
    .filter((path) => !alive.has(path) && !committedOutput.test(path))
    .map((file) => ({
      file,
      line: 1,
      rule: 'dead file',
      instead: 'import it where it is needed, or delete it',
    }))
}

const problemList = 'contract/src/problems.ts'

function checkProblemPages({ files, read }: Repository): Violation[] {
  if (!files.includes(problemList)) return []
  const text = read(problemList)
  const entries = [...text.matchAll(/^\s+'?([a-z][a-z-]*)'?: \{ status: \d/gm)]
  const pages = files.flatMap((path) => /^docs\/problems\/([^/]+)\.md$/.exec(path)?.[1] ?? [])
  const slugs = entries.map((entry) => entry[1] ?? '')
  return [
    ...entries
      .filter((entry) => !pages.includes(entry[1] ?? ''))
      .map((entry) => ({
        file: problemList,
        line: lineAt(text, entry.index + entry[0].length),
        rule: 'problem page',
        instead: `write docs/problems/${entry[1]}.md: meaning, cause, what to do`,
      })),
    ...pages
      .filter((page) => !slugs.includes(page))
      .map((page) => ({
        file: `docs/problems/${page}.md`,
        line: 1,
        rule: 'problem page',
        instead: `add ${page} to ${problemList}, or delete the page`,
      })),
  ]
}

/** The table under this heading has a row for each top-level folder and each folder of the server. */
const mapFile = 'CONTRIBUTING.md'
const mapHeading = '## Map'

function checkFolderMap({ files, read }: Repository): Violation[] {
  if (!files.includes(mapFile)) return []
  const text = read(mapFile)
  const start = text.indexOf(`${mapHeading}\n`)
  const refuse = (line: number, instead: string) => [{ file: mapFile, line, rule: 'folder map', instead }]
  if (start === -1) return refuse(1, `add the section "${mapHeading}"`)
  const end = text.indexOf('\n## ', start + 1)
  const section = text.slice(start, end === -1 ? undefined : end)
  const rows = [...section.matchAll(/^\| `([\w./-]+)\/` \|/gm)]
  const folders = [
    ...foldersIn(files, '').filter((folder) => !folder.startsWith('.')),
    ...foldersIn(files, 'server/src/').map((folder) => `server/src/${folder}`),
  ]
  const mapped = rows.map((row) => row[1] ?? '')
  return [
    ...folders
      .filter((folder) => !mapped.includes(folder))
      .flatMap((folder) => refuse(lineAt(text, start), `add a row for \`${folder}/\``)),
    ...rows
      .filter((row) => !folders.includes(row[1] ?? ''))
      .flatMap((row) => refuse(lineAt(text, start + row.index), `delete the row: there is no ${row[1]}/`)),
  ]
}

/** What is committed has to work, and to be read, on every other machine. */
const localTrace =
  /(?<![\w.~/:-])\/(?:home|Users|root|work)\/[\w.-]+|"resolved": "https?:|\bregistry\s*=\s*https?:/g

function checkLocalTraces({ files, read }: Repository): Violation[] {
  const instead = 'write a path from the root of the repository, and no address of a package registry'
  return files.flatMap((file) => {
    const text = read(file)
    return [...text.matchAll(localTrace)].map(({ index }) => {
      return { file, line: lineAt(text, index), rule: 'local trace', instead }
    })
  })
}

function checkLockFile({ files, read }: Repository): Violation[] {
  const file = 'package-lock.json'
  const text = files.includes(file) ? read(file) : ''
  const missing = text.includes('"packages"') ? Object.keys(missingPlatformPackages(JSON.parse(text))) : []
  const instead = `npm ci would refuse it without ${missing[0]}: run node scripts/complete-lock.ts`
  return missing.length === 0 ? [] : [{ file, line: 1, rule: 'lock file', instead }]
}

function foldersIn(files: readonly string[], parent: string): string[] {
  const below = files
    .filter((path) => path.startsWith(parent))
    .map((path) => path.slice(parent.length).split('/'))
  return [...new Set(below.flatMap(([folder, ...rest]) => (folder && rest.length > 0 ? [folder] : [])))]
}
