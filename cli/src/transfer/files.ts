import { createHash } from 'node:crypto'
import {
  closeSync,
  createReadStream,
  existsSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs'
import { join } from 'node:path'
import { isRecord, type TransferManifest, transferLimits } from '@assay/contract'
import { CommandFailure, exitCodes, misuse } from '../failure.ts'
import { makePrivateDirectory, writePrivateFile } from '../private-file.ts'
import { pathWithin } from './safe-path.ts'

const manifestName = 'manifest.json'
/** Which export of which server is partly here, so that the same command resumes it. */
const unfinishedName = 'unfinished.json'
const newline = 10

/** Only a known table: names from a server or an archive are not trusted. */
export const partFile = (directory: string, part: string) => pathWithin(directory, `${part}.ndjson`)

export type Unfinished = { server: string; id: string }

/** Target of an export: a directory that does not exist, is empty, or contains the beginning of one. */
export function openTarget(directory: string): Unfinished | null {
  if (existsSync(join(directory, unfinishedName))) {
    const parsed: unknown = JSON.parse(readFileSync(join(directory, unfinishedName), 'utf8'))
    if (isRecord(parsed) && typeof parsed.server === 'string' && typeof parsed.id === 'string') {
      return { server: parsed.server, id: parsed.id }
    }
  }
  if (existsSync(directory) && readdirSync(directory).length > 0) {
    throw misuse(`${directory} is not empty.`, 'Name a directory that does not exist yet.')
  }
  // It contains personal data.
  makePrivateDirectory(directory)
  return null
}

export function noteUnfinished(directory: string, unfinished: Unfinished): void {
  for (const name of readdirSync(directory)) rmSync(join(directory, name))
  writePrivateFile(join(directory, unfinishedName), `${JSON.stringify(unfinished)}\n`)
}

export function writeManifest(directory: string, manifest: TransferManifest): void {
  const text = `${JSON.stringify(manifest, null, 2)}\n`
  writePrivateFile(join(directory, manifestName), text)
  rmSync(join(directory, unfinishedName), { force: true })
}

export function readManifest(directory: string): TransferManifest {
  const path = join(directory, manifestName)
  if (!existsSync(path)) {
    const hint = existsSync(join(directory, unfinishedName))
      ? 'The export was not finished: run assay export again with the same directory.'
      : 'Name a directory written by assay export.'
    throw misuse(`There is no ${manifestName} in ${directory}.`, hint)
  }
  return requireManifest(JSON.parse(readFileSync(path, 'utf8')))
}

const partName = /^[a-z_]{1,64}$/

/** Validates the manifest of a server or an archive before any file is written or read by it. */
export function requireManifest(value: unknown): TransferManifest {
  const parts = isRecord(value) && Array.isArray(value.parts) ? value.parts : null
  const isSound =
    parts !== null &&
    parts.length <= transferLimits.partsMax &&
    parts.every(
      (part) =>
        isRecord(part) &&
        partName.test(String(part.name)) &&
        /^[0-9a-f]{64}$/.test(String(part.sha256)) &&
        isCount(part.rows) &&
        isCount(part.bytes),
    ) &&
    parts.reduce((sum, { bytes }) => sum + bytes, 0) <= transferLimits.bytesMax
  // boundary: the members used here were checked above, and the server validates the rest against the schema.
  if (isSound) return value as TransferManifest
  throw new CommandFailure(exitCodes.found, 'The manifest was not written by an Assay server.')
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

/** A link would be read, or written through, to any place. */
function requireNoLink(path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats === undefined || stats.isFile()) return
  throw new CommandFailure(
    exitCodes.found,
    `${path} is not a plain file.`,
    'An export contains only plain files.',
  )
}

function sizeOf(path: string): number {
  return existsSync(path) ? statSync(path).size : 0
}

/** A truncated piece ends within a line, which is fetched again. */
export function cutToLines(path: string): number {
  const size = sizeOf(path)
  if (size === 0) return 0
  const end = readFileSync(path).lastIndexOf(newline) + 1
  if (end < size) truncateSync(path, end)
  return end
}

export function appendPiece(path: string, text: string): void {
  requireNoLink(path)
  writePrivateFile(path, text, 'a')
}

/**
 * Fails if a file differs from the manifest, so that damage is found now and not when the archive is needed.
 */
export async function requireIntact(directory: string, manifest: TransferManifest): Promise<void> {
  for (const { name, sha256 } of manifest.parts) {
    const digest = createHash('sha256')
    const path = partFile(directory, name)
    requireNoLink(path)
    if (sizeOf(path) > 0) for await (const chunk of createReadStream(path)) digest.update(chunk)
    if (digest.digest('hex') === sha256) continue
    throw new CommandFailure(exitCodes.found, `${path} does not match the manifest.`, 'Export it again.')
  }
}

/** Whole lines from that offset, in pieces; a line longer than a piece is sent alone. */
export function* readPieces(path: string, from: number): Generator<{ offset: number; text: string }> {
  const size = sizeOf(path)
  const file = size === 0 ? null : openSync(path, 'r')
  if (file === null) return
  try {
    for (let offset = from; offset < size; ) {
      const bytes = wholeLines(file, offset, size)
      yield { offset, text: bytes.toString('utf8') }
      offset += bytes.length
    }
  } finally {
    closeSync(file)
  }
}

function wholeLines(file: number, offset: number, size: number): Buffer {
  for (let length = transferLimits.pieceBytesMax; ; length *= 2) {
    const buffer = Buffer.alloc(Math.min(length, size - offset))
    readSync(file, buffer, 0, buffer.length, offset)
    const end = buffer.lastIndexOf(newline)
    if (end !== -1) return buffer.subarray(0, end + 1)
    if (offset + buffer.length === size) return buffer
  }
}
