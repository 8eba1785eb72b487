import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { holdsAll, linkPackages } from './commit-tree.ts'

test('packages serve an older commit while it needs none but these, in these versions', () => {
  const present = new Map([
    ['node_modules/a', '1.0.0'],
    ['node_modules/b', '2.0.0'],
  ])
  expect(holdsAll(present, new Map([['node_modules/a', '1.0.0']]))).toBe(true)
  expect(holdsAll(present, new Map([['node_modules/a', '1.0.1']]))).toBe(false)
  expect(holdsAll(present, new Map([['node_modules/c', undefined]]))).toBe(false)
})

test('packages are shared between trees, and our own are those of each tree', () => {
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'assay-trees-')))
  for (const tree of ['here', 'there']) {
    mkdirSync(join(scratch, tree, 'contract'), { recursive: true })
    writeFileSync(join(scratch, tree, 'contract', 'index.ts'), tree)
  }
  const packages = join(scratch, 'here', 'node_modules')
  for (const name of ['fastify', '@types/node', '@assay'])
    mkdirSync(join(packages, name), { recursive: true })
  symlinkSync('../../contract', join(packages, '@assay', 'contract'))
  const linked = join(scratch, 'there', 'node_modules')
  linkPackages(packages, linked)
  const [shared, scoped] = ['fastify', '@types/node'].map((name) => realpathSync(join(linked, name)))
  const own = readFileSync(join(linked, '@assay', 'contract', 'index.ts'), 'utf8')
  rmSync(scratch, { recursive: true })
  expect([shared, scoped]).toEqual([join(packages, 'fastify'), join(packages, '@types/node')])
  expect(own).toBe('there')
})
