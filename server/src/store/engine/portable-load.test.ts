import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { installedEngines } from './open.ts'

const home = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-load-'))
afterAll(() => fs.rmSync(home, { recursive: true }))

/** Imports a file, opens the native engine where it is installed, and prints the files that were loaded up to then. */
const program = `
  import { registerHooks } from 'node:module'
  const loaded = []
  registerHooks({
    load(url, context, next) {
      loaded.push(url)
      return next(url, context)
    },
  })
  const [, file, directory] = process.argv
  const { openEngine } = await import(file)
  if (directory) {
    const engine = await openEngine({ path: directory, kind: 'native', onNotice: () => undefined })
    await engine.close()
  }
  console.log(JSON.stringify(loaded))`

function portableFilesOf(file: string, directory = ''): string[] {
  const run = ['--input-type=module', '-e', program, path.join(import.meta.dirname, file), directory]
  const loaded: string[] = JSON.parse(execFileSync(process.execPath, run, { encoding: 'utf8' }))
  return loaded.filter((url) => /\/engine-portable\/|chdb-wasm/.test(url))
}

test('nothing of the portable engine is loaded where it does not run', async () => {
  const isNative = (await installedEngines()).includes('native')
  expect(portableFilesOf('open.ts', isNative ? home : undefined)).toEqual([])
  // The same look finds it where it is imported.
  expect(portableFilesOf('portable-connection.ts')).not.toEqual([])
})
