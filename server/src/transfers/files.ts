import { createHash } from 'node:crypto'
import { Problem, type TransferPart, transferLimits } from '@assay/contract'
import { type StoredFiles, streamFile } from '../store/files/stored-files.ts'

/** The files of one export or import, a part each. */
export type PartFolder = { files: StoredFiles; folder: string; workspaceId: string }

/** A line that is longer than a piece is handed over whole, up to this: a recorded chunk has some 2 MB. */
const lineBytesMax = 8 * 1024 * 1024

type PartWriter = {
  write: (lines: readonly string[]) => Promise<void>
  end: () => Promise<TransferPart>
}

/** Writes NDJSON and counts and hashes as it goes. */
export async function writePart(at: PartFolder, name: string): Promise<PartWriter> {
  const { files, workspaceId } = at
  const path = partPath(at, name)
  const digest = createHash('sha256')
  let rows = 0
  let bytes = 0
  const append = async (text: Buffer) => {
    await files.write(path, bytes, text, { workspaceId, isDurable: false })
    digest.update(text)
    bytes += text.length
  }
  await append(Buffer.alloc(0))
  return {
    async write(lines) {
      await append(Buffer.from(lines.map((line) => `${line}\n`).join('')))
      rows += lines.length
    },
    end: async () => ({ name, rows, bytes, sha256: digest.digest('hex') }),
  }
}

export function partPath({ folder }: Pick<PartFolder, 'folder'>, name: string): string {
  return `${folder}/${name}.ndjson`
}

export type Piece = { text: string; nextOffset: number | null }

/** Whole lines from there on. Null where no line begins there. */
export async function readPiece(at: PartFolder, name: string, offset: number): Promise<Piece | null> {
  const path = partPath(at, name)
  const size = (await at.files.size(path)) ?? 0
  if (offset === size) return { text: '', nextOffset: null }
  if (offset > size || !(await beginsLine(at.files, path, offset))) return null
  const bytes = await wholeLines(at.files, path, offset)
  const next = offset + bytes.length
  return { text: bytes.toString('utf8'), nextOffset: next === size ? null : next }
}

const newline = 10
/** Nearly every line is shorter. */
const tailBytes = 65_536

async function beginsLine(files: StoredFiles, path: string, offset: number): Promise<boolean> {
  if (offset === 0) return true
  return (await files.read(path, offset - 1, 1))[0] === newline
}

async function wholeLines(files: StoredFiles, path: string, offset: number): Promise<Buffer> {
  for (let length = transferLimits.pieceBytesMax; ; length *= 2) {
    const bytes = await files.read(path, offset, length)
    const end = bytes.lastIndexOf(newline)
    if (end !== -1) return bytes.subarray(0, end + 1)
    if (length >= lineBytesMax) throw new Error(`a line at ${offset} is longer than ${lineBytesMax} bytes`)
  }
}

/** Up to the end of its last whole line: a piece that was cut short ends anywhere, also within a character. */
export async function sizeOfLines({ files, ...at }: PartFolder, name: string): Promise<number> {
  const path = partPath(at, name)
  for (let end = (await files.size(path)) ?? 0; end > 0; ) {
    const start = Math.max(0, end - tailBytes)
    const last = (await files.read(path, start, end - start)).lastIndexOf(newline)
    if (last !== -1) return start + last + 1
    end = start
  }
  return 0
}

/** What the file really holds, to be compared with what was promised. */
export async function measurePart(at: PartFolder, name: string): Promise<TransferPart> {
  const digest = createHash('sha256')
  let rows = 0
  let bytes = 0
  for await (const chunk of streamFile(at.files, partPath(at, name))) {
    digest.update(chunk)
    bytes += chunk.length
    for (const byte of chunk) if (byte === newline) rows++
  }
  return { name, rows, bytes, sha256: digest.digest('hex') }
}

/** What is read together: a line may be as long as a chunk that was recorded, and a batch has few such lines. */
const batchBytesMax = 16 * 1024 * 1024
const carriageReturn = 13

/** Lines in batches of so many, or of so many bytes. A line that is longer than any row is refused. */
export async function* readBatches(
  at: PartFolder,
  name: string,
  batchRows: number,
): AsyncGenerator<string[]> {
  let batch: string[] = []
  let bytes = 0
  let rest: Buffer[] = []
  let restBytes = 0
  let lines = 0
  for await (const chunk of streamFile(at.files, partPath(at, name))) {
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
