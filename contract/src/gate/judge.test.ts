import { expect, test } from 'vitest'
import { readIngest } from './envelope/ingest-envelope.ts'
import { readTrack } from './envelope/track-envelope.ts'
import type { Known } from './judge.ts'
import { judgeReading } from './judge.ts'
import { defaultRules } from './names/default-rules.ts'
import { compileMapping } from './names/mapping.ts'

const receivedAt = Date.UTC(2026, 4, 1)
const known: Known = {
  contracts: new Map(),
  mapping: compileMapping(defaultRules),
  keyClass: 'secret',
  receivedAt,
}

function track(input: unknown) {
  const reading = readTrack(input)
  if (reading.kind === 'alias') throw new Error('an alias is no event')
  return judgeReading(reading, known)
}

test('a sound standard event is accepted as it was sent', () => {
  const verdict = track({
    event: '$purchase',
    anonymous_id: 'a',
    properties: { amount: 12.5, currency: 'EUR' },
  })
  expect(verdict).toMatchObject({
    outcome: 'accept',
    issues: [],
    name: '$purchase',
    contractVersion: '1-0-0',
  })
})

test('a mapped event keeps its original name and names the rule', () => {
  const verdict = track({
    type: 'track',
    event: 'Order Completed',
    anonymousId: 'a',
    properties: { total: '12.5', currency: 'eur', products: [{ sku: 'x' }] },
  })
  expect(verdict).toMatchObject({
    outcome: 'warn',
    name: '$purchase',
    originalName: 'Order Completed',
    ruleId: 'map_seed_order_completed',
    properties: { amount: 12.5, currency: 'EUR', items: [{ sku: 'x' }] },
  })
})

test('/api/ingest reads a bare standard name and fills a missing title with a warning', () => {
  const reading = readIngest(
    { type: 'pageview', url: 'https://shop.example/a?b=1', ts: 1_777_500_000 },
    { fallbackAnonymousId: () => 'day' },
  )
  if (reading.kind === 'alias') throw new Error('an alias is no event')
  const verdict = judgeReading(reading, known)
  expect(verdict.issues.map((issue) => issue.code)).toEqual(['title_missing'])
  expect(verdict.properties).toEqual({ url: 'https://shop.example/a?b=1', title: '/a' })
})

test('an answer lists fifty issues at most, the one that decides among them, and counts the others', () => {
  const items = [...Array.from({ length: 200 }, () => 'no object'), { sku: 'mara@northwind.example' }]
  const verdict = track({
    event: '$purchase',
    anonymous_id: 'a',
    properties: { amount: 1, currency: 'EUR', items },
  })
  const listed = verdict.issues.slice(0, -1)
  expect(listed.length).toBeLessThanOrEqual(50)
  expect(listed.map(({ code }) => code)).toContain('pii_detected')
  expect(verdict.issues.at(-1)).toMatchObject({
    code: 'issues_omitted',
    severity: 'accept',
    actual: `${201 - listed.length} more issues`,
  })
  expect(verdict.outcome).toBe('quarantine')
  expect(verdict.properties.items).toEqual([{ sku: 'mara@northwind.example' }])
})

test('an issue says where, what was expected, what came and what to do', () => {
  const properties = { amount: 1, currency: 'EUR', items: [{ sku: 'a' }, { sku: 'b', qty: 'many' }] }
  const verdict = track({ event: '$purchase', anonymous_id: 'a', properties })
  expect(verdict.issues).toEqual([
    {
      code: 'unexpected_type',
      field: 'items[1].qty',
      message: 'Send items[1].qty as number; this string was set aside.',
      expected: 'number',
      actual: 'string',
      severity: 'warn',
    },
  ])
})
