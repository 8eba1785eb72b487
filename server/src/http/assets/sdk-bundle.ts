import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build, stop } from 'esbuild'
import { minify } from 'terser'

/** What is served, and from which source: for a script tag, for `import`, and the recorder beside either. */
const files = {
  'sdk.js': { format: 'iife', entry: 'sdk/browser/src/snippet.ts' },
  'sdk.mjs': { format: 'esm', entry: 'sdk/browser/src/client.ts' },
  'replay.js': { format: 'iife', entry: 'sdk/browser/src/replay/replay.ts' },
} as const
export type SdkFile = keyof typeof files

const root = new URL('../../../../', import.meta.url)

/** The browsers of 2020 and later: what they lack would have to be brought along by every page. */
const target = 'es2020'

/**
 * Members that only the SDK itself reads, and that neither the wire, nor a caller, nor the browser knows by name. They
 * get names of one letter, which saves 150 bytes of every page.
 */
const innerNames =
  `adopt advise allow beacon begun choices choose clear contractVersion countPage current device drop ended follow
  forbid guard hasSessionEvents hasSignal head hold isChosen isHeld isKept isOnline isPassive items keep keepsOnDevice
  leave lossBody losses newId onLeave onTheWay onView pages post presume queue read saveQueue sendLast sessionId
  settle state takeQueues tellSession total visitor waitMs wake world write`.split(/\s+/)
const mangleProps = new RegExp(`^(?:${innerNames.join('|')})$`)

let last: Promise<unknown> = Promise.resolve()

/**
 * Makes one file of the browser SDK from its source, in about a second, so that nothing has to be built before. One
 * after the other: the bundler runs beside us as a process of its own, and whoever is done ends it.
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
  // The recorder is made of a library of others, which daring rules might break, and takes ten seconds to go through.
  return isRecorder ? text : shrink(text, format === 'esm')
}

/** A second pass, because it makes the file a twentieth smaller, for every page view of every site. */
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
