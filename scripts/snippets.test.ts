import { copyFileSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { compile } from 'svelte/compiler'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { compileScript, compileTemplate, parse } from 'vue/compiler-sfc'
import { run } from '../server/src/registry/codegen/testing/generated-files.ts'
import { appModules, pageGlobals, pathOf, type Snippet, snippetsIn } from './testing/snippets.ts'

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

const compiled = snippetsOf('ts', 'tsx', 'js')
/** For blocks in JavaScript: they are those that run next to script tags. */
const globalsFile = 'page-globals.d.ts'

beforeAll(() => {
  writeFileSync(join(folder, globalsFile), pageGlobals)
  writeFileSync(join(folder, 'app-modules.d.ts'), appModules)
  // What `npx @assay/cli init` writes for a registry with some events of its own.
  const generated = join(root, 'server/src/registry/codegen/golden/typescript/assay-events.ts')
  for (const snippet of compiled) {
    const file = join(folder, pathOf(snippet))
    mkdirSync(dirname(file), { recursive: true })
    // A block without an import would share its names with all others.
    const code = /^(?:import|export)\b/m.test(snippet.code) ? '' : 'export {}\n'
    writeFileSync(file, snippet.code + code)
    copyFileSync(generated, join(dirname(file), 'assay-events.ts'))
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

/** All blocks are one program; messages about the sources of the SDKs are of other tests. */
async function messages(name: string, include: readonly string[], more: object): Promise<string[]> {
  const globals = include.includes(globalsFile) ? [] : [globalsFile]
  const project = { compilerOptions: { ...settings, ...more }, include, exclude: globals }
  writeFileSync(join(folder, `${name}.json`), JSON.stringify(project))
  const compiler = join(root, 'node_modules/.bin/tsc')
  const args = ['-p', `${name}.json`, '--pretty', 'false']
  const { output } = await run(compiler, args, folder, 'npm ci brings the compiler')
  return output.split('\n').filter((line) => /^(?!\.\.)\S+\(\d+,\d+\): error|^error/.test(line))
}

describe('every block of code on the pages', () => {
  test('has a file of its own', () => {
    const paths = compiled.map(pathOf)
    expect(paths.filter((path, index) => paths.indexOf(path) !== index)).toEqual([])
  })

  test('in TypeScript compiles in a strict project, against the real types of its packages', async () => {
    expect(snippetsOf('ts', 'tsx').length).toBeGreaterThan(20)
    expect(await messages('strict', ['**/*.ts', '**/*.tsx'], {})).toEqual([])
  })

  test('in JavaScript compiles, too', async () => {
    expect(snippetsOf('js').length).toBeGreaterThan(10)
    const loose = { allowJs: true, checkJs: true, noImplicitAny: false, noUncheckedIndexedAccess: false }
    expect(await messages('loose', ['**/*.js', globalsFile], loose)).toEqual([])
  })

  test('of a Vue component is one that its compiler takes', () => {
    const components = snippetsOf('vue')
    expect(components.length).toBeGreaterThan(0)
    for (const { code } of components) {
      const { descriptor, errors } = parse(code)
      expect(errors).toEqual([])
      const { bindings = {} } = compileScript(descriptor, { id: 'x' })
      const source = descriptor.template?.content ?? ''
      const options = { source, id: 'x', filename: 'x.vue', compilerOptions: { bindingMetadata: bindings } }
      expect(compileTemplate(options).errors).toEqual([])
    }
  })

  test('of a Svelte component is one that its compiler takes without a warning', () => {
    const components = snippetsOf('svelte')
    expect(components.length).toBeGreaterThan(0)
    for (const { code } of components) expect(compile(code, {}).warnings).toEqual([])
  })
})

test('a mistake in a block is found', async () => {
  const wrong = "import { createClient } from '@assay/server'\ncreateClient({ keys: 'k' })\n"
  writeFileSync(join(folder, 'wrong.mts'), wrong)
  expect(await messages('wrong', ['wrong.mts'], {})).toEqual([expect.stringContaining('wrong.mts(2,')])
})
