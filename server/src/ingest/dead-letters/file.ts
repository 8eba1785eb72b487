import { open, readFile, rename, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isRecord } from '@assay/contract'
import { syncDirectory } from '../wal/segment-file.ts'

/** Next to the segments: lines that no table takes, or has space for. */
const deadLetterFileName = 'dead-letters.ndjson'

/** One line of the file. */
export type FiledLetter = {
  id: string
  segment: string
  /** Empty if the line does not contain it. */
  workspace_id: string
  step: string
  reason: string
  is_stored: boolean
  failed_at: string
  /** The line of the log unchanged, in base64. */
  line: string
}

export type DeadLetterFile = {
  readonly letters: number
  readonly bytes: number
  /** Resolves when it is on disk; a letter with a known id stays unchanged. */
  append: (letter: FiledLetter) => Promise<void>
  read: () => Promise<FiledLetter[]>
  /** Keeps the letters for which this is true. */
  keep: (isKept: (letter: FiledLetter) => boolean) => Promise<void>
}

/** No space is left for refused lines; the segment stays in the log. */
class DeadLetterFileFull extends Error {
  override name = 'DeadLetterFileFull'
}

export async function openDeadLetterFile(logDir: string, bytesMax: number): Promise<DeadLetterFile> {
  const path = join(logDir, deadLetterFileName)
  // bounded: by the letters in bytesMax of the file.
  const ids = new Set((await readDeadLetterFile(path)).map(({ id }) => id))
  let bytes = await sizeOf(path)
  return {
    get letters() {
      return ids.size
    },
    get bytes() {
      return bytes
    },
    async append(letter) {
      if (ids.has(letter.id)) return
      // A line cut off by a crash ends before the next one begins.
      const text = `\n${JSON.stringify(letter)}\n`
      if (bytes + text.length > bytesMax) throw new DeadLetterFileFull('the file of dead letters is full')
      await writeDurably(path, 'a', text)
      bytes += text.length
      ids.add(letter.id)
    },
    read: () => readDeadLetterFile(path),
    async keep(isKept) {
      const kept = (await readDeadLetterFile(path)).filter(isKept)
      const copy = `${path}.copy`
      await writeDurably(copy, 'w', kept.map((letter) => `${JSON.stringify(letter)}\n`).join(''))
      await rename(copy, path)
      await syncDirectory(dirname(path))
      ids.clear()
      for (const { id } of kept) ids.add(id)
      bytes = await sizeOf(path)
    },
  }
}

async function writeDurably(path: string, flags: 'a' | 'w', text: string): Promise<void> {
  const file = await open(path, flags, 0o600)
  try {
    await file.appendFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
  await syncDirectory(dirname(path))
}

async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  )
}

/** Each letter once. A line cut off by a crash is skipped: its segment is still in the log. */
async function readDeadLetterFile(path: string): Promise<FiledLetter[]> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return ''
    throw error
  })
  const letters = new Map<string, FiledLetter>()
  for (const line of text.split('\n')) {
    const letter = line === '' ? null : readLetter(line)
    if (letter !== null) letters.set(letter.id, letter)
  }
  return [...letters.values()]
}

function readLetter(line: string): FiledLetter | null {
  try {
    const letter: unknown = JSON.parse(line)
    if (!isRecord(letter) || typeof letter.id !== 'string' || typeof letter.line !== 'string') return null
    const text = (value: unknown) => (typeof value === 'string' ? value : '')
    return {
      id: letter.id,
      segment: text(letter.segment),
      workspace_id: text(letter.workspace_id),
      step: text(letter.step),
      reason: text(letter.reason),
      is_stored: letter.is_stored === true,
      failed_at: text(letter.failed_at),
      line: letter.line,
    }
  } catch {
    return null
  }
}
