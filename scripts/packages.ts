/**
 * `npm run packages [-- folder]`: makes the three packages that are published, packs each as npm would publish it, and
 * prints their sizes. `npm install dist/packages/assay-server-0.1.0.tgz` works in any project.
 */
import { execFileSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { makeBrowserPackage } from './packages/browser-package.ts'
import { makeCliPackage } from './packages/cli-package.ts'
import { root } from './packages/package-folder.ts'
import { makeServerPackage } from './packages/server-package.ts'

export type Packed = { name: string; version: string; tarball: string; packedBytes: number; bytes: number }

const makers = { browser: makeBrowserPackage, server: makeServerPackage, cli: makeCliPackage }

/** One after the other: they share the bundler, which is a process of its own. */
export async function makePackages(folder: string): Promise<Packed[]> {
  const packed: Packed[] = []
  for (const [name, make] of Object.entries(makers)) {
    await make(join(folder, name))
    packed.push(pack(join(folder, name), folder))
  }
  return packed
}

type NpmReport = { name: string; version: string; filename: string; size: number; unpackedSize: number }

function pack(source: string, destination: string): Packed {
  const options = ['--json', '--ignore-scripts', '--pack-destination', destination]
  const output = execFileSync('npm', ['pack', ...options], {
    cwd: source,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const reports: NpmReport[] = Object.values(JSON.parse(output))
  const [report] = reports
  if (report === undefined) throw new Error(`npm packed nothing of ${source}`)
  const { name, version, filename, size, unpackedSize } = report
  return { name, version, tarball: join(destination, filename), packedBytes: size, bytes: unpackedSize }
}

export const sizeLine = ({ name, version, packedBytes, bytes }: Packed): string => {
  const [packed, unpacked] = [packedBytes, bytes].map((size) => `${(size / 1000).toFixed(1)} KB`)
  return `${`${name} ${version}`.padEnd(24)} ${packed} to load, ${unpacked} on disk`
}

if (import.meta.main) {
  const folder = resolve(process.argv[2] ?? join(root, 'dist/packages'))
  for (const packed of await makePackages(folder)) console.log(`${sizeLine(packed)}: ${packed.tarball}`)
}
