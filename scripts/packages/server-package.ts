/** Makes `@assay/server` as it is published: ES modules, the same as CommonJS, and types for both; no dependencies. */
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build, transform } from 'esbuild'
import { declarationOf, writeDeclarations } from './declarations.ts'
import { emptyFolder, finishPackage, readManifest, root } from './package-folder.ts'
import { thirdPartyLicences } from './third-parties.ts'

const home = 'sdk/server'
/** Node 20 is the oldest run time; all others are younger. */
const target = 'es2023'

/** What can be imported, and from which source: as the manifest of the workspace has it. */
const entries: readonly { name: string; file: string; source: string }[] = Object.entries(
  readManifest(home).exports,
).map(([name, source]) => ({
  name,
  file: name === '.' ? 'index' : name.slice('./'.length),
  source: join(home, source),
}))

export async function makeServerPackage(folder: string): Promise<void> {
  emptyFolder(folder)
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: Object.fromEntries(entries.map(({ file, source }) => [file, source])),
    outdir: folder,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'neutral',
    target,
    metafile: true,
    legalComments: 'none',
    logLevel: 'silent',
  })
  await writeCommonJs(folder)
  writeTypes(folder)
  const exports = Object.fromEntries(
    entries.map(({ name, file, source }) => [name, conditions(file, source)]),
  )
  const manifest = {
    sideEffects: false,
    // For tools that do not read `exports`.
    main: './cjs/index.js',
    module: './index.js',
    types: './index.d.ts',
    exports: { ...exports, './package.json': './package.json' },
    files: ['*.js', '*.d.ts', 'cjs', 'THIRD-PARTY-LICENSES.txt'],
  }
  finishPackage(home, folder, manifest, thirdPartyLicences(metafile))
}

const commonJsTypes = (source: string): string => `./cjs/types/${declarationOf(source)}`

const conditions = (file: string, source: string) => ({
  import: { types: `./${file}.d.ts`, default: `./${file}.js` },
  require: { types: commonJsTypes(source), default: `./cjs/${file}.js` },
  default: `./${file}.js`,
})

/** File by file, so that the entries share what they have in common here too: a class is one class for `instanceof`. */
async function writeCommonJs(folder: string): Promise<void> {
  mkdirSync(join(folder, 'cjs'))
  for (const file of globSync('*.js', { cwd: folder })) {
    const text = readFileSync(join(folder, file), 'utf8')
    const { code } = await transform(text, { format: 'cjs', platform: 'node', target, legalComments: 'none' })
    writeFileSync(join(folder, 'cjs', file), code)
  }
  writeFileSync(join(folder, 'cjs', 'package.json'), '{ "type": "commonjs" }\n')
}

/** One set of types, those of CommonJS, which modules may import as well; the other way round the compiler refuses. */
function writeTypes(folder: string): void {
  const sources = entries.map(({ source }) => source)
  writeDeclarations(`${home}/tsconfig.types.json`, sources, join(folder, 'cjs', 'types'))
  for (const { file, source } of entries) {
    const from = commonJsTypes(source).replace(/\.d\.ts$/, '.js')
    writeFileSync(join(folder, `${file}.d.ts`), `export * from '${from}'\n`)
  }
}
