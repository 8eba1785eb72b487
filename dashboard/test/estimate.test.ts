import { affectedSessionsMin, type EvidenceLevel } from '@assay/contract'
import { expect, test } from 'vitest'
import { hasEstimate, noEstimateReason } from '../src/pages/errors/estimate.ts'
import { text } from './testing/all-text.ts'

const of = (evidence: EvidenceLevel, comparedSessions: number) => ({ evidence, comparedSessions })

test('a loss is shown where there is evidence, and else why there is none', () => {
  expect(hasEstimate(of('strong', 90))).toBe(true)
  expect(hasEstimate(of('weak', 90))).toBe(true)
  expect(hasEstimate(of('insufficient', 90))).toBe(false)
  expect(noEstimateReason(of('insufficient', 0))).toBe(text.errors.noComparison)
  const few = affectedSessionsMin - 1
  expect(noEstimateReason(of('insufficient', few))).toBe(`${few} of 30 sessions needed`)
  // Enough sessions met it, but there is nothing to compare them with, so "too few sessions" would be wrong.
  expect(noEstimateReason(of('insufficient', affectedSessionsMin))).toBe(text.errors.notComparable)
})
