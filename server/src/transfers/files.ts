import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, open, stat } from 'node:fs/promises'
import { Problem, type TransferPart, transferLimits } from '@assay/contract'
import { pathWithin } from '../platform/safe-path.ts'

/** Only the owner of the process may read the data of a workspace. */
const ownerOnly = 0o600
/** A line that is longer than a piece is handed over whole, up to this: a recorded chunk has some 2 MB. */
const lineBytesMax = 8 * 1024 * 1024

type PartWriter = {
  write: (lines: readonly string[]) => Promise<void>
  end: () => Promise<TransferPart>
}

/** Writes NDJSON and counts and hashes as it goes. */
export async function writePart(directory: string, name: string): Promise<PartWriter> {
  const file = await open(partPath(directory, name), 'w', ownerOnly)
  const digest = createHash('sha256')
  let rows = 0
  let bytes = 0
  return {
    async write(lines) {
      const text = Buffer.from(lines.map((line) => `${line}\n`).join(''))
      await file.writeFile(text)
      digest.update(text)
      rows += lines.length
      bytes += text.length
    },
    async end() {
      await file.close()
      return { name, rows, bytes, sha256: digest.digest('hex') }
    },
  }
}

export function partPath(directory: string, name: string): string {
  return pathWithin(directory, `${name}.ndjson`)
}

export type Piece = { text: string; nextOffset: number | null }

/** Whole lines from there on. Null where no line begins there. */
export async function readPiece(path: string, offset: number): Promise<Piece | null> {
  const file = await open(path, 'r')
  try {
    const { size } = await file.stat()
    if (offset === size) return { text: '', nextOffset: null }
    if (offset > size || !(await beginsLine(file, offset))) return null
    const bytes = await wholeLines(file, offset)
    const next = offset + bytes.length
    return { text: bytes.toString('utf8'), nextOffset: next === size ? null : next }
  } finally {
    await file.close()
  }
}

const newline = 10
/** Nearly every line is shorter. */
const tailBytes = 65_536

async function beginsLine(file: FileHandle, offset: number): Promise<boolean> {
  if (offset === 0) return true
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, offset - 1)
  return buffer[0] === newline
}

async function wholeLines(file: FileHandle, offset: number): Promise<Buffer> {
  for (let length = transferLimits.pieceBytesMax; ; length *= 2) {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset)
    const end = buffer.subarray(0, bytesRead).lastIndexOf(newline)
    if (end !== -1) return buffer.subarray(0, end + 1)
    if (length >= lineBytesMax) throw new Error(`a line at ${offset} is longer than ${lineBytesMax} bytes`)
  }
}

export async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  )
}

/** Up to the end of its last whole line: a piece that was cut short ends anywhere, also within a character. */
export async function sizeOfLines(path: string): Promise<number> {
  const size = await sizeOf(path)
  // Null: the files of an import are deleted when it is done, also while its status is read.
  const file = size === 0 ? null : await open(path, 'r').catch(() => null)
  if (file === null) return 0
  try {
    for (let end = size; end > 0; ) {
      const start = Math.max(0, end - tailBytes)
      const { buffer } = await file.read(Buffer.alloc(end - start), 0, end - start, start)
      const last = buffer.lastIndexOf(newline)
      if (last !== -1) return start + last + 1
      end = start
    }
    return 0
  } finally {
    await file.close()
  }
}

/** At the offset, whatever a piece that was cut short left behind it. On disk when this resolves. */
export async function writePieceAt(path: string, offset: number, text: string): Promise<number> {
  const file = await open(path, offset === 0 ? 'w' : 'r+', ownerOnly)
  try {
    await file.truncate(offset)
    const bytes = Buffer.from(text)
    await file.write(bytes, 0, bytes.length, offset)
    await file.sync()
    return offset + bytes.length
  } finally {
    await file.close()
  }
}

/** What the file really holds, to be compared with what was promised. */
export async function measurePart(directory: string, name: string): Promise<TransferPart> {
  const digest = createHash('sha256')
  let rows = 0
  let bytes = 0
  const path = partPath(directory, name)
  if ((await sizeOf(path)) > 0) {
    for await (const chunk of createReadStream(path)) {
      digest.update(chunk)
      bytes += chunk.length
      for (const byte of chunk) if (byte === newline) rows++
    }
  }
  return { name, rows, bytes, sha256: digest.digest('hex') }
}

/** What is read together: a line may be as long as a chunk that was recorded, and a batch has few such lines. */
const batchBytesMax = 16 * 1024 * 1024
const carriageReturn = 13

/** Lines in batches of so many, or of so many bytes. A line that is longer than any row is refused. */
export async function* readBatches(
  directory: string,
  name: string,
  batchRows: number,
): AsyncGenerator<string[]> {
  const path = partPath(directory, name)
  if ((await sizeOf(path)) === 0) return
  let batch: string[] = []
  let bytes = 0
  let rest: Buffer[] = []
  let restBytes = 0
  let lines = 0
  for await (const chunk of createReadStream(path)) {
    let start = 0
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      const line = Buffer.concat([...rest, chunk.subarray(start, end)])
      rest = []
      restBytes = 0
      start = end + 1
      lines += 1
      bytes += line.length
      batch.push(textOf(line))
      if (batch.length < batchRows && bytes < batchBytesMax) continue
      yield batch
      batch = []
      bytes = 0
    }
    rest.push(chunk.subarray(start))
    restBytes += chunk.length - start
    if (restBytes > lineBytesMax) {
      const detail = `${name}.ndjson, line ${lines + 1}: a line has ${lineBytesMax} bytes at most.`
      throw new Problem('conflict', { detail })
    }
  }
  if (restBytes > 0) batch.push(textOf(Buffer.concat(rest)))
  if (batch.length > 0) yield batch
}

function textOf(line: Buffer): string {
  return line.at(-1) === carriageReturn ? line.toString('utf8', 0, line.length - 1) : line.toString('utf8')
}
