import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const here = import.meta.dirname

/** What runs in threads: their own files, and reads that say which file they are in. */
const files = globSync('**/*.ts', { cwd: here, exclude: ['**/*.test.ts'] })
  .filter(
    (file) =>
      file.endsWith('-thread.ts') || readFileSync(join(here, file), 'utf8').includes('file: import.meta.url'),
  )
  .sort()

/** Says which files are loaded with the one that is given. */
const program = `
import { registerHooks } from 'node:module'
const urls = new Set()
registerHooks({ resolve: (name, context, next) => {
  const found = next(name, context)
  urls.add(found.url)
  return found
} })
// One that needs its other side says so when all it needs is loaded.
await import(process.argv[1]).catch((error) => { if (!/start of a worker thread/.test(error.message)) throw error })
console.log([...urls].join('\\n'))`

test('there are threads, and reads in them', () => {
  expect(files).toContain('analytics/sequences/compute-thread.ts')
  expect(files).toContain('analytics/rollups/overview-read.ts')
})

test.each(files)(
  '%s does without the schemas of the API, which take 50 MB and a third of a second',
  (file) => {
    const args = ['--input-type=module', '--eval', program, join(here, file)]
    const loaded = execFileSync(process.execPath, args, { encoding: 'utf8' }).split('\n')
    expect(loaded.length).toBeGreaterThan(1)
    expect(loaded.filter((url) => /contract\/src\/index\.ts|\/typebox\//.test(url))).toEqual([])
  },
)
