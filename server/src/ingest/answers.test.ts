import { BatchResult, outcomes, TrackResult } from '@assay/contract'
import { Ajv } from 'ajv'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyCharacter } from '../testing/any-character.ts'
import { batchText, trackText } from './answers.ts'
import type { ItemResult } from './item-result.ts'

const anyText = fc.string({ unit: anyCharacter })
const issue = fc.record({
  code: fc.constant('type_coerced'),
  severity: fc.constantFrom(...outcomes),
  field: anyText,
  message: anyText,
  expected: fc.jsonValue(),
  actual: fc.jsonValue(),
})
const result = fc.record({
  eventId: anyText,
  outcome: fc.constantFrom(...outcomes),
  duplicate: fc.boolean(),
  duplicateOf: fc.oneof(fc.constant(''), anyText),
  issues: fc.array(issue, { maxLength: 2 }),
  name: fc.constant('$login'),
})

const ajv = new Ajv({ strict: false })
const isBatchResult = ajv.compile(BatchResult)
const isTrackResult = ajv.compile(TrackResult)

test('whatever was judged, the answer to a batch has its declared shape and counts its results', () => {
  fc.assert(
    fc.property(fc.array(result, { maxLength: 5 }), anyText, (results, requestId) => {
      // boundary: the generator makes every code alike, which the type of a result does not know.
      const body = JSON.parse(batchText(requestId, results as ItemResult[], 'https://assay.example/problems'))
      expect(isBatchResult(body)).toBe(true)
      expect(body.request_id).toBe(requestId)
      expect(body.results.map((each: { event_id: string }) => each.event_id)).toEqual(
        results.map((each) => each.eventId),
      )
      const counted = Object.values<number>(body.summary).reduce((sum, count) => sum + count, 0)
      expect(counted).toBe(results.length)
    }),
  )
})

test('whatever was judged, the answer to an event has its declared shape', () => {
  fc.assert(
    fc.property(
      result.filter(({ eventId }) => eventId.isWellFormed()),
      (one) => {
        // boundary: as above.
        const body = JSON.parse(trackText(one as ItemResult, 'https://assay.example'))
        expect(isTrackResult(body)).toBe(true)
        expect(body).toMatchObject({ event_id: one.eventId, outcome: one.outcome, duplicate: one.duplicate })
        expect(Object.keys(body.issues[0] ?? {})).not.toContain('severity')
      },
    ),
  )
})
