import { type Build, makeFolder, openBuiltFolder } from './built-folder.ts'
import type { StaticFile } from './static-file.ts'

export type DashboardAssets = {
  /** The page served at every path of the dashboard. */
  page: () => Promise<StaticFile>
  /** The document that plays session replays, in a frame of the page. */
  player: () => Promise<StaticFile>
  /** A file by its name with its hash; null when there is none. */
  asset: (name: string) => Promise<StaticFile | null>
}

const assetName = /^[\w-]+\.(?:js|css|svg|woff2)$/
const build: Build = {
  name: 'dashboard',
  script: 'dashboard/build.ts',
  sources: [
    'dashboard/src',
    'contract/src',
    'dashboard/index.html',
    'dashboard/player.html',
    'dashboard/vite.config.ts',
    'dashboard/world-map.ts',
    'dashboard/build.ts',
    'dashboard/package.json',
    'package-lock.json',
  ],
}

/** By `npm run dashboard` in advance, or by the first start. */
export function openDashboardAssets(dataDir: string): DashboardAssets {
  const take = openBuiltFolder(build, dataDir)

  async function document(name: string): Promise<StaticFile> {
    const found = await take(name)
    if (found === null) throw new Error(`The dashboard was made without ${name}`)
    return found
  }

  return {
    page: () => document('index.html'),
    player: () => document('player.html'),
    asset: async (name) => (assetName.test(name) ? take('assets', name) : null),
  }
}

export const makeDashboard = (parent: string): Promise<string> => makeFolder(build, parent)
