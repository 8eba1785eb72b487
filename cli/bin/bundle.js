// Makes dist/assay.js, one file without dependencies for Node 20 and later, in about a second.
import { fileURLToPath } from 'node:url'

const path = (name) => fileURLToPath(new URL(name, import.meta.url))

export async function bundleCli() {
  const { build, stop } = await import('esbuild')
  await build({
    entryPoints: [path('../src/main.ts')],
    outfile: path('../dist/assay.js'),
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    // Packages of the older kind that are bundled along ask for Node's own modules by require.
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
    legalComments: 'none',
    logLevel: 'warning',
  })
  await stop()
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundleCli()
