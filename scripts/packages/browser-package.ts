/** Makes `@assay/browser` as it is published: a module with types, two files for script tags, entries for apps. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { bundleSdk } from '../../server/src/http/assets/sdk-bundle.ts'
import { type AppEntry, appEntries, appSource, bundleApp } from './app-entries.ts'
import { declarationOf, writeDeclarations } from './declarations.ts'
import { emptyFolder, finishPackage, root } from './package-folder.ts'
import { thirdPartyLicences } from './third-parties.ts'

const home = 'sdk/browser'
const source = `${home}/src/client.ts`

export async function makeBrowserPackage(folder: string): Promise<void> {
  emptyFolder(folder)
  for (const file of ['sdk.mjs', 'sdk.js', 'replay.js'] as const)
    writeFileSync(join(folder, file), await bundleSdk(file))
  writeDeclarations(`${home}/tsconfig.json`, [source], join(folder, 'types'))
  await writeAppEntries(folder)
  const types = `./types/${declarationOf(source)}`
  const manifest = {
    // Not of the sources, where it would change what the bundler keeps of them.
    sideEffects: ['./sdk.js', './replay.js'],
    // For tools that do not read `exports`.
    module: './sdk.mjs',
    types,
    exports: {
      '.': { types, default: './sdk.mjs' },
      ...Object.fromEntries(appEntries.map((entry) => [`./${entry}`, appConditions(entry)])),
      './sdk.js': './sdk.js',
      './replay.js': './replay.js',
      './package.json': './package.json',
    },
    files: ['*.mjs', '*.js', '*.d.ts', 'types', 'cjs', 'THIRD-PARTY-LICENSES.txt'],
  }
  finishPackage(home, folder, manifest, thirdPartyLicences(await readInputs()))
}

/**
 * Modules lie next to the manifest under the name of their entry, where bundlers look that do not read `exports`, such
 * as Metro before 0.82. As in `@assay/server`, there is one set of types, those of CommonJS.
 */
async function writeAppEntries(folder: string): Promise<void> {
  const types = join('cjs', 'types')
  writeDeclarations(`${home}/tsconfig.json`, appEntries.map(appSource), join(folder, types))
  for (const entry of appEntries) {
    writeFileSync(join(folder, `${entry}.js`), await bundleApp(entry, 'esm'))
    writeFileSync(join(folder, 'cjs', `${entry}.js`), await bundleApp(entry, 'cjs'))
    const from = appTypes(entry).replace(/\.d\.ts$/, '.js')
    writeFileSync(join(folder, `${entry}.d.ts`), `export * from '${from}'\n`)
  }
  writeFileSync(join(folder, 'cjs', 'package.json'), '{ "type": "commonjs" }\n')
}

const appTypes = (entry: AppEntry): string => `./cjs/types/${declarationOf(appSource(entry))}`

const appConditions = (entry: AppEntry) => ({
  import: { types: `./${entry}.d.ts`, default: `./${entry}.js` },
  require: { types: appTypes(entry), default: `./cjs/${entry}.js` },
  default: `./${entry}.js`,
})

/** What the files are made of. */
async function readInputs() {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [
      source,
      ...appEntries.map(appSource),
      `${home}/src/snippet.ts`,
      `${home}/src/replay/replay.ts`,
    ],
    outdir: 'unused',
    bundle: true,
    write: false,
    metafile: true,
    logLevel: 'silent',
  })
  return metafile
}
