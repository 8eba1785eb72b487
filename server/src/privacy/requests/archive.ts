import { createHash, type Hash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { isRecord } from '@assay/contract'
import { ZipFile } from 'yazl'

/** One file: what it is called, and its rows. */
export type Holding = { name: string; rows: () => AsyncIterable<unknown> }

export type Archive = { bytes: number; sha256: string; counts: Record<string, number> }

/** Called now and then; throwing stops the work. */
export type Report = (step: string, rowsDone: number) => Promise<void>

const rowsPerReport = 2_000

/**
 * Writes one file of NDJSON a holding, and a manifest of them, into a zip. Rows pass through one at a time, however
 * many there are. The archive takes its name only when all of it is on disk.
 */
export async function writeArchive(
  path: string,
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
  const written = await writeFile(`${path}.part`, zip)
  await rename(`${path}.part`, path)
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

async function writeFile(path: string, zip: ZipFile): Promise<{ bytes: number; sha256: string }> {
  const digest = createHash('sha256')
  let bytes = 0
  const measure = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      digest.update(chunk)
      bytes += chunk.length
      done(null, chunk)
    },
  })
  await pipeline(zip.outputStream, measure, createWriteStream(path, { mode: 0o600 }))
  const file = await open(path)
  await file.sync()
  await file.close()
  return { bytes, sha256: digest.digest('hex') }
}
