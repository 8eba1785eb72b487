import { compileContracts, compileMapping, defaultRules, judgeReading, readTrack } from '@assay/contract'
import { expect, test } from 'vitest'
import { dayMs } from '../../platform/units.ts'
import { makeTraffic } from '../traffic.ts'
import { makeEncoder } from './events/encode.ts'

test('the gate says of every generated event what the generator expects of it', () => {
  const toMs = Date.UTC(2026, 5, 1)
  // Many bad events, so that each kind comes often; 40 days, so that the schema fault is in it.
  const traffic = makeTraffic({ seed: 4, events: 30_000, fromMs: toMs - 40 * dayMs, toMs, badShare: 0.2 })
  const encode = makeEncoder()
  const known = {
    contracts: compileContracts([]),
    mapping: compileMapping(defaultRules),
    keyClass: 'secret' as const,
    receivedAt: toMs,
  }
  const codes = new Map<string, number>()
  const surprises: unknown[] = []
  for (const { wire, expected } of traffic.events) {
    const reading = readTrack(JSON.parse(encode(wire)), { isHistorical: true })
    if (reading.kind === 'alias') throw new Error('no alias is generated')
    const { outcome, issues, name } = judgeReading(reading, known)
    const isStored = outcome === 'accept' || outcome === 'warn'
    const isExpected =
      outcome === expected.outcome &&
      (expected.code === null ? issues.length === 0 : issues.some(({ code }) => code === expected.code)) &&
      (!isStored || name === (expected.storedAs ?? wire.event))
    if (!isExpected) surprises.push({ sent: wire.event, expected, outcome, issues })
    if (expected.code !== null) codes.set(expected.code, (codes.get(expected.code) ?? 0) + 1)
  }
  expect(surprises).toEqual([])
  expect([...codes.keys()].sort()).toEqual([
    'invalid_name',
    'missing_identifier',
    'required_missing',
    'reserved_name',
    'type_coerced',
    'type_mismatch',
    'unexpected_type',
    'unknown_event',
    'value_not_allowed',
  ])
})
