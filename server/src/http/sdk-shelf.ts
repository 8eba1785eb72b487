import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { bundleSdk, type SdkFile } from './sdk-bundle.ts'

export type ShelvedFile = {
  /** `sdk-0f3a….js`: the same name is the same bytes for ever. */
  name: string
  /** By the name of the encoding. */
  bytes: Readonly<Record<'identity' | 'gzip' | 'br', Buffer>>
}

export type SdkShelf = {
  /** The SDK as it is now; made at the first call. */
  current: (file: SdkFile) => Promise<ShelvedFile>
  /** This or an earlier version by its full name; null when it was never served from this data directory. */
  named: (name: string) => ShelvedFile | null
}

/** 64 bits: enough to tell apart all versions there will ever be. */
const hashDigits = 16
const versionedName = /^(?:sdk|replay)-[0-9a-f]{16}\.m?js$/

/**
 * Pages that name a version keep working when the product is updated, so every version that was ever served stays
 * in the data directory.
 */
export function openSdkShelf(dataDir: string): SdkShelf {
  const folder = `${dataDir}/sdk`
  const made = new Map<SdkFile, Promise<ShelvedFile>>()
  const known = new Map<string, ShelvedFile>()

  async function make(file: SdkFile): Promise<ShelvedFile> {
    const content = Buffer.from(await bundleSdk(file))
    const hash = createHash('sha256').update(content).digest('hex').slice(0, hashDigits)
    const name = file.replace('.', `-${hash}.`)
    mkdirSync(folder, { recursive: true })
    // Renamed into place, so that nobody ever reads half of it.
    writeFileSync(`${folder}/${name}.new`, content)
    renameSync(`${folder}/${name}.new`, `${folder}/${name}`)
    return shelve(name, content)
  }

  function shelve(name: string, content: Buffer): ShelvedFile {
    const bytes = {
      identity: content,
      gzip: gzipSync(content, { level: 9 }),
      br: brotliCompressSync(content),
    }
    const file = { name, bytes }
    known.set(name, file)
    return file
  }

  function readShelved(name: string): ShelvedFile | null {
    try {
      return shelve(name, readFileSync(`${folder}/${name}`))
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
      throw error
    }
  }

  return {
    current(file) {
      const making = made.get(file) ?? make(file)
      made.set(file, making)
      // A failure, such as a full disk, may pass: the next call tries again.
      making.catch(() => made.delete(file))
      return making
    },
    named: (name) => (versionedName.test(name) ? (known.get(name) ?? readShelved(name)) : null),
  }
}
