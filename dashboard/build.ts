/** `node build.ts <folder>`: makes the dashboard there, each file also compressed, so that no request has to wait. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { build } from 'vite'

const outDir = resolve(process.argv[2] ?? 'dist')

await build({
  configFile: join(import.meta.dirname, 'vite.config.ts'),
  configLoader: 'native',
  logLevel: 'warn',
  build: { outDir, emptyOutDir: true },
})
for (const name of readdirSync(outDir, { recursive: true, encoding: 'utf8' })) {
  if (!/\.(?:js|css|html|svg)$/.test(name)) continue
  const content = readFileSync(join(outDir, name))
  writeFileSync(join(outDir, `${name}.gz`), gzipSync(content, { level: 9 }))
  writeFileSync(join(outDir, `${name}.br`), brotliCompressSync(content))
}
