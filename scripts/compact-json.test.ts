import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compactJson } from './compact-json.ts'

test('says the same as JSON, in lines that are no longer than they must be', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      expect(JSON.parse(compactJson(value))).toEqual(JSON.parse(JSON.stringify(value)))
    }),
  )
  const small = { $ref: '#/components/headers/Retry-After' }
  expect(compactJson({ small })).toBe('{ "small": { "$ref": "#/components/headers/Retry-After" } }')
  const long = { first: 'a'.repeat(60), second: [1, 'b'.repeat(60)] }
  expect(compactJson(long)).toBe(
    `{\n  "first": "${'a'.repeat(60)}",\n  "second": [1, "${'b'.repeat(60)}"]\n}`,
  )
})
