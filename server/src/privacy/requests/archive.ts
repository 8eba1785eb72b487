import { createHash, type Hash, randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { isRecord } from '@assay/contract'
import { ZipFile } from 'yazl'
import { pieceBytes, type StoredFiles } from '../../store/files/stored-files.ts'

/** One file: what it is called, and its rows. */
export type Holding = { name: string; rows: () => AsyncIterable<unknown> }

/** Where an archive is written to, and whose it is. */
type Target = { files: StoredFiles; path: string; workspaceId: string }

type Archive = { bytes: number; sha256: string; counts: Record<string, number> }

/** Called now and then; throwing stops the work. */
export type Report = (step: string, rowsDone: number) => Promise<void>

const rowsPerReport = 2_000

/**
 * Writes one file of NDJSON a holding, and a manifest of them, into a zip. Rows pass through one at a time, however
 * many there are. The archive takes its name only when all of it is stored.
 */
export async function writeArchive(
  { files: store, path, workspaceId }: Target,
  about: object,
  holdings: readonly Holding[],
  report: Report,
): Promise<Archive> {
  const zip = new ZipFile()
  const counts: Record<string, number> = {}
  const files: { name: string; rows: number; sha256: string }[] = []
  let rowsDone = 0
  async function* lines({ name, rows }: Holding, digest: Hash) {
    let count = 0
    await report(name, rowsDone)
    for await (const row of rows()) {
      const line = `${textOf(row)}\n`
      digest.update(line)
      yield line
      count += 1
      rowsDone += 1
      if (count % rowsPerReport === 0) await report(name, rowsDone)
    }
    counts[name] = count
    files.push({ name: `${name}.ndjson`, rows: count, sha256: digest.digest('hex') })
  }
  for (const holding of holdings) {
    zip.addReadStreamLazy(`${holding.name}.ndjson`, (give) =>
      give(null, failingInto(zip, Readable.from(lines(holding, createHash('sha256'))))),
    )
  }
  // The manifest is written last, when everything it lists has been written.
  zip.addReadStreamLazy('manifest.json', (give) =>
    give(null, Readable.from([JSON.stringify({ ...about, files }, null, 2)])),
  )
  zip.end()
  // Another node may be at the same one, if this one was paused for long.
  const part = `${path}.${randomUUID()}.part`
  const written = await writeZip({ files: store, path: part, workspaceId }, zip)
  await store.rename(part, path)
  return { ...written, counts }
}

/** Deeper than anyone reads, and shallow enough to be serialised. */
const depthMax = 1_000

/** What is nested deeper than can be written is cut, and nothing else: the archive is made, whatever was stored. */
function textOf(row: unknown): string {
  try {
    return JSON.stringify(row)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return JSON.stringify(cut(row, depthMax))
  }
}

function cut(value: unknown, depth: number): unknown {
  if (depth === 0) return '[nested deeper than 1,000 levels]'
  if (Array.isArray(value)) return value.map((one) => cut(one, depth - 1))
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, cut(one, depth - 1)]))
}

/** The library does not pass on what befalls its sources. */
function failingInto(zip: ZipFile, stream: Readable): Readable {
  return stream.on('error', (error) => zip.outputStream.destroy(error))
}

async function writeZip(
  { files, path, workspaceId }: Target,
  zip: ZipFile,
): Promise<{ bytes: number; sha256: string }> {
  const digest = createHash('sha256')
  let bytes = 0
  let waiting: Buffer[] = []
  let waitingBytes = 0
  const write = async (isDurable: boolean) => {
    await files.write(path, bytes, Buffer.concat(waiting), { workspaceId, isDurable })
    bytes += waitingBytes
    waiting = []
    waitingBytes = 0
  }
  for await (const chunk of zip.outputStream) {
    const piece = Buffer.from(chunk)
    digest.update(piece)
    waiting.push(piece)
    waitingBytes += piece.length
    if (waitingBytes >= pieceBytes) await write(false)
  }
  await write(true)
  return { bytes, sha256: digest.digest('hex') }
}
