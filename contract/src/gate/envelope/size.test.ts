import fc from 'fast-check'
import { expect, test } from 'vitest'
import { jsonBytes } from './size.ts'

/** Whole characters only: of a surrogate without its other half JSON makes an escape, which is not counted. */
const text = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.string({ unit: 'binary-ascii' }))

test('a text is measured as the bytes of its JSON', () => {
  fc.assert(
    fc.property(text, (value) => {
      expect(jsonBytes(value)).toBe(bytesOf(value))
    }),
  )
})

test('each of the first 65,536 characters is measured as what it takes, wherever it stands', () => {
  for (let code = 0; code < 0x1_0000; code += 1) {
    if (code >= 0xd800 && code <= 0xdfff) continue
    const character = String.fromCharCode(code)
    for (const value of [character, `a${character}b`]) {
      if (jsonBytes(value) !== bytesOf(value)) expect(jsonBytes(value), `U+${code}`).toBe(bytesOf(value))
    }
  }
})

const encoder = new TextEncoder()
const bytesOf = (value: unknown) => encoder.encode(JSON.stringify(value)).length
