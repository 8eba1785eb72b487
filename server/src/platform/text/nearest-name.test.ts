import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nearestName } from './nearest-name.ts'

const known = ['ASSAY_PORT', 'ASSAY_HOST', 'ASSAY_DATA_DIR', 'ASSAY_DATA_PORT']

test.each([
  ['ASSAY_PROT', 'ASSAY_PORT'],
  ['ASSAY_DATADIR', 'ASSAY_DATA_DIR'],
  ['ASSAY_HOSTS', 'ASSAY_HOST'],
  ['assay_port', 'ASSAY_PORT'],
  ['COMPLETELY_ELSE', undefined],
])('%s is most like %s', (name, expected) => {
  expect(nearestName(name, known)).toBe(expected)
})

test('a known name is most like itself', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.string({ minLength: 1, maxLength: 20 }), {
        minLength: 1,
        selector: (one) => one.toLowerCase(),
      }),
      (names) => {
        for (const name of names) expect(nearestName(name, names)).toBe(name)
      },
    ),
  )
})
