import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build, stop } from 'esbuild'
import { minify } from 'terser'

/** What is served, and from which source: one for a script tag, one for `import`. */
const files = {
  'sdk.js': { format: 'iife', entry: 'sdk/browser/src/snippet.ts' },
  'sdk.mjs': { format: 'esm', entry: 'sdk/browser/src/client.ts' },
} as const
export type SdkFile = keyof typeof files

const root = new URL('../../../', import.meta.url)

/** The browsers of 2020 and later: what they lack would have to be brought along by every page. */
const target = 'es2020'

/**
 * Members that only the SDK itself reads, and that neither the wire, nor a caller, nor the browser knows by name. They
 * get names of one letter, which saves 150 bytes of every page.
 */
const innerNames =
  `adopt allow anonymousId begun choose contractVersion countPage device ended forbid guard hasSessionEvents hasSignal
  hold isChosen isHeld isKept isPassive keepsOnDevice losses newId onLeave onView pages presume queue reportLoss
  saveQueue sessionId settle takeQueues tellLoss tellSession visitor waitMs world`.split(/\s+/)

/** Makes one file of the browser SDK from its source, in about a second, so that nothing has to be built before. */
export async function bundleSdk(file: SdkFile): Promise<string> {
  const { format, entry } = files[file]
  const { version } = JSON.parse(readFileSync(new URL('sdk/browser/package.json', root), 'utf8'))
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(entry, root))],
    bundle: true,
    write: false,
    format,
    target,
    minifySyntax: true,
    mangleProps: new RegExp(`^(?:${innerNames.join('|')})$`),
    legalComments: 'none',
    define: { __VERSION__: JSON.stringify(version) },
    logLevel: 'silent',
  })
  // It runs beside us as a process of its own, and there is nothing more to do for it.
  await stop()
  // A second pass, because it makes the file a twentieth smaller, for every page view of every site.
  const { code } = await minify(outputFiles[0]?.text ?? '', {
    ecma: 2020,
    module: format === 'esm',
    toplevel: true,
    compress: { passes: 3, unsafe: true, unsafe_arrows: true, pure_getters: true },
  })
  if (!code) throw new Error(`The bundle of ${file} is empty`)
  return `${code}\n`
}
