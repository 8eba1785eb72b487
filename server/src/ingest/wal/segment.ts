import type { FileHandle } from 'node:fs/promises'
import { copyFile, open, readFile, truncate } from 'node:fs/promises'
import { pathWithin } from '../../platform/files/safe-path.ts'

/** What of a workspace is in the log and not in the store: events, and when the oldest line was appended. */
export type Waiting = { events: number; sinceMs: number }

/** A closed part of the log. `name` is the dedup token of its load, so it always identifies this content. */
export type Segment = {
  readonly name: string
  readonly path: string
  readonly bytes: number
  readonly events: number
  /** What waits of each workspace. */
  readonly tally?: ReadonlyMap<string, Waiting>
  /** Requests whose lines it holds, some of them; of this process only. */
  readonly traces?: readonly string[] | undefined
}

/**
 * Rewriting a segment gives it the next revision of the same sequence, so that it keeps its place in the
 * order.
 */
type SegmentName = { sequence: number; nodeId: string; revision: number; random: string }

const namePattern = /^(\d{15})-([A-Za-z0-9_]{1,32})-(\d{4})-([0-9a-f]{16})$/
const fileSuffix = '.ndjson'

/**
 * Fixed widths make names sort as text in the order of their sequence. Milliseconds fit 15 digits for 29,000
 * years.
 */
export function segmentName({ sequence, nodeId, revision, random }: SegmentName): string {
  const name = `${String(sequence).padStart(15, '0')}-${nodeId}-${String(revision).padStart(4, '0')}-${random}`
  if (!namePattern.test(name)) throw new Error(`not a segment name: ${name}`)
  return name
}

export function parseSegmentName(name: string): SegmentName | null {
  const [, sequence, nodeId, revision, random] = namePattern.exec(name) ?? []
  if (!sequence || !nodeId || !revision || !random) return null
  return { sequence: Number(sequence), nodeId, revision: Number(revision), random }
}

/** Half of the random part stays the same through all revisions of a segment. */
const originDigits = 8

/** The original segment, before any rewrite. All its revisions share it, so it prevents double counting. */
export function segmentOrigin(name: string): string {
  const parts = parseSegmentName(name)
  return parts === null ? name : `${parts.sequence}-${parts.nodeId}-${parts.random.slice(0, originDigits)}`
}

/** The name of the next revision: the digits of the origin stay, the others are new. */
export function nextRevision(parts: SegmentName, random: string): string {
  const mixed = parts.random.slice(0, originDigits) + random.slice(originDigits)
  return segmentName({ ...parts, revision: parts.revision + 1, random: mixed })
}

export function segmentPath(dir: string, name: string): string {
  return pathWithin(dir, name + fileSuffix)
}

/** The segment name of a file in the log's directory, or null for other files. */
export function segmentNameOfFile(file: string): string | null {
  const name = file.endsWith(fileSuffix) ? file.slice(0, -fileSuffix.length) : ''
  return parseSegmentName(name) === null ? null : name
}

const newline = 10
const readBytes = 262_144 // 256 KB: larger reads gain nothing

/** Reads a segment line by line, a chunk at a time, to rebuild what is kept in memory. */
export async function* readLines(segment: Pick<Segment, 'path'>): AsyncGenerator<string, void, undefined> {
  for await (const { lines } of readChunks(segment.path)) yield* lines
}

/** The lines of a segment unchanged, without their newline. A segment fits into memory many times over. */
export async function readLineBytes(segment: Segment): Promise<Buffer[]> {
  const bytes = await readFile(segment.path)
  const lines: Buffer[] = []
  let start = 0
  for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, start)) {
    lines.push(bytes.subarray(start, end))
    start = end + 1
  }
  return lines
}

/** Whole lines without their newline, and the bytes they take in the file. */
async function* readChunks(
  path: string,
): AsyncGenerator<{ lines: string[]; bytes: number }, void, undefined> {
  const file = await open(path, 'r')
  try {
    let rest = Buffer.alloc(0)
    for await (const chunk of chunksOf(file)) {
      const bytes = Buffer.concat([rest, chunk])
      const end = bytes.lastIndexOf(newline) + 1
      rest = bytes.subarray(end)
      if (end > 0) yield { lines: bytes.toString('utf8', 0, end - 1).split('\n'), bytes: end }
    }
  } finally {
    await file.close()
  }
}

/** The yielded buffer is reused for the next chunk. */
async function* chunksOf(file: FileHandle): AsyncGenerator<Buffer, void, undefined> {
  const buffer = Buffer.allocUnsafe(readBytes)
  for (let position = 0; ; ) {
    const { bytesRead } = await file.read(buffer, 0, readBytes, position)
    if (bytesRead === 0) return
    position += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}

/**
 * Turns a file of an earlier run into a valid segment, and returns its content. Every acknowledged group was
 * synced, so damage can only be in the last, unacknowledged one: a line without its end, or, after a power
 * failure, pages that never reached the disk and read as zeros. JSON text contains no zero byte, so the first
 * one marks the place.
 */
export async function repairSegment(path: string): Promise<{ bytes: number; events: number }> {
  const file = await open(path, 'r+')
  try {
    const { size } = await file.stat()
    const sound = await cutUnsoundTail(file, await countWholeLines(file))
    if (sound.bytes < size) await file.truncate(sound.bytes)
    // After a crash unsynced lines may still be readable. A repeat of one will be acknowledged as a
    // duplicate, so from now on it has to be as durable as the acknowledged ones.
    await file.sync()
    return sound
  } finally {
    await file.close()
  }
}

async function countWholeLines(file: FileHandle): Promise<{ bytes: number; events: number }> {
  let position = 0
  let bytes = 0
  let events = 0
  for await (const chunk of chunksOf(file)) {
    const zeroAt = chunk.indexOf(0)
    const readable = zeroAt === -1 ? chunk : chunk.subarray(0, zeroAt)
    for (let at = readable.indexOf(newline); at !== -1; at = readable.indexOf(newline, at + 1)) {
      events += 1
      bytes = position + at + 1
    }
    if (zeroAt !== -1) break
    position += chunk.length
  }
  return { bytes, events }
}

async function cutUnsoundTail(file: FileHandle, whole: { bytes: number; events: number }) {
  let { bytes, events } = whole
  while (events > 0) {
    const line = await lastLine(file, bytes)
    if (isJsonObject(line.toString('utf8'))) break
    bytes -= line.length + 1
    events -= 1
  }
  return { bytes, events }
}

/** The line whose newline is the last byte before `end`. */
async function lastLine(file: FileHandle, end: number): Promise<Buffer> {
  for (let window = readBytes; ; window *= 2) {
    const start = Math.max(0, end - 1 - window)
    const buffer = Buffer.alloc(end - 1 - start)
    await file.read(buffer, 0, buffer.length, start)
    const before = buffer.lastIndexOf(newline)
    if (before !== -1 || start === 0) return buffer.subarray(before + 1)
  }
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null
  } catch {
    return false
  }
}

export type KeepLine = (line: string) => string | null

/**
 * Writes what `keep` returns for each line to `target` and syncs it, or returns null when nothing changed.
 * The kernel copies the part before the first change, and a segment without a change is only read.
 */
export async function rewriteLines(segment: Segment, target: string, keep: KeepLine) {
  let output: FileHandle | undefined
  let bytes = 0
  let events = 0
  try {
    for await (const chunk of readChunks(segment.path)) {
      const kept = chunk.lines.map(keep)
      if (output === undefined && kept.some((line, index) => line !== chunk.lines[index])) {
        output = await openCopy(segment.path, target, bytes)
      }
      const lines = kept.filter((line) => line !== null)
      const text = lines.length === 0 ? '' : `${lines.join('\n')}\n`
      if (output !== undefined) await output.appendFile(text)
      bytes += output === undefined ? chunk.bytes : Buffer.byteLength(text)
      events += lines.length
    }
    await output?.sync()
    return output === undefined ? null : { bytes, events }
  } finally {
    await output?.close()
  }
}

async function openCopy(source: string, target: string, bytes: number): Promise<FileHandle> {
  await copyFile(source, target)
  await truncate(target, bytes)
  return open(target, 'a')
}
