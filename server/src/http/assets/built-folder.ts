import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { pathWithin } from '../../platform/files/safe-path.ts'
import { root, stampOf } from '../../platform/files/stamp.ts'
import type { StaticFile } from './static-file.ts'

/** Pages that are built from source by a program of ours. */
export type Build = {
  /** The folder of its package, and of what it makes in the data directory. */
  name: string
  /** The program that writes the files into the folder it is given. */
  script: string
  /** Files and folders: the same sources give the same folder. */
  sources: readonly string[]
}

/** 64 bits distinguish all versions of a file. */
const hashDigits = 16
/** Takes some seconds; a machine that is busy with its stores may need many times that. */
const makingMsMax = 300_000

/**
 * Built in advance by a script of package.json, or by the first start, in a separate process, into the data
 * directory. Answers a file by its path, and null when there is none.
 */
export function openBuiltFolder(
  build: Build,
  dataDir: string,
): (...path: readonly string[]) => Promise<StaticFile | null> {
  let folder: Promise<string> | null = null
  // bounded: by the files of one build.
  const read = new Map<string, StaticFile>()

  function made(): Promise<string> {
    folder ??= findOrMake(build, dataDir)
    // A failure, such as a full disk, may be temporary: the next call tries again.
    folder.catch(() => {
      folder = null
    })
    return folder
  }

  return async (...path) => {
    const place = pathWithin(await made(), ...path)
    const known = read.get(place)
    if (known !== undefined) return known
    if (!existsSync(place)) return null
    const compressed = (ending: string) => (existsSync(place + ending) ? readFileSync(place + ending) : null)
    const bytes = { identity: readFileSync(place), gzip: compressed('.gz'), br: compressed('.br') }
    const hash = createHash('sha256').update(bytes.identity).digest('hex').slice(0, hashDigits)
    const file = { name: path.join('/'), hash, bytes }
    read.set(place, file)
    return file
  }
}

async function findOrMake(build: Build, dataDir: string): Promise<string> {
  const stamp = stampOf(build.sources)
  const places = [`${root}${build.name}/dist/${stamp}`, `${dataDir}/${build.name}/${stamp}`]
  const found = places.find((place) => existsSync(`${place}/index.html`))
  return found ?? makeFolder(build, `${dataDir}/${build.name}`)
}

/** Builds the files in a folder below `parent`, named by a hash of its sources. */
export async function makeFolder(build: Build, parent: string): Promise<string> {
  const stamp = stampOf(build.sources)
  const [draft, place] = [`${parent}/${stamp}-${process.pid}.new`, `${parent}/${stamp}`]
  mkdirSync(parent, { recursive: true })
  await run(build, draft)
  // Renamed into place, so that no reader sees an incomplete build.
  rmSync(place, { recursive: true, force: true })
  renameSync(draft, place)
  return place
}

function run({ name, script }: Build, outDir: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [root + script, outDir], {
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: makingMsMax,
    })
    let said = ''
    child.stderr.on('data', (part: Buffer) => {
      said = (said + part.toString()).slice(-2_000)
    })
    child.on('error', reject)
    child.on('close', (code) => {
      if (code === 0) resolve()
      else reject(new Error(`The build of ${name} failed (${code}): ${said}`))
    })
  })
}
