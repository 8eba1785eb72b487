import { describe, expect, test } from 'vitest'
import { isPathPattern, pathExpression } from './path-pattern.ts'

describe('a path pattern', () => {
  test.each([
    ['/product/:id', '/product/42', true],
    ['/product/:id', '/product/42/reviews', false],
    ['/product/:id', '/product/', false],
    ['/blog/*', '/blog/', true],
    ['/blog/*', '/blog/2026/11/x', true],
    ['/blog/*', '/blog', false],
    ['/a.b', '/a.b', true],
    ['/a.b', '/axb', false],
    ['/sum(1)/:name/end', '/sum(1)/x/end', true],
    ['*/checkout', '/de/checkout', true],
  ])('%s on %s is %s', (pattern, path, expected) => {
    expect(new RegExp(pathExpression(pattern)).test(path)).toBe(expected)
  })

  test('is distinguished from a path by its placeholders', () => {
    expect(['/product/:id', '/blog/*'].map(isPathPattern)).toEqual([true, true])
    expect(['/', '/product/42', '/time/12:30', '/a:b'].map(isPathPattern)).toEqual([
      false,
      false,
      false,
      false,
    ])
  })
})
