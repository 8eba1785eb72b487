import { resolve, sep } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { pathWithin } from './safe-path.ts'

const hostileNames = [
  '..',
  '.',
  '',
  '/',
  'a/b',
  'a\\b',
  '../x',
  'x/..',
  'a\0b',
  '.hidden',
  'ä',
  'a b',
  'a\nb',
  '%2e%2e',
]

test('a name that is not a plain name of a file makes no path', () => {
  for (const name of hostileNames)
    expect(() => pathWithin('/data', name), name).toThrow('is no name of a file')
  expect(() => pathWithin('/data', 'a'.repeat(201))).toThrow('is no name of a file')
})

test('whatever a name says, its path stays within the directory or is none', () => {
  const parts = fc.constantFrom('..', '.', '/', '\\', 'a', 'b', '\0', '~', '%2f', 'x.zip')
  const name = fc.oneof(
    fc.string(),
    fc.array(parts, { maxLength: 8 }).map((list) => list.join('')),
  )
  fc.assert(
    fc.property(fc.array(name, { minLength: 1, maxLength: 3 }), (names) => {
      let path: string
      try {
        path = pathWithin('/data/transfers', ...names)
      } catch {
        return
      }
      expect(resolve(path)).toBe(path)
      expect(path.startsWith(`/data/transfers${sep}`)).toBe(true)
    }),
  )
})

test('ids and names of files of the product make paths', () => {
  expect(pathWithin('/data/exports', 'dsr_01k9.zip')).toBe('/data/exports/dsr_01k9.zip')
  expect(pathWithin('/data', 'imp_01k9', 'sites.ndjson')).toBe('/data/imp_01k9/sites.ndjson')
})
