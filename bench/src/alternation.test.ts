import fc from 'fast-check'
import { expect, test } from 'vitest'
import { alternate } from './alternation.ts'

const counts = [fc.integer({ min: 1, max: 4 }), fc.integer({ min: 0, max: 30 })] as const

test('every side has one turn in every round, rounds one after the other', () => {
  fc.assert(
    fc.property(...counts, (sides, rounds) => {
      const turns = alternate(sides, rounds)
      expect(turns.map(({ round }) => round)).toEqual(turns.map((_, index) => Math.floor(index / sides)))
      const seen = new Set(turns.map(({ round, side }) => `${round} ${side}`))
      expect(seen.size).toBe(sides * rounds)
    }),
  )
})

test('no side is first more often than another, but for the last round', () => {
  expect(alternate(2, 4).map(({ side }) => side)).toEqual([0, 1, 1, 0, 0, 1, 1, 0])
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 30 }), (rounds) => {
      const firsts = alternate(2, rounds).filter((_, index) => index % 2 === 0)
      const often = firsts.filter(({ side }) => side === 0).length
      expect(Math.abs(often - (firsts.length - often))).toBeLessThanOrEqual(1)
    }),
  )
})
