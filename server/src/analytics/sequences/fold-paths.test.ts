import { describe, expect, test } from 'vitest'
import { foldPaths, isId } from './fold-paths.ts'

const fold = (...paths: string[]) => {
  const folded = foldPaths(paths.map((path) => ({ path, count: 1 })))
  return paths.map((path) => folded.get(path))
}

describe('ids in paths', () => {
  test.each([
    '123',
    '7',
    '0b6f0c5e-0d3c-4b8e-9a57-7f2f6a1f3c11',
    '3f9a1c2',
    'd41d8cd98f00b204e9800998ecf8427e',
    '01J9Z3K8Q4W7T2M5N6P0RSVXYZ',
    'prod_8fk2kd92kd',
    '2026-11-15',
    '4711-blue-shoe',
    'blue-shoe-4711',
  ])('%s is one', (part) => expect(isId(part)).toBe(true))

  test.each([
    'cart',
    'checkout',
    'v2',
    'step-1',
    'facade',
    'deadbeef',
    'terms-of-service',
    'h1',
    'top-10',
    'iphone15',
  ])('%s is none', (part) => expect(isId(part)).toBe(false))

  test('are folded wherever they stand, and a slash at the end makes no other page', () => {
    expect(fold('/', '/product/123', '/product/124/reviews/9', '/cart', '/cart/')).toEqual([
      '/',
      '/product/:id',
      '/product/:id/reviews/:id',
      '/cart',
      '/cart',
    ])
  })

  test('that are words are known by their number', () => {
    const posts = Array.from({ length: 31 }, (_, index) => `/blog/${word(index)}`)
    expect(new Set(fold(...posts))).toEqual(new Set(['/blog/:slug']))
    expect(new Set(fold(...posts.slice(0, 30))).size).toBe(30)
  })

  test('do not swallow a busy page next to them', () => {
    const posts = Array.from({ length: 40 }, (_, index) => ({ path: `/blog/${word(index)}`, count: 1 }))
    const folded = foldPaths([...posts, { path: '/blog/archive', count: 30 }])
    expect(folded.get('/blog/archive')).toBe('/blog/archive')
    expect(folded.get(posts[0]?.path ?? '')).toBe('/blog/:slug')
  })

  test('that stand alone at the top are folded only when no site has so many pages', () => {
    const pages = Array.from({ length: 100 }, (_, index) => `/${word(index)}`)
    expect(new Set(fold(...pages)).size).toBe(100)
    expect(new Set(fold(...pages, '/one-more')).size).toBe(1)
  })
})

/** A word for each number, without digits. */
function word(index: number): string {
  const letters = 'abcdefghij'
  return `post-${[...String(index)].map((digit) => letters[Number(digit)]).join('')}`
}

test('hundreds of thousands of paths of one kind are folded', () => {
  const items = Array.from({ length: 300_000 }, (_, id) => ({ path: `/in/rare/${id}`, count: 1 }))
  const others = Array.from({ length: 40 }, (_, name) => ({
    path: `/in/name${'abcdefgh'[name % 8]}${name}`,
    count: 100_000,
  }))
  expect(foldPaths([...items, ...others]).get('/in/rare/299999')).toBe('/in/:slug/:id')
})
