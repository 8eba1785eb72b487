import fc from 'fast-check'
import { expect, test } from 'vitest'
import { pageOf } from './page.ts'

test('the pages of a list, one after the other, are the list', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer()), fc.integer({ min: 1, max: 7 }), (unsorted, limit) => {
      const list = unsorted.toSorted((one, other) => one - other)
      const seen: number[] = []
      let cursor: string | null = String(Number.NEGATIVE_INFINITY)
      while (cursor !== null) {
        const after: number = Number(cursor)
        const rows: number[] = list.filter((one) => one > after).slice(0, limit + 1)
        const { page, next }: ReturnType<typeof pageOf<number>> = pageOf(rows, limit, String)
        expect(page.length).toBeLessThanOrEqual(limit)
        seen.push(...page)
        cursor = next
      }
      expect(seen).toEqual(list)
    }),
  )
})
