import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compileContracts } from './contracts/compile.ts'
import { readIngest } from './envelope/ingest-envelope.ts'
import { eventBytesMax } from './envelope/size.ts'
import { readTrack } from './envelope/track-envelope.ts'
import { boundIssues } from './issue-budget.ts'
import { issueCharactersBase, issuesMax } from './issues.ts'
import type { Known } from './judge.ts'
import { judgeReading } from './judge.ts'
import { defaultRules } from './names/default-rules.ts'
import { compileMapping } from './names/mapping.ts'

const strict: Known = {
  contracts: compileContracts([]),
  mapping: compileMapping(defaultRules),
  keyClass: 'public',
  receivedAt: Date.UTC(2026, 4, 1),
  severities: { unexpected_property: 'warn' },
}

/** Names and values that are long, many, nested, and full of characters that JSON escapes. */
const hostileText = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.constantFrom('\u0000', '\ud800', '"', 'é', '4111111111111111', 'mara@northwind.example'),
  fc
    .tuple(fc.constantFrom('x', '\u0001', '\ud800', '漢', '"'), fc.integer({ min: 100, max: 40_000 }))
    .map(([unit, count]) => unit.repeat(count)),
)
const hostileValue = fc.oneof(
  hostileText,
  fc.array(fc.oneof(fc.constant(1), fc.constant('a@b.example')), { maxLength: 300 }),
  fc.dictionary(hostileText, fc.oneof(hostileText, fc.constant(null)), { maxKeys: 60 }),
  fc.constantFrom(1, null, true, 1e300, Number.POSITIVE_INFINITY),
)
const hostileEvent = fc.record(
  {
    event: fc.oneof(fc.constantFrom('$purchase', '$click', '$identify', 'x'), hostileText),
    type: fc.constantFrom('track', 'identify', 'group', 'page', 'purchase'),
    event_id: hostileText,
    user_id: hostileText,
    anonymous_id: hostileText,
    session_id: hostileText,
    contract_version: hostileText,
    properties: fc.oneof(fc.dictionary(hostileText, hostileValue, { maxKeys: 80 }), hostileValue),
    traits: hostileValue,
    context: hostileValue,
    items: hostileValue,
  },
  { requiredKeys: ['event'] },
)

test('what is said of an event is at most a little more than the event itself, whatever it says', () => {
  fc.assert(
    fc.property(hostileEvent, (event) => {
      for (const read of [readTrack, readIngest]) {
        const reading = read(event)
        if (reading.kind === 'alias') continue
        const verdict = judgeReading(reading, strict)
        expect(verdict.issues.length).toBeLessThanOrEqual(issuesMax + 1)
        const characters = JSON.stringify(verdict.issues).length
        const sent = Math.min(JSON.stringify(event).length, eventBytesMax)
        expect(characters).toBeLessThan(2 * (issueCharactersBase + sent))
        if (verdict.outcome === 'accept') continue
        expect(verdict.issues.some(({ severity }) => severity === verdict.outcome)).toBe(true)
      }
    }),
    { numRuns: 300 },
  )
})

test('the issues of many events share one bound, and each event still says what decided it', () => {
  fc.assert(
    fc.property(fc.array(hostileEvent, { minLength: 1, maxLength: 60 }), (events) => {
      const results = events.flatMap((event) => {
        const reading = readTrack(event)
        return reading.kind === 'alias' ? [] : [judgeReading(reading, strict)]
      })
      const request = 100
      const bounded = boundIssues(results, request)
      const characters = bounded.reduce((sum, { issues }) => sum + JSON.stringify(issues).length, 0)
      expect(characters).toBeLessThan(2 * (64 * 1024 + request) + results.length * 1_000)
      for (const [index, { outcome, issues }] of bounded.entries()) {
        const before = results[index]?.issues ?? []
        expect(countOf(issues)).toBe(countOf(before))
        if (outcome !== 'accept') expect(issues.some(({ severity }) => severity === outcome)).toBe(true)
      }
    }),
    { numRuns: 50 },
  )
})

function countOf(issues: readonly { code: string; actual: string | null }[]): number {
  return issues.reduce(
    (sum, { code, actual }) => sum + (code === 'issues_omitted' ? Number.parseInt(actual ?? '', 10) : 1),
    0,
  )
}

test('a name, a property name and a version beyond their maximum refuse the event and say so', () => {
  const long = 'n'.repeat(256)
  const cases = [
    [{ event: long, anonymous_id: 'a' }, 'event'],
    [{ event: '$click', anonymous_id: 'a', properties: { element: 'x', [long]: 1 } }, 'properties'],
    [{ event: '$click', anonymous_id: 'a', context: { [long]: 1 } }, 'properties'],
    [{ event: '$click', anonymous_id: 'a', contract_version: long }, 'contract_version'],
  ] as const
  for (const [event, field] of cases) {
    const reading = readTrack(event)
    if (reading.kind === 'alias') throw new Error('read as an alias')
    const { outcome, issues } = judgeReading(reading, strict)
    expect(outcome).toBe('reject')
    expect(issues).toContainEqual(expect.objectContaining({ code: 'event_too_large', field }))
    expect(JSON.stringify(issues)).not.toContain(long)
  }
})

test('everything in an event counts for its size: unknown members too', () => {
  for (const member of ['integrations', 'traits', 'name', 'site_id']) {
    const reading = readTrack({ event: '$click', anonymous_id: 'a', [member]: 'x'.repeat(33_000) })
    if (reading.kind === 'alias') throw new Error('read as an alias')
    const { issues } = judgeReading(reading, strict)
    expect(issues).toContainEqual(expect.objectContaining({ code: 'event_too_large', field: '' }))
  }
})

test('a number that no double holds is reported, and a member called __proto__ is a member', () => {
  const text =
    '{"event":"$click","anonymous_id":"a","properties":{"element":"x","big":1e400,"__proto__":{"a":1}}}'
  const reading = readTrack(JSON.parse(text))
  if (reading.kind === 'alias') throw new Error('read as an alias')
  const { outcome, issues, properties } = judgeReading(reading, strict)
  expect(outcome).toBe('warn')
  expect(issues.map(({ code }) => code)).toContain('unexpected_type')
  expect(Object.hasOwn(properties, '__proto__')).toBe(true)
  expect(JSON.stringify(properties)).toContain('"__proto__":{"a":1}')
  expect('a' in properties).toBe(false)
})
