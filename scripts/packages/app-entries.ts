/** The entries of `@assay/browser` for apps: no page, no cookies, storage and life cycle passed in. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { root } from './package-folder.ts'

export const appEntries = ['react-native', 'capacitor'] as const
export type AppEntry = (typeof appEntries)[number]

export const appSource = (entry: AppEntry): string => `sdk/browser/src/app/${entry}.ts`

/** Engines of React Native know this much; Metro translates the rest for the engine of an app. */
const target = 'es2018'

export async function bundleApp(entry: AppEntry, format: 'esm' | 'cjs'): Promise<string> {
  const { version } = JSON.parse(readFileSync(join(root, 'sdk/browser/package.json'), 'utf8'))
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [appSource(entry)],
    bundle: true,
    write: false,
    format,
    platform: 'neutral',
    target,
    define: { __VERSION__: JSON.stringify(version) },
    legalComments: 'none',
    logLevel: 'silent',
  })
  return outputFiles[0]?.text ?? ''
}
