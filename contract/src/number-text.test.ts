import { expect, test } from 'vitest'
import { formatCount, formatShare } from './number-text.ts'

test.each([
  [0, '0%'],
  [0.000_001, '<0.1%'],
  [0.000_49, '<0.1%'],
  [0.000_5, '0.1%'],
  [0.052, '5.2%'],
  [0.15, '15%'],
  [1, '100%'],
])('a share of %d is %s', (share, words) => {
  expect(formatShare(share)).toBe(words)
})

test('a count has its thousands apart', () => {
  expect(formatCount(10_968)).toBe('10,968')
})
