/** `node build.ts <folder>`: makes the docs site there, each file also compressed, so that no request has to wait. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { makeSite } from './src/site.ts'

/** Of 11: the highest takes ten times as long, and makes these files a tenth smaller. */
const brotliQuality = 9

const outDir = resolve(process.argv[2] ?? 'dist')
for (const [path, content] of await makeSite()) {
  const file = join(outDir, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
  if (!/\.(?:js|css|html|svg|json)$/.test(path)) continue
  writeFileSync(`${file}.gz`, gzipSync(content))
  const params = { [constants.BROTLI_PARAM_QUALITY]: brotliQuality }
  writeFileSync(`${file}.br`, brotliCompressSync(content, { params }))
}
