import { copyFileSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { run } from '../server/src/registry/codegen/testing/generated-files.ts'
import { fileNameOf, pageGlobals, type Snippet, snippetsIn } from './testing/snippets.ts'

const root = join(import.meta.dirname, '..')
const pages = globSync(['README.md', 'docs/**/*.md', '{cli,sdk/*}/README.md'], { cwd: root }).filter(
  (page) => !page.startsWith('docs/decisions/'),
)
const snippetsOf = (...languages: string[]): Snippet[] =>
  pages.flatMap((page) => snippetsIn(page, readFileSync(join(root, page), 'utf8'), languages))

/** Inside the repository, so that packages are found as in a project that has installed them. */
mkdirSync(join(root, '.cache'), { recursive: true })
const folder = mkdtempSync(join(root, '.cache', 'snippets-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

beforeAll(() => {
  // What `npx @assay/cli init` writes for a registry with some events of its own.
  const generated = join(root, 'server/src/registry/codegen/golden/typescript/assay-events.ts')
  copyFileSync(generated, join(folder, 'assay-events.ts'))
  writeFileSync(join(folder, 'page-globals.d.ts'), pageGlobals)
  for (const snippet of snippetsOf('ts', 'tsx', 'js', 'jsx')) {
    // A block without an import would share its names with all others.
    const code = /^(?:import|export)\b/m.test(snippet.code) ? '' : 'export {}\n'
    writeFileSync(join(folder, fileNameOf(snippet)), snippet.code + code)
  }
})

/** As a strict project with a bundler has it. */
const settings = {
  target: 'es2023',
  lib: ['es2023', 'dom', 'dom.iterable'],
  module: 'preserve',
  moduleResolution: 'bundler',
  allowImportingTsExtensions: true,
  jsx: 'react-jsx',
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noEmit: true,
  skipLibCheck: true,
  types: ['node'],
}

/** All blocks are one program; messages about other files are of other tests. */
async function messages(name: string, include: readonly string[], more: object): Promise<string[]> {
  const project = { compilerOptions: { ...settings, ...more }, include: [...include, 'page-globals.d.ts'] }
  writeFileSync(join(folder, `${name}.json`), JSON.stringify(project))
  const compiler = join(root, 'node_modules/.bin/tsc')
  const args = ['-p', `${name}.json`, '--pretty', 'false']
  const { output } = await run(compiler, args, folder, 'npm ci brings the compiler')
  return output.split('\n').filter((line) => /^[\w-]+\.\w+\(/.test(line) || /^error/.test(line))
}

describe('every block of code on the pages', () => {
  test('in TypeScript compiles in a strict project, against the real types of its packages', async () => {
    expect(snippetsOf('ts', 'tsx').length).toBeGreaterThan(10)
    expect(await messages('strict', ['*.ts', '*.tsx'], {})).toEqual([])
  })

  test('in JavaScript compiles, too', async () => {
    expect(snippetsOf('js').length).toBeGreaterThan(10)
    const loose = { allowJs: true, checkJs: true, noImplicitAny: false, noUncheckedIndexedAccess: false }
    expect(await messages('loose', ['*.js', '*.jsx', 'assay-events.ts'], loose)).toEqual([])
  })
})
