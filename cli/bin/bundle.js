// Makes one file of the command, without dependencies, for Node 20 and later, in about a second.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

const path = (name) => fileURLToPath(new URL(name, import.meta.url))

/** Returns what the file is made of. */
export async function bundleCli(outfile = path('../dist/assay.js')) {
  const { build, stop } = await import('esbuild')
  const { version } = JSON.parse(readFileSync(path('../package.json'), 'utf8'))
  const { outputFiles, metafile } = await build({
    absWorkingDir: path('../..'),
    entryPoints: [path('../src/main.ts')],
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    define: { __ASSAY_VERSION__: JSON.stringify(version) },
    // Packages of the older kind that are bundled along ask for Node's own modules by require.
    banner: {
      js: "#!/usr/bin/env node\nimport { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
    // What pg would load elsewhere.
    external: ['pg-native', 'cloudflare:sockets'],
    legalComments: 'none',
    logLevel: 'warning',
  })
  await stop()
  // Another call may be about to run it, and must never see half of it.
  const unfinished = `${outfile}.${process.pid}`
  mkdirSync(dirname(outfile), { recursive: true })
  writeFileSync(unfinished, outputFiles[0].text)
  renameSync(unfinished, outfile)
  return metafile
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundleCli(process.argv[2])
