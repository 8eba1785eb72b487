import { committedOutput, testFile, type Violation } from './file-rules.ts'

/** As many as are seen at one look. Tests are next to what they test, and are not counted. */
const sideBySideMax = 16

/** Files of one kind, each named by what it is about: a reader looks one up and does not read the rest. */
const lists = [
  'bench/src',
  'cli/src/commands',
  'dashboard/src/kit',
  'scripts',
  'sdk/server/src/webhooks/vendors',
  'server/src/testing',
  'server/src/testing/hostile',
]

/** Larger ones that are there. A limit here is only ever lowered. */
const larger: Readonly<Record<string, number>> = {
  'dashboard/src/shell': 30,
  'dashboard/src/pages/boards': 22,
  'server/src/analytics': 22,
}

/** Refuses a folder with more files of code side by side than a reader takes in. */
export function checkFolders(files: readonly string[]): Violation[] {
  const code = files.filter(
    (path) => /\.tsx?$/.test(path) && !testFile.test(path) && !committedOutput.test(path),
  )
  const folders = Map.groupBy(code, (path) => path.slice(0, path.lastIndexOf('/')))
  return [...folders].flatMap(([folder, inside]) => {
    const most = larger[folder] ?? sideBySideMax
    if (lists.includes(folder) || inside.length <= most) return []
    const instead = `${inside.length} files side by side, at most ${most}: make a folder of those that share a noun`
    return [{ file: `${folder}/`, line: 1, rule: 'folder size', instead }]
  })
}
