/** Makes the server SDK as it is published: bundles without dependencies, types, and a manifest of its own. */
import { spawnSync } from 'node:child_process'
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'

const root = join(import.meta.dirname, '..')
const home = join(root, 'sdk', 'server')
const manifest = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'))
/** Node 20 is the oldest run time; all others are younger. */
const target = 'es2023'

/** What can be imported, and from which source: as the manifest of the workspace has it. */
const entries: readonly { name: string; file: string; source: string }[] = Object.entries(
  manifest.exports,
).map(([name, source]) => {
  const file = name === '.' ? 'index' : name.slice('./'.length)
  return { name, file, source: String(source).slice('./'.length) }
})

export async function bundleServerSdk(output: string): Promise<void> {
  mkdirSync(output, { recursive: true })
  await build({
    entryPoints: Object.fromEntries(entries.map(({ file, source }) => [file, join(home, source)])),
    outdir: output,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'neutral',
    target,
    legalComments: 'none',
    logLevel: 'silent',
  })
  const typesOf = (source: string) => `./types/sdk/server/${source.replace(/\.ts$/, '.d.ts')}`
  const exports = Object.fromEntries(
    entries.map(({ name, file, source }) => [name, { types: typesOf(source), default: `./${file}.js` }]),
  )
  const { name, version, license, type } = manifest
  const published = { name, version, license, type, sideEffects: false, engines: { node: '>=20' }, exports }
  writeFileSync(join(output, 'package.json'), `${JSON.stringify(published, null, 2)}\n`)
}

/** Answers whether the types could be written. */
export function writeServerSdkTypes(output: string): boolean {
  const config = join(home, 'tsconfig.types.json')
  const { status } = spawnSync(
    join(root, 'node_modules/.bin/tsc'),
    ['-p', config, '--outDir', join(output, 'types')],
    {
      stdio: 'inherit',
    },
  )
  for (const file of globSync('**/*.d.ts', { cwd: join(output, 'types') })) {
    const path = join(output, 'types', file)
    // The source names its own files; published types have to name the files next to them.
    const named = /((?:from|import\() ?['"]\.[^'"]*)\.ts(?=['"])/g
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll(named, '$1.js'))
  }
  return status === 0
}
