/** Makes `@assay/browser` as it is published: a module with types, and the two files for script tags. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { bundleSdk } from '../../server/src/http/assets/sdk-bundle.ts'
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
  const types = `./types/${declarationOf(source)}`
  const manifest = {
    // Not of the sources, where it would change what the bundler keeps of them.
    sideEffects: ['./sdk.js', './replay.js'],
    // For tools that do not read `exports`.
    module: './sdk.mjs',
    types,
    exports: {
      '.': { types, default: './sdk.mjs' },
      './sdk.js': './sdk.js',
      './replay.js': './replay.js',
      './package.json': './package.json',
    },
    files: ['sdk.mjs', 'sdk.js', 'replay.js', 'types', 'THIRD-PARTY-LICENSES.txt'],
  }
  finishPackage(home, folder, manifest, thirdPartyLicences(await readInputs()))
}

/** What the files are made of. */
async function readInputs() {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [source, `${home}/src/snippet.ts`, `${home}/src/replay/replay.ts`],
    outdir: 'unused',
    bundle: true,
    write: false,
    metafile: true,
    logLevel: 'silent',
  })
  return metafile
}
