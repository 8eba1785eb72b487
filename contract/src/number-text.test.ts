import { expect, test } from 'vitest'
import { formatCount, formatShare } from './number-text.ts'

test.each([
  [0, '0%'],
  [0.000_001, '<0.1%'],
  [0.000_49, '<0.1%'],
  [0.000_5, '0.1%'],
  [0.052, '5.2%'],
  [0.15, '15.0%'],
  [0.999_4, '99.9%'],
  [0.999_6, '>99.9%'],
  [1, '100%'],
  [1.2, '120.0%'],
])('a share of %d is %s', (share, words) => {
  expect(formatShare(share)).toBe(words)
})

test('a count has its thousands apart', () => {
  expect(formatCount(10_968)).toBe('10,968')
})
