import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'

type Bundle = {
  files: Map<string, Buffer>
  names: { script: string; theme: string; style: string; mark: string }
}

const source = import.meta.dirname
const mark = join(source, '..', '..', 'dashboard', 'src', 'style', 'mark.svg')

/** Script, style, fonts and icon of every page, by names that change with their content. */
export async function bundleFiles(): Promise<Bundle> {
  const { outputFiles } = await build({
    entryPoints: {
      site: join(source, 'client/site.ts'),
      theme: join(source, 'client/theme.ts'),
      style: join(source, 'client/style.css'),
    },
    bundle: true,
    minify: true,
    write: false,
    outdir: 'assets',
    entryNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    format: 'iife',
    target: ['es2022', 'chrome120', 'firefox120', 'safari17'],
    loader: { '.woff2': 'file' },
    logLevel: 'warning',
  })
  const files = new Map(
    outputFiles.map(({ path, contents }) => [`assets/${path.split(/[\\/]/).at(-1)}`, Buffer.from(contents)]),
  )
  files.set('assets/mark.svg', readFileSync(mark))
  const named = (name: string, ending: string) =>
    [...files.keys()].find((path) => path.startsWith(`assets/${name}-`) && path.endsWith(ending)) ?? ''
  return {
    files,
    names: {
      script: named('site', '.js'),
      theme: named('theme', '.js'),
      style: named('style', '.css'),
      mark: 'assets/mark.svg',
    },
  }
}
