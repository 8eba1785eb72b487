import { expect, test } from 'vitest'
import { observedText } from './observed.ts'

test.each([
  ['volume', null, 4, 210, '4 events instead of 210'],
  ['volume', null, 1, 2.5, '1 event instead of 2.5'],
  ['volume', 'surface:ios', 0, 1_204.4, '0 events instead of 1,204'],
  ['latency', null, 61_000, 850, '1 min 1 s instead of 850 ms'],
  ['schema', 'value_not_allowed', 0.421, 0, '42.1% instead of 0%'],
  ['schema', 'property_vanished:currency', 0, 0.98, '0% instead of 98.0%'],
  ['schema', 'property_values_shift:plan', 0.42, 0, 'stability index 0.42'],
  ['schema', 'property_number_shift:amount', 1_990, 19.9, 'median 1,990 instead of 19.9'],
] as const)('an anomaly in %s (%s) is written in its unit', (type, issue, observed, expected, words) => {
  expect(observedText({ type, issue, observed, expected })).toBe(words)
})
