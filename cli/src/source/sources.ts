import { readdirSync, readFileSync, statSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { EventWords, Finding } from './mentions.ts'
import { readComponent, readPage } from './page-source.ts'
import { readScript } from './script-source.ts'
import { readWords, type Writing, writings } from './word-source.ts'

type SourceScan = { files: readonly string[]; isCut: boolean }
export type FileFinding = Finding & { file: string }

type Read = (text: string, words: EventWords) => Finding[]

const byWords =
  (writing: Writing): Read =>
  (text, words) =>
    readWords(text, writing, words)

const script: Read = (text, words) => readScript(text, words) ?? readWords(text, writings.markup, words)
/** Templates of a server hold tags, and code of another language between them. */
const template: Read = (text, words) => {
  const found = [...readPage(text, words), ...readWords(text, writings.php, words)]
  const isFirst = ({ kind, line }: Finding, at: number) =>
    found.findIndex((other) => other.kind === kind && other.line === line) === at
  return found.filter(isFirst)
}

/** How a file is read, by the ending of its name. */
const readers: Readonly<Record<string, Read>> = {
  ...Object.fromEntries(
    ['.js', '.mjs', '.cjs', '.jsx', '.ts', '.mts', '.cts', '.tsx'].map((ending) => [ending, script]),
  ),
  '.html': readPage,
  '.htm': readPage,
  '.vue': readPage,
  '.svelte': readComponent,
  '.astro': readComponent,
  '.php': template,
  '.py': byWords(writings.python),
  '.swift': byWords(writings.swift),
  '.java': byWords(writings.java),
  '.kt': byWords(writings.java),
}

/** Third-party code and build output. */
const notOurs = new Set(['node_modules', 'dist', 'build', 'out', 'coverage', 'vendor', 'venv', '__pycache__'])
/** Larger projects are scanned in part, and the doctor says so. */
const filesMax = 20_000
const fileBytesMax = 1_000_000

/** Source files below a folder, from its root. */
export function findSources(root: string, skipped: readonly string[]): SourceScan {
  const files: string[] = []
  const walk = (folder: string) => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (files.length >= filesMax || entry.name.startsWith('.') || notOurs.has(entry.name)) continue
      if (skipped.includes(path)) continue
      if (entry.isDirectory()) walk(path)
      else if (isSource(entry.name) && entry.isFile() && statSync(join(root, path)).size <= fileBytesMax)
        files.push(path)
    }
  }
  walk('')
  return { files, isCut: files.length >= filesMax }
}

function isSource(name: string): boolean {
  return Object.hasOwn(readers, extname(name))
}

/** What the files say, in their order. */
export function readSources(root: string, files: readonly string[], words: EventWords): FileFinding[] {
  const isWorthReading = mention(words)
  return files.flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8')
    if (!isWorthReading(text)) return []
    return (readers[extname(file)]?.(text, words) ?? []).map((one) => ({ ...one, file }))
  })
}

/** Most files name no event and no SDK, and parsing takes a hundred times as long as looking for a word. */
function mention({ functions }: EventWords): (text: string) => boolean {
  const words = [
    '@assay/',
    'Assay.builder',
    '@segment/',
    '@rudderstack/',
    'sdk',
    'onsent',
    ...functions.keys(),
  ]
  return (text) => words.some((word) => text.includes(word))
}
