import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { jsonDepthMax, requireShallow } from './shallow-json.ts'

const nested = (levels: number, inside = '1') => `${'['.repeat(levels)}${inside}${']'.repeat(levels)}`
const isRefused = (text: string) => {
  try {
    requireShallow(JSON.parse(text))
    return false
  } catch {
    return true
  }
}

describe('the depth of a body', () => {
  test('is refused beyond its maximum, in lists, objects and both', () => {
    expect(isRefused(nested(jsonDepthMax))).toBe(false)
    expect(isRefused(nested(jsonDepthMax + 1))).toBe(true)
    const members = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
    expect(isRefused(members(jsonDepthMax))).toBe(false)
    expect(isRefused(members(jsonDepthMax + 1))).toBe(true)
    expect(isRefused(nested(jsonDepthMax, '{}'))).toBe(true)
    expect(isRefused(nested(2_000_000))).toBe(true)
  })

  test('is that of the deepest value', () => {
    const json = fc.jsonValue({ maxDepth: 6 })
    fc.assert(
      fc.property(json, fc.integer({ min: jsonDepthMax - 8, max: jsonDepthMax + 2 }), (value, levels) => {
        const text = nested(levels, JSON.stringify(value))
        expect(isRefused(text)).toBe(depthOf(JSON.parse(text)) > jsonDepthMax)
      }),
    )
  })
})

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(depthOf))
}
