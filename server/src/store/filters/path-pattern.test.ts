import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isPathPattern, pathExpression, pathTest } from './path-pattern.ts'

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
    expect(pathTest(pattern)(path)).toBe(expected)
  })

  test('is compared without an expression as with one', () => {
    const pieces = fc.constantFrom('*', ':id', '/', 'a', 'b', '\n', '.', '\u{1f600}')
    const pattern = fc.array(pieces, { maxLength: 7 }).map((parts) => parts.join(''))
    const path = fc.array(fc.constantFrom('/', 'a', 'b', '\n', '.', '\u{1f600}'), { maxLength: 8 })
    fc.assert(
      fc.property(pattern, path, (one, parts) => {
        const text = parts.join('')
        expect(pathTest(one)(text)).toBe(new RegExp(pathExpression(one), 's').test(text))
      }),
      { numRuns: 2_000 },
    )
  })

  test('with many placeholders takes no longer than its length and theirs', () => {
    const path = `/${'a'.repeat(2_000)}`
    expect(pathTest(`${'*a'.repeat(20)}*b`)(path)).toBe(false)
    expect(pathTest(`/${':one'.repeat(20)}/b`)(path)).toBe(false)
    expect(pathTest(`${'*a'.repeat(20)}*`)(path)).toBe(true)
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
