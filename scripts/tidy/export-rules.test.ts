import { expect, test } from 'vitest'
import { inspect } from '../tidy.ts'

/** What is found about exports in a repository of these files, as `file:line name`. */
function unused(files: Record<string, string>): string[] {
  return inspect(new Map(Object.entries(files)))
    .filter(({ rule }) => rule === 'unused export')
    .map(({ file, line, instead }) => `${file}:${line} ${/imports (\w+)/.exec(instead)?.[1]}`)
}

test('an export that no other file imports is found, whatever it is', () => {
  const names = ['a', 'B', 'c', 'D', 'e', 'f']
  const text = `export const a = 1
export type B = string
export async function c() { return a }
export class D {}
export const { one: e, f } = a
export default c`
  expect(unused({ 'server/src/sites/site.ts': text })).toEqual(
    names.map((name, index) => `server/src/sites/site.ts:${Math.min(index + 1, 5)} ${name}`),
  )
})

test.each([
  ["import { site } from './site.ts'"],
  ["import { type site } from './site.ts'"],
  ["import type {\n  site,\n} from './site.ts'"],
  ["import { site as place } from './site.ts'"],
  ["import * as sites from './site.ts'"],
  ["export { site } from './site.ts'"],
  ["const { site } = await import('./site.ts')"],
  ["new Worker(new URL('./site.ts', import.meta.url))"],
])('%s uses it', (text) => {
  const files = { 'server/src/sites/site.ts': 'export const site = 1', 'server/src/sites/list.ts': text }
  expect(unused(files)).toEqual([])
})

test('another name of the same file, or the same name of another file, does not', () => {
  const files = {
    'server/src/sites/site.ts': 'export const site = 1\nexport const token = 2',
    'server/src/sites/other.ts': 'export const site = 3',
    'server/src/sites/list.ts': "import { token } from './site.ts'\nimport { site } from './other.ts'",
  }
  expect(unused(files)).toEqual(['server/src/sites/site.ts:1 site'])
})

test('the index of a package passes names on, and does not use them; what a manifest names is published', () => {
  const files = {
    'contract/src/index.ts': "export * from './sites.ts'\nexport { gate } from './gate.ts'",
    'contract/src/sites.ts': 'export const site = 1\nexport const shape = 2',
    'contract/src/gate.ts': 'export const gate = 1',
    'server/src/sites/routes.ts': "import { site } from '@assay/contract'",
    'sdk/server/package.json': '{ "exports": { ".": "./src/client.ts" } }',
    'sdk/server/src/client.ts': 'export const client = 1',
  }
  expect(unused(files)).toEqual(['contract/src/gate.ts:1 gate', 'contract/src/sites.ts:2 shape'])
})
