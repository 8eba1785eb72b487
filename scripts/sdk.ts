/** `npm run sdk`: makes the files of the browser SDK that the product serves, for later starts; prints their sizes. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { madeBefore } from '../server/src/http/assets/sdk-assets.ts'
import { bundleSdk } from '../server/src/http/assets/sdk-bundle.ts'

rmSync(join(import.meta.dirname, '..', 'sdk', 'browser', 'dist'), { recursive: true, force: true })
mkdirSync(madeBefore(), { recursive: true })
for (const file of ['sdk.js', 'sdk.mjs', 'replay.js'] as const) {
  const content = await bundleSdk(file)
  writeFileSync(join(madeBefore(), file), content)
  const sizes = [content.length, gzipSync(content, { level: 9 }).length, brotliCompressSync(content).length]
  const [plain, gzip, brotli] = sizes.map((bytes) => `${(bytes / 1000).toFixed(2)} KB`)
  console.log(`${file.padEnd(14)} ${plain}, ${gzip} with gzip, ${brotli} with brotli`)
}
