import { expect, test } from 'vitest'
import type { EventContract } from '../../registry/event-contract.ts'
import { isCompatibleChange } from './compatibility.ts'

const base: EventContract = {
  key: 'step_done',
  name: 'step_done',
  version: '1-0-0',
  status: 'published',
  description: '',
  properties: {
    step: { type: 'number', required: true, minimum: 1, maximum: 5 },
    plan: { type: 'string', enum: ['free', 'pro'] },
    code: { type: 'string', pattern: '^[A-Z]+$' },
    mail: { type: 'string', pii: 'allow' },
    place: { type: 'object', properties: { city: { type: 'string' } } },
    tags: { type: 'array', items: { type: 'string' } },
  },
  additional: 'accept',
  surfaces: ['web'],
  purpose: 'analytics_storage',
}
const { step, plan, code, mail, place, tags } = base.properties
if (!step || !plan || !code || !mail || !place || !tags) throw new Error('the base names all six')

function breaksOf(properties: EventContract['properties'], more: Partial<EventContract> = {}): string[] {
  const newer = { ...base, ...more, properties: { ...base.properties, ...properties } }
  const { compatible, breaks } = isCompatibleChange(base, newer)
  expect(compatible).toBe(breaks.length === 0)
  return breaks.map(({ path, what }) => `${path}: ${what}`)
}

test.each<[string, EventContract['properties'], Partial<EventContract>]>([
  ['nothing', {}, {}],
  ['a new optional property', { color: { type: 'string' } }, {}],
  ['a property that is no longer required', { step: { ...step, required: false } }, {}],
  ['a wider range', { step: { ...step, minimum: 0, maximum: 9 } }, {}],
  ['no range at all', { step: { type: 'number', required: true } }, {}],
  ['more allowed values', { plan: { type: 'string', enum: ['free', 'pro', 'team'] } }, {}],
  ['no pattern any more', { code: { type: 'string' } }, {}],
  ['a deprecation', { code: { ...code, deprecated: true } }, { status: 'deprecated' }],
  ['another description and owner', {}, { description: 'new', owner: 'growth' }],
  ['a milder severity', {}, { severities: { required_missing: 'warn' } }],
])('%s is a compatible change', (_what, properties, more) => {
  expect(breaksOf(properties, more)).toEqual([])
})

test.each<[string, EventContract['properties'], Partial<EventContract>]>([
  ['properties.color: a required property was added', { color: { type: 'string', required: true } }, {}],
  ['properties.plan: property became required', { plan: { ...plan, required: true } }, {}],
  ['properties.step: type changed from number to string', { step: { type: 'string', required: true } }, {}],
  ['properties.step: minimum raised to 2', { step: { ...step, minimum: 2 } }, {}],
  ['properties.step: maximum lowered to 4', { step: { ...step, maximum: 4 } }, {}],
  ['properties.plan: values are no longer allowed: pro', { plan: { ...plan, enum: ['free'] } }, {}],
  ['properties.mail: a list of allowed values was added', { mail: { ...mail, enum: ['x'] } }, {}],
  ['properties.code: the pattern changed', { code: { ...code, pattern: '^[a-z]+$' } }, {}],
  ['properties.plan: a pattern was added', { plan: { ...plan, pattern: '^f' } }, {}],
  ['properties.plan: a format was added', { plan: { ...plan, format: 'currency' } }, {}],
  ['properties.mail: personal data was forbidden: allow became default', { mail: { type: 'string' } }, {}],
  [
    'properties.code: personal data was forbidden: default became deny',
    { code: { ...code, pii: 'deny' } },
    {},
  ],
  [
    'properties.place.city: property became required',
    { place: { type: 'object', properties: { city: { type: 'string', required: true } } } },
    {},
  ],
  [
    'properties.tags[]: type changed from string to number',
    { tags: { ...tags, items: { type: 'number' } } },
    {},
  ],
  ['additional: additional tightened from accept to warn', {}, { additional: 'warn' }],
  ['purpose: purpose changed from analytics_storage to ad_storage', {}, { purpose: 'ad_storage' }],
  [
    'severities.too_old: severity raised from quarantine to reject',
    {},
    { severities: { too_old: 'reject' } },
  ],
  ['name: name changed from step_done to done', {}, { name: 'done' }],
])('what breaks is named: %s', (what, properties, more) => {
  expect(breaksOf(properties, more)).toEqual([what])
})

test('a property can be removed where anything goes, but not where personal data was allowed in it', () => {
  const { plan: _plan, ...withoutPlan } = base.properties
  const { mail: _mail, ...withoutMail } = base.properties
  expect(isCompatibleChange(base, { ...base, properties: withoutPlan }).compatible).toBe(true)
  expect(isCompatibleChange(base, { ...base, properties: withoutMail }).breaks).toEqual([
    { path: 'properties.mail', what: 'property that allows personal data was removed' },
  ])
  const strict: EventContract = { ...base, additional: 'quarantine' }
  expect(isCompatibleChange(strict, { ...strict, properties: withoutPlan }).breaks).toEqual([
    { path: 'properties.plan', what: 'property was removed, and additional is quarantine' },
  ])
})
