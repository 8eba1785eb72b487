import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'

const own = join(import.meta.dirname, 'source-imports.ts')
let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-imports-'))
  const files = {
    'package.json': '{ "type": "module" }',
    'node_modules/library/package.json': '{ "type": "module", "exports": "./index.js" }',
    'node_modules/library/index.js': "export { book } from './book.js'",
    'node_modules/library/book.js': "export const book = 'a book'",
    'hall/chair.ts': "export const chair: string = 'a chair'",
    'main.ts': `
      import { importSourcesDirectly } from ${JSON.stringify(pathToFileURL(own).href)}
      importSourcesDirectly(new URL('./', import.meta.url).href)
      const { chair } = await import('./hall/chair.ts')
      const { book } = await import('library')
      const missing = await import(['./hall', 'table.ts'].join('/')).catch(({ code }) => code)
      console.log([chair, book, missing].join(', '))`,
  }
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('own files and packages are found, and a file that is not there is said to be missing', () => {
  const said = execFileSync(process.execPath, [join(folder, 'main.ts')], { encoding: 'utf8' })
  expect(said.trim()).toBe('a chair, a book, ENOENT')
})
