#!/usr/bin/env node
// A package that was published brings one bundled file. In a clone the source itself runs where Node can read it (from
// 22.18 on), and is bundled first where it cannot: nothing has to be built by hand, and nothing is loaded.
import { existsSync } from 'node:fs'

const source = new URL('../src/main.ts', import.meta.url)
const bundle = new URL('../dist/assay.js', import.meta.url)

if (!existsSync(source)) await import(bundle.href)
else if (process.features.typescript) await import(source.href)
else {
  const { bundleCli } = await import('./bundle.js')
  await bundleCli()
  await import(bundle.href)
}
