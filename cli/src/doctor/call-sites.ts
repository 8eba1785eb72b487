import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

export type CallSite = { event: string; file: string; line: number }

const sourceFile = /\.(?:[cm]?[jt]sx?|vue|svelte|astro|py|swift|html)$/
/** Third-party code and build output. */
const notOurs = new Set(['node_modules', 'dist', 'build', 'out', 'coverage', 'vendor', 'venv', '__pycache__'])
/** Larger projects are scanned in part, and the doctor says so. */
const filesMax = 20_000
const fileBytesMax = 1_000_000

export type SourceScan = { files: readonly string[]; isCut: boolean }

/** Source files below a folder, from its root. */
export function findSources(root: string, skipped: readonly string[]): SourceScan {
  const files: string[] = []
  const walk = (folder: string) => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (files.length >= filesMax || entry.name.startsWith('.') || notOurs.has(entry.name)) continue
      if (skipped.includes(path)) continue
      if (entry.isDirectory()) walk(path)
      else if (sourceFile.test(entry.name) && statSync(join(root, path)).size <= fileBytesMax)
        files.push(path)
    }
  }
  walk('')
  return { files, isCut: files.length >= filesMax }
}

/**
 * Where events are sent: by a generated function (planChosen in TypeScript and Swift, plan_chosen in Python),
 * or by name in a call of track.
 */
export function findCallSites(root: string, files: readonly string[], keys: readonly string[]): CallSite[] {
  if (keys.length === 0) return []
  const byWord = new Map(keys.flatMap((key) => [[key, key] as const, [camelCase(key), key] as const]))
  const words = [...byWord.keys()].map((word) => word.replace(/[^\w]/g, '')).join('|')
  const calls = new RegExp(
    `(?<!function |def |func )\\b(${words})\\s*\\(|\\btrack['"]?\\s*[(,]\\s*['"\`](${words})['"\`]`,
    'g',
  )
  return files.flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .flatMap((text, at) =>
        [...text.matchAll(calls)].flatMap((match) => {
          const event = byWord.get(match[1] ?? match[2] ?? '')
          return event === undefined ? [] : [{ event, file, line: at + 1 }]
        }),
      ),
  )
}

function camelCase(key: string): string {
  return key.replace(/_+([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}

/** The first match of a pattern, if any. */
export function findText(root: string, files: readonly string[], pattern: RegExp): CallSite | null {
  for (const file of files) {
    const at = readFileSync(join(root, file), 'utf8').search(pattern)
    if (at === -1) continue
    const line = readFileSync(join(root, file), 'utf8').slice(0, at).split('\n').length
    return { event: '', file, line }
  }
  return null
}
