import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { pathWithin } from '../../platform/files/safe-path.ts'
import { root, stampOf } from '../../platform/files/stamp.ts'
import type { SdkFile } from './sdk-bundle.ts'

export type SdkAsset = {
  /** `sdk-0f3a….js`: the same name always means the same bytes. */
  name: string
  /** By content encoding. */
  bytes: Readonly<Record<'identity' | 'gzip' | 'br', Buffer>>
}

export type SdkAssets = {
  /** The current SDK; built at the first call. */
  current: (file: SdkFile) => Promise<SdkAsset>
  /** This or an earlier version by its full name; null if it was never served from this data directory. */
  named: (name: string) => SdkAsset | null
}

/** 64 bits: enough to distinguish all versions. */
const hashDigits = 16
/** Sources of the files, and the build scripts. */
const sources = [
  'sdk/browser/src',
  'contract/src',
  'sdk/browser/package.json',
  'server/src/http/assets/sdk-bundle.ts',
]
const readStamp = () => stampOf([...sources, 'package-lock.json'])
const versionedName = /^(?:sdk|replay)-[0-9a-f]{16}\.m?js$/

/**
 * Pages that name a version keep working after an update, so every version that was ever served stays in the
 * data directory.
 */
export function openSdkAssets(dataDir: string): SdkAssets {
  const folder = `${dataDir}/sdk`
  // bounded: by the files of the SDK.
  const made = new Map<SdkFile, Promise<SdkAsset>>()
  // bounded: by the versions that this data directory ever served; a name without a file is not remembered.
  const known = new Map<string, SdkAsset>()

  async function make(file: SdkFile): Promise<SdkAsset> {
    const stamp = readStamp()
    const places = [madeBefore(stamp), `${folder}/made-${stamp}`]
    const found = places.map((place) => readForms(place, file)).find((forms) => forms !== null)
    const bytes = found ?? formsOf(await bundle(file))
    if (!found) putForms(`${folder}/made-${stamp}`, file, bytes)
    const hash = createHash('sha256').update(bytes.identity).digest('hex').slice(0, hashDigits)
    const name = file.replace('.', `-${hash}.`)
    put(folder, name, bytes.identity)
    return store(name, bytes)
  }

  function store(name: string, bytes: SdkAsset['bytes']): SdkAsset {
    const file = { name, bytes }
    known.set(name, file)
    return file
  }

  function readStored(name: string): SdkAsset | null {
    const content = readIfThere(pathWithin(folder, name))
    return content && store(name, formsOf(content))
  }

  return {
    current(file) {
      const making = made.get(file) ?? make(file)
      made.set(file, making)
      // A failure, such as a full disk, may be temporary: the next call tries again.
      making.catch(() => made.delete(file))
      return making
    },
    named: (name) => (versionedName.test(name) ? (known.get(name) ?? readStored(name)) : null),
  }
}

/** Where `npm run sdk` leaves its build of these sources, for later starts. */
export const madeBefore = (stamp = readStamp()): string => `${root}sdk/browser/dist/made-${stamp}`

/** To compress it takes longer than all else that a start does for it, so that is done where it is made. */
export function formsOf(content: Buffer): SdkAsset['bytes'] {
  return { identity: content, gzip: gzipSync(content, { level: 9 }), br: brotliCompressSync(content) }
}

const endings = { identity: '', gzip: '.gz', br: '.br' } as const

/** The plain one last: where it is there, all are. */
export function putForms(folder: string, file: SdkFile, forms: SdkAsset['bytes']): void {
  for (const form of ['gzip', 'br', 'identity'] as const) put(folder, file + endings[form], forms[form])
}

function readForms(folder: string, file: SdkFile): SdkAsset['bytes'] | null {
  const [identity, gzip, br] = (['identity', 'gzip', 'br'] as const).map((form) =>
    readIfThere(`${folder}/${file}${endings[form]}`),
  )
  return identity && gzip && br ? { identity, gzip, br } : null
}

/** The bundler is loaded only when needed, which is once after an update. */
async function bundle(file: SdkFile): Promise<Buffer> {
  const { bundleSdk } = await import('./sdk-bundle.ts')
  return Buffer.from(await bundleSdk(file))
}

/** Renamed into place, so that no reader sees an incomplete file. */
function put(folder: string, name: string, content: Buffer): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(`${folder}/${name}.new`, content)
  renameSync(`${folder}/${name}.new`, `${folder}/${name}`)
}

function readIfThere(path: string): Buffer | null {
  try {
    return readFileSync(path)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}
