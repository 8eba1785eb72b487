import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build, stop } from 'esbuild'
import { minify } from 'terser'

/** Served files and their sources: for a script tag, for `import`, and the recorder for both. */
const files = {
  'sdk.js': { format: 'iife', entry: 'sdk/browser/src/snippet.ts' },
  'sdk.mjs': { format: 'esm', entry: 'sdk/browser/src/client.ts' },
  'replay.js': { format: 'iife', entry: 'sdk/browser/src/replay/replay.ts' },
} as const
export type SdkFile = keyof typeof files

const root = new URL('../../../../', import.meta.url)

/** Browsers since 2020: polyfills for older ones would cost every page. */
const target = 'es2020'

/**
 * Members used only inside the SDK, not by the API, callers or the browser. They are mangled to one letter,
 * which saves 150 bytes per page.
 */
const innerNames =
  `add adopt advise allow beacon begun call choices choose clear contractVersion countPage createQueue current
  device drop ended follow forbid guard hasSessionEvents hasSignal head hold isChosen isKept isOnline
  isPassive isPaused isUnseen items keep keepsOnDevice leave lossBody losses newId onLeave onTheWay onView
  pages post presume presumed queue read saveQueue sdkName sendLast sessionId settle state takeQueues
  tellSession total visitor waitMs wake watchPages world write`.split(/\s+/)
const mangleProps = new RegExp(`^(?:${innerNames.join('|')})$`)

let last: Promise<unknown> = Promise.resolve()

/**
 * Builds one file of the browser SDK from source, in about a second, so that no build step is needed before.
 * One at a time: the bundler is a separate process, and the first to finish would end it for the others.
 */
export function bundleSdk(file: SdkFile): Promise<string> {
  const made = last.then(() => bundle(file))
  last = made.catch(() => {})
  return made
}

async function bundle(file: SdkFile): Promise<string> {
  const { format, entry } = files[file]
  const { version } = JSON.parse(readFileSync(new URL('sdk/browser/package.json', root), 'utf8'))
  const isRecorder = file === 'replay.js'
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(entry, root))],
    bundle: true,
    write: false,
    format,
    target,
    ...(isRecorder ? { minify: true } : { minifySyntax: true, mangleProps }),
    legalComments: 'none',
    define: { __VERSION__: JSON.stringify(version) },
    logLevel: 'silent',
  })
  await stop()
  const text = outputFiles[0]?.text ?? ''
  // The recorder uses a third-party library, which aggressive minification might break, and takes ten
  // seconds.
  return isRecorder ? text : shrink(text, format === 'esm')
}

/** A second pass makes the file 5 % smaller, for every page view of every site. */
async function shrink(text: string, isModule: boolean): Promise<string> {
  const { code } = await minify(text, {
    ecma: 2020,
    module: isModule,
    toplevel: true,
    compress: {
      passes: 3,
      unsafe: true,
      unsafe_arrows: true,
      unsafe_comps: true,
      unsafe_math: true,
      pure_getters: true,
    },
  })
  if (!code) throw new Error('The bundle is empty')
  return `${code}\n`
}
