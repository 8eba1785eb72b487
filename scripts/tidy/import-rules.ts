import { join } from 'node:path/posix'
import { testFile, testingFolder, type Violation } from './file-rules.ts'
import { lineAt, type SourceText } from './source-text.ts'

export type Import = {
  from: string
  to: string
  line: number
  /** Where the name of the file begins. */
  start: number
  /** Written as an import would be, not merely a text that names a file. */
  isImport: boolean
}

/**
 * Modules of the server. A module imports modules of a lower rank; the two lists of rank 2 never import each
 * other. Privacy concerns all personal data, so it is above.
 */
export const layers = [
  { rank: 0, rooms: ['sites', 'audit', 'workspaces', 'auth'] },
  { rank: 1, rooms: ['registry', 'identity', 'consent'] },
  { rank: 2, rooms: ['ingest', 'quarantine', 'webhooks', 'replays', 'destinations'] },
  {
    rank: 2,
    rooms: [
      'goals',
      'analytics',
      'sql',
      'annotations',
      'site-score',
      'event-health',
      'attribution',
      'errors',
      'audiences',
      'drift',
      'reports',
      'boards',
      'shares',
      'digests',
      'alerts',
      'installations',
    ],
  },
  { rank: 3, rooms: ['privacy', 'transfers', 'demo'] },
]
/** Folders of the server that know no module. */
export const libraries = ['store', 'http', 'platform', 'testing']
/** The folder that puts the modules together. */
export const assemblyFolder = 'app'

/** Which of our packages a package may import besides itself. A package that is not listed is free. */
const packageImports: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  dashboard: ['contract'],
  'docs-site': [],
  'engine-portable': [],
  server: ['contract', 'engine-portable', 'sdk', 'cli'],
  cli: ['contract'],
}

/** Packages whose folder has another name than they. */
const packageFolders: Readonly<Record<string, string>> = { browser: 'sdk/browser', server: 'sdk/server' }

/** The files that assemble the modules. */
const assembly = /^server\/src\/(?:app\/|main\.ts$|deps\.ts$)/
const roomStore = /^server\/src\/([^/]+)\/(?:.*\/)?(?:[\w-]+-)?store\.ts$/
const toolSettings = /\.config\.ts$/

/** Any text that names one of our files is taken, so that workers and set-up files are found too. */
export function findImports({ path, text, strings }: SourceText, files: ReadonlySet<string>): Import[] {
  return strings.flatMap(({ start, value }) => {
    const ours = /^@assay\/([\w-]+)/.exec(value)?.[1]
    if (!ours && !/\.tsx?$/.test(value)) return []
    const to = ours
      ? `${packageFolders[ours] ?? ours}/src/index.ts`
      : [join(path, '..', value), value].find((candidate) => files.has(candidate))
    const isImport = ours !== undefined || value.startsWith('.')
    return to ? [{ from: path, to, line: lineAt(text, start), start, isImport }] : []
  })
}

export function checkImports(found: readonly Import[]): Violation[] {
  const imports = found.filter(({ isImport }) => isImport)
  const directions = new Set(
    imports.filter(isOfProduct).map(({ from, to }) => `${roomOf(from)} ${roomOf(to)}`),
  )
  return imports.flatMap((found) => {
    const instead = refusalOf(found, directions)
    return instead ? [{ file: found.from, line: found.line, rule: 'import direction', instead }] : []
  })
}

function refusalOf({ from, to }: Import, directions: ReadonlySet<string>): string | undefined {
  const isOfTests = testFile.test(from) || testingFolder.test(from)
  const [fromPackage = '', toPackage = ''] = [from, to].map((path) => path.split('/')[0])
  const reachable = packageImports[fromPackage]
  if (fromPackage !== toPackage && reachable && !reachable.includes(toPackage) && !isOfTests) {
    return `${fromPackage} may import of ours: ${reachable.join(', ') || 'nothing'}`
  }
  if (testingFolder.test(to) && !isOfTests && !toolSettings.test(from)) return 'testing/ is for tests only'
  if (assembly.test(from) || testingFolder.test(from)) return undefined

  const storeOwner = roomStore.exec(to)?.[1]
  if (storeOwner && !libraries.includes(storeOwner) && storeOwner !== roomOf(from)) {
    return `a store is imported by its own module only: call a rule of ${storeOwner}`
  }
  return isOfTests || fromPackage !== 'server' ? undefined : refusalBetweenRooms(from, to, directions)
}

function refusalBetweenRooms(from: string, to: string, directions: ReadonlySet<string>): string | undefined {
  const [fromRoom, toRoom] = [roomOf(from), roomOf(to)]
  if (/^server\/src\/(?:app\/|main\.ts$)/.test(to)) return 'only tests and the assembly know app/ and main.ts'
  if (!toRoom || fromRoom === toRoom || libraries.includes(toRoom)) return undefined
  if (!fromRoom || libraries.includes(fromRoom))
    return 'this place knows no module: take what it needs as an argument'

  const [high, low] = [layerOf(fromRoom), layerOf(toRoom)]
  if (!high || !low || low.rank < high.rank) return undefined
  if (low !== high) return `${fromRoom} may not import ${toRoom}: move what they share to a lower module`
  const isMutual = directions.has(`${toRoom} ${fromRoom}`)
  return isMutual ? `${fromRoom} and ${toRoom} import each other: keep one direction` : undefined
}

const isOfProduct = ({ from }: Import) => !testFile.test(from) && !testingFolder.test(from)
const roomOf = (path: string) => /^server\/src\/([^/]+)\//.exec(path)?.[1]
export const layerOf = (room: string) => layers.find(({ rooms }) => rooms.includes(room))
