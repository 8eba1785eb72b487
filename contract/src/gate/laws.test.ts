import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { EventContract, PropertyRule } from '../registry/event-contract.ts'
import { isCompatibleChange } from './contracts/compatibility.ts'
import { compileContracts } from './contracts/compile.ts'
import { readIngest } from './envelope/ingest-envelope.ts'
import { readTrack } from './envelope/track-envelope.ts'
import type { Known, Verdict } from './judge.ts'
import { judgeReading } from './judge.ts'
import { defaultRules } from './names/default-rules.ts'
import type { MappingRule } from './names/mapping.ts'
import { compileMapping } from './names/mapping.ts'

const receivedAt = Date.UTC(2026, 4, 1, 12)
const defaults = compileMapping(defaultRules)
const plain: Known = { contracts: new Map(), mapping: defaults, keyClass: 'secret', receivedAt }

/** Names that collide with each other, with the envelope and with JavaScript's own. */
const name = fc.oneof(
  fc.constantFrom('a', 'b', 'c', 'email', 'password', 'user_id', 'constructor', '__proto__', 'toString', ''),
  fc.string({ maxLength: 12 }),
)

const rule: fc.Memo<PropertyRule> = fc.memo((depth) => {
  const nested =
    depth > 1
      ? { items: rule(depth - 1), properties: fc.dictionary(name, rule(depth - 1), { maxKeys: 3 }) }
      : {}
  return (
    fc
      .record(
        {
          type: fc.constantFrom('string', 'number', 'boolean', 'array', 'object'),
          required: fc.boolean(),
          enum: fc.array(fc.oneof(fc.string({ maxLength: 4 }), fc.integer(), fc.boolean()), { maxLength: 3 }),
          pattern: fc.oneof(
            fc.string({ maxLength: 12 }),
            fc.constantFrom('^[a-z]+$', '(a+)+', '[', 'x{1,9}'),
          ),
          minimum: fc.double(),
          maximum: fc.double(),
          pii: fc.constantFrom('allow', 'deny'),
          deprecated: fc.boolean(),
          format: fc.constant('currency'),
          ...nested,
        },
        { requiredKeys: ['type'] },
      )
      // boundary: the generator makes rules that no author would write, such as a pattern on a number.
      .map((made) => made as PropertyRule)
  )
})

const eventName = fc.oneof(
  fc.constantFrom(
    'sofa_rotated',
    'Order Completed',
    '$purchase',
    '$identify',
    'error',
    '$nope',
    'pageview',
    '',
    'group',
  ),
  fc.string({ maxLength: 20 }),
)
const outcome = fc.constantFrom('accept', 'warn', 'quarantine', 'reject')
const contract = fc
  .record({
    key: eventName,
    version: fc.constantFrom('1-0-0', 'x'),
    status: fc.constantFrom('draft', 'published', 'deprecated', 'archived'),
    properties: fc.dictionary(name, rule(3), { maxKeys: 5 }),
    additional: fc.constantFrom('accept', 'warn', 'quarantine'),
    severities: fc.dictionary(
      fc.constantFrom('unknown_event', 'required_missing', 'pii_detected', 'nothing'),
      outcome,
    ),
    purpose: fc.constantFrom('analytics_storage', 'ad_storage'),
  })
  // boundary: and contracts that no registry would take.
  .map((made) => ({ ...made, name: made.key, description: '', surfaces: ['web'] }) as EventContract)

const mappingRule = fc.record({
  id: fc.string({ maxLength: 5 }),
  source: eventName,
  target: eventName,
  propertyMap: fc.dictionary(name, name, { maxKeys: 3 }),
  origin: fc.constantFrom('custom', 'kin'),
}) as fc.Arbitrary<MappingRule>

const value = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom(
    'mara@northwind.example',
    '4111 1111 1111 1111',
    '12.5',
    'eur',
    'true',
    '2026-05-01',
    1777636800,
    1e300,
  ),
)
const event = fc.oneof(
  { weight: 1, arbitrary: fc.jsonValue() },
  {
    weight: 4,
    arbitrary: fc.record(
      {
        event: fc.oneof(eventName, value),
        type: fc.oneof(eventName, fc.constantFrom('track', 'page', 'screen', 'identify', 'group', 'alias')),
        anonymous_id: value,
        user_id: value,
        ts: value,
        sent_at: value,
        properties: fc.oneof(fc.dictionary(name, value, { maxKeys: 6 }), value),
        context: fc.oneof(fc.record({ page: fc.dictionary(fc.constantFrom('url', 'title'), value) }), value),
        traits: value,
        contract_version: value,
        historical: value,
      },
      { requiredKeys: [] },
    ),
  },
)

const known = fc
  .record({
    contracts: fc.array(contract, { maxLength: 3 }),
    rules: fc.array(mappingRule, { maxLength: 3 }),
    keyClass: fc.constantFrom('public', 'secret') as fc.Arbitrary<'public' | 'secret'>,
    severities: fc.dictionary(
      fc.constantFrom('type_coerced', 'too_old', 'consent_denied', 'suppressed'),
      outcome,
    ),
    isGranted: fc.boolean(),
    onDenied: fc.constantFrom('reject', 'anonymous') as fc.Arbitrary<'reject' | 'anonymous'>,
    suppressed: fc.boolean(),
  })
  .map(
    ({ contracts, rules, isGranted, onDenied, ...rest }): Known => ({
      contracts: compileContracts(contracts),
      mapping: { ...defaults, custom: compileMapping(rules).custom },
      receivedAt,
      consent: { allowed: () => (isGranted ? 'granted' : 'denied'), onDenied },
      ...rest,
    }),
  )

function judgeAt(endpoint: 'track' | 'ingest', input: unknown, state: Known): Verdict | undefined {
  const reading = endpoint === 'track' ? readTrack(input) : readIngest(input)
  return reading.kind === 'alias' ? undefined : judgeReading(reading, state)
}

const endpoint = fc.constantFrom('track', 'ingest') as fc.Arbitrary<'track' | 'ingest'>

test('the gate answers any JSON under any contracts, the same way every time, and leaves the input as it was', () => {
  fc.assert(
    fc.property(endpoint, event, known, (at, input, state) => {
      const before = structuredClone(input)
      const verdict = judgeAt(at, input, state)
      expect(judgeAt(at, input, state)).toEqual(verdict)
      expect(input).toEqual(before)
    }),
    { numRuns: 2000 },
  )
})

test('the outcome is the worst issue, and a refused or forgotten one is never let pass', () => {
  const ranks = ['accept', 'warn', 'quarantine', 'reject']
  fc.assert(
    fc.property(endpoint, event, known, (at, input, state) => {
      const verdict = judgeAt(at, input, state)
      fc.pre(verdict !== undefined)
      const worst = Math.max(0, ...verdict.issues.map((issue) => ranks.indexOf(issue.severity)))
      expect(verdict.outcome).toBe(ranks[worst])
      if (state.suppressed === true && verdict.name !== '') expect(verdict.outcome).toBe('reject')
    }),
    { numRuns: 1000 },
  )
})

test('no issue repeats a secret that the gate found', () => {
  const field: PropertyRule = { type: 'string', enum: ['x'], pattern: '^x$' }
  const contract = shaped({ note: field, password: { ...field, required: true }, count: { type: 'number' } })
  const state = { ...plain, contracts: compileContracts([contract]) }
  const sent = [
    { note: 'mara@northwind.example', password: 'x' },
    { note: '4111 1111 1111 1111', password: 'x' },
    { note: 'x', password: 'kedi-1234-geheim' },
    { count: '+905324178821', password: 'x' },
    { other: ['Bearer 4f1d0a2c1b8e77d0aa954f1d'], password: 'x' },
  ]
  for (const properties of sent) {
    const verdict = judgeAt('track', { event: 'shape', user_id: 'u', properties }, state)
    expect(verdict?.issues.map((issue) => issue.code)).toContain('pii_detected')
    const told = JSON.stringify(verdict?.issues)
    for (const secret of Object.values(properties).flat())
      if (secret !== 'x') expect(told).not.toContain(secret)
  }
})

function shaped(properties: EventContract['properties'], more: Partial<EventContract> = {}): EventContract {
  return {
    key: 'shape',
    name: 'shape',
    version: '1-0-0',
    status: 'published',
    description: '',
    properties,
    additional: 'accept',
    surfaces: ['web'],
    purpose: 'analytics_storage',
    ...more,
  }
}

// Contracts over few names, types and limits, so that two of them often agree and events often fit.
const limits = {
  required: fc.boolean(),
  enum: fc.subarray(['x', 'y', '1', 1, 2, true], { minLength: 1 }),
  pattern: fc.constantFrom('^[a-z]$', '^\\d+$', '^[a-z]+@?'),
  minimum: fc.integer({ min: -1, max: 2 }),
  maximum: fc.integer({ min: 0, max: 3 }),
  pii: fc.constantFrom('allow', 'deny'),
  deprecated: fc.boolean(),
}
const limitNames = ['required', 'enum', 'pattern', 'minimum', 'maximum', 'pii', 'deprecated'] as const
const limit = fc.constantFrom(...limitNames).chain((key) => limits[key].map((given) => ({ [key]: given })))
const leafType = fc.constantFrom('string', 'number', 'boolean')
const leaf = fc
  .tuple(leafType, fc.array(limit, { maxLength: 2 }))
  .map(([type, given]) => Object.assign({ type }, ...given)) as fc.Arbitrary<PropertyRule>
const smallName = fc.constantFrom('a', 'b', 'c', 'd')
const members = fc.dictionary(smallName, leaf, { maxKeys: 3 })
const branch = fc.oneof(
  { weight: 4, arbitrary: leaf },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('object' as const), properties: members }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('array' as const), items: leaf }) },
)
const older = fc
  .record({
    properties: fc.dictionary(smallName, branch, { maxKeys: 4 }),
    additional: fc.constantFrom('accept', 'warn'),
  })
  .map(({ properties, additional }) =>
    shaped(properties, { additional: additional === 'warn' ? 'warn' : 'accept' }),
  )
/** Adds or removes one limit of a property, replaces the whole property, or removes it. */
function changeAt(at: fc.Arbitrary<string>): fc.Arbitrary<Change> {
  return fc.oneof(
    { weight: 6, arbitrary: fc.record({ at, limit }) },
    { weight: 1, arbitrary: fc.record({ at, without: fc.constantFrom(...limitNames) }) },
    { weight: 1, arbitrary: fc.record({ at, to: branch }) },
    { weight: 1, arbitrary: fc.record({ at }) },
  )
}
type Change = { at: string; limit?: object; without?: (typeof limitNames)[number]; to?: PropertyRule }

function changed(contract: EventContract, edits: readonly Change[]): EventContract {
  const properties: Record<string, PropertyRule> = { ...contract.properties }
  for (const { at, limit, without, to } of edits) {
    const before = properties[at]
    if (limit !== undefined || without !== undefined) {
      if (before === undefined) continue
      properties[at] = { ...before, ...limit }
      if (without !== undefined) delete properties[at][without]
    } else if (to !== undefined) properties[at] = to
    else delete properties[at]
  }
  return { ...contract, version: '1-1-0', properties }
}

const simple = fc.constantFrom('x', 'y', '1', 1, 2, 0, true, null, 'mara@northwind.example')
const fitting: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  string: fc.constantFrom('x', 'y', '1', 'mara@northwind.example', '203.0.113.42'),
  number: fc.constantFrom(-1, 0, 1, 2, 3),
  boolean: fc.boolean(),
  object: fc.dictionary(smallName, simple, { maxKeys: 3 }),
  array: fc.array(simple, { maxLength: 2 }),
}

/** A contract, a change to what it lists, and an event that was written with the contract in hand. */
const evolution = older.chain((contract) => {
  const names = Object.keys(contract.properties)
  const at =
    names.length === 0 ? smallName : fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...names) }, smallName)
  const sent = Object.fromEntries(
    names.map((key) => [key, fitting[contract.properties[key]?.type ?? ''] ?? simple]),
  )
  return fc.record({
    contract: fc.constant(contract),
    edits: fc.array(changeAt(at), { minLength: 1, maxLength: 2 }),
    properties: fc.tuple(
      fc.record(sent, { requiredKeys: [] }),
      fc.dictionary(smallName, simple, { maxKeys: 1 }),
    ),
  })
})

/** Whether an event uses a name that the older version left undeclared and the newer one declares. */
function usesNewName(
  before: EventContract['properties'],
  after: EventContract['properties'],
  event: object,
): boolean {
  return Object.entries(event).some(([key, member]) => {
    const [old, next] = [before[key], after[key]]
    if (old === undefined || next === undefined) return next !== undefined
    const isNested = typeof member === 'object' && member !== null
    return isNested && usesNewName(old.properties ?? {}, next.properties ?? {}, member)
  })
}

test('an event that one version accepted is accepted with the same values by every compatible later one', () => {
  let compared = 0
  fc.assert(
    fc.property(evolution, ({ contract, edits, properties: [listed, unlisted] }) => {
      const properties = { ...unlisted, ...listed }
      const newer = changed(contract, edits)
      fc.pre(isCompatibleChange(contract, newer).compatible)
      fc.pre(!usesNewName(contract.properties, newer.properties, properties))
      const judgeBy = (version: EventContract) => {
        const state = { ...plain, contracts: compileContracts([version]) }
        return judgeAt('track', { event: 'shape', user_id: 'u', properties }, state)
      }
      const before = judgeBy(contract)
      fc.pre(before?.outcome === 'accept')
      const after = judgeBy(newer)
      compared += 1
      // A deprecation may add its warning.
      expect(after?.issues.filter((issue) => issue.code !== 'deprecated_key')).toEqual([])
      expect(after?.properties).toEqual(before?.properties)
    }),
    { numRuns: 1500 },
  )
  expect(compared).toBeGreaterThan(200)
})
