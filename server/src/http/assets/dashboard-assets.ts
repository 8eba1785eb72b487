import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { pathWithin } from '../../platform/safe-path.ts'
import { root, stampOf } from './stamp.ts'

export type DashboardFile = {
  name: string
  /** By content encoding; files that do not shrink only have `identity`. */
  bytes: Readonly<{ identity: Buffer; gzip: Buffer | null; br: Buffer | null }>
}

export type DashboardAssets = {
  /** The page served at every path of the dashboard. */
  page: () => Promise<DashboardFile>
  /** The document that plays session replays, in a frame of the page. */
  player: () => Promise<DashboardFile>
  /** A file by its name with its hash; null when there is none. */
  asset: (name: string) => Promise<DashboardFile | null>
}

const assetName = /^[\w-]+\.(?:js|css|svg|woff2)$/
/** Sources of the build: the same sources give the same folder. */
const sources = ['dashboard/src', 'contract/src', 'dashboard/index.html', 'dashboard/player.html']
const manifests = [
  'dashboard/vite.config.ts',
  'dashboard/world-map.ts',
  'dashboard/build.ts',
  'dashboard/package.json',
  'package-lock.json',
]
const readStamp = () => stampOf([...sources, ...manifests])
/** Takes some seconds; a machine that is busy with its stores may need many times that. */
const makingMsMax = 300_000

/**
 * The dashboard is built from source, like the browser SDK: by `npm run dashboard` in advance, or by the
 * first start, in a separate process, into the data directory.
 */
export function openDashboardAssets(dataDir: string): DashboardAssets {
  let folder: Promise<string> | null = null
  // bounded: by the files of one build of the dashboard.
  const read = new Map<string, DashboardFile>()

  function made(): Promise<string> {
    folder ??= findOrMake(dataDir)
    // A failure, such as a full disk, may be temporary: the next call tries again.
    folder.catch(() => {
      folder = null
    })
    return folder
  }

  async function take(path: string): Promise<DashboardFile | null> {
    const place = pathWithin(await made(), ...path.split('/'))
    const known = read.get(path)
    if (known !== undefined) return known
    if (!existsSync(place)) return null
    const compressed = (ending: string) => (existsSync(place + ending) ? readFileSync(place + ending) : null)
    const bytes = { identity: readFileSync(place), gzip: compressed('.gz'), br: compressed('.br') }
    const file = { name: path, bytes }
    read.set(path, file)
    return file
  }

  async function document(name: string): Promise<DashboardFile> {
    const found = await take(name)
    if (found === null) throw new Error(`The dashboard was made without ${name}`)
    return found
  }

  return {
    page: () => document('index.html'),
    player: () => document('player.html'),
    asset: async (name) => (assetName.test(name) ? take(`assets/${name}`) : null),
  }
}

async function findOrMake(dataDir: string): Promise<string> {
  const stamp = readStamp()
  const places = [`${root}dashboard/dist/${stamp}`, `${dataDir}/dashboard/${stamp}`]
  const found = places.find((place) => existsSync(`${place}/index.html`))
  return found ?? makeDashboard(`${dataDir}/dashboard`, stamp)
}

/** Builds the files in a folder below `parent`, named by a hash of its sources. */
export async function makeDashboard(parent: string, stamp = readStamp()): Promise<string> {
  const [draft, place] = [`${parent}/${stamp}-${process.pid}.new`, `${parent}/${stamp}`]
  mkdirSync(parent, { recursive: true })
  await runBuild(draft)
  // Renamed into place, so that no reader sees an incomplete build; older builds are deleted.
  rmSync(place, { recursive: true, force: true })
  renameSync(draft, place)
  return place
}

function runBuild(outDir: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [`${root}dashboard/build.ts`, outDir], {
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
      else reject(new Error(`The dashboard could not be made (${code}): ${said}`))
    })
  })
}
