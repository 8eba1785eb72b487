import { describe, expect, test } from 'vitest'
import { referenceText } from '../../testing/reference-data.ts'
import { prefixSpan } from './prefix-span.ts'

const key = (items: readonly number[]) => items.join(' ')

describe('the search for patterns', () => {
  test('finds what enough sequences hold in that order, with gaps, each sequence counted once', () => {
    const found = prefixSpan(
      [
        [1, 2, 3],
        [1, 3, 1, 3],
        [3, 1],
      ],
      { supportMin: 2, lengthMax: 3 },
    )
    expect(new Map(found.map(({ items, support }) => [key(items), support]))).toEqual(
      new Map([
        ['1', 3],
        ['3', 3],
        ['1 3', 2],
        ['3 1', 2],
      ]),
    )
  })

  test('is bounded in length and in number', () => {
    const same = Array.from({ length: 3 }, () => [1, 2, 3, 4, 5, 6])
    expect(
      Math.max(...prefixSpan(same, { supportMin: 2, lengthMax: 3 }).map(({ items }) => items.length)),
    ).toBe(3)
    expect(prefixSpan(same, { supportMin: 2, lengthMax: 6, patternsMax: 10 })).toHaveLength(10)
    expect(prefixSpan([], { supportMin: 1, lengthMax: 6 })).toEqual([])
  })

  test('equals the 14 published patterns', () => {
    const text = referenceText('clickstream/prefixspan_readme_example.json')
    if (text === null) return
    const { db, minsup, expected } = JSON.parse(text)
    const found = prefixSpan(db, { supportMin: minsup, lengthMax: 4 })
    expect(found).toHaveLength(14)
    expect(new Map(found.map(({ items, support }) => [key(items), support]))).toEqual(
      new Map(expected.map(([support, items]: [number, number[]]) => [key(items), support])),
    )
  })

  test('equals a plain count over the sessions of a news site', () => {
    const text = referenceText('clickstream/msnbc_spmf_sequences.txt')
    if (text === null) return
    const sequences = text
      .trim()
      .split('\n')
      .map((line) => line.trim().split(/\s+/).map(Number))
    const found = prefixSpan(sequences, { supportMin: 8_000, lengthMax: 3 })
    expect(found.length).toBeGreaterThan(10)
    for (const { items, support } of found) {
      const holding = sequences.filter((sequence) => {
        let at = -1
        return items.every((item) => {
          at = sequence.indexOf(item, at + 1)
          return at !== -1
        })
      })
      expect(holding.length, key(items)).toBe(support)
    }
  })
})
