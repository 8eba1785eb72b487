/** `npm run sdk`: writes both SDKs as published to their dist folders, with types, and prints their sizes. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { madeBefore } from '../server/src/http/assets/sdk-assets.ts'
import { bundleSdk } from '../server/src/http/assets/sdk-bundle.ts'
import { bundleServerSdk, writeServerSdkTypes } from './server-sdk.ts'

const home = join(import.meta.dirname, '..', 'sdk', 'browser')
const output = join(home, 'dist')

rmSync(output, { recursive: true, force: true })
mkdirSync(madeBefore(), { recursive: true })
for (const file of ['sdk.js', 'sdk.mjs', 'replay.js'] as const) {
  const content = await bundleSdk(file)
  for (const place of [output, madeBefore()]) writeFileSync(join(place, file), content)
  const sizes = [content.length, gzipSync(content, { level: 9 }).length, brotliCompressSync(content).length]
  const [plain, gzip, brotli] = sizes.map((bytes) => `${(bytes / 1000).toFixed(2)} KB`)
  console.log(`${file.padEnd(14)} ${plain}, ${gzip} with gzip, ${brotli} with brotli`)
}
const places = ['--rootDir', join(home, '..', '..'), '--outDir', join(output, 'types')]
const declarations = ['--noEmit', 'false', '--declaration', '--emitDeclarationOnly', ...places]
const { status } = spawnSync('tsc', ['-p', home, ...declarations], { stdio: 'inherit' })

const serverOutput = join(home, '..', 'server', 'dist')
await bundleServerSdk(serverOutput)
process.exitCode = writeServerSdkTypes(serverOutput) ? (status ?? 1) : 1
