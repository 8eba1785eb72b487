import { expect, test } from 'vitest'
import { builtInEvents, standardEvents } from '../../registry/catalog.ts'
import type { EventContract, PropertyRule } from '../../registry/event-contract.ts'
import { contractProblems } from './contract-problems.ts'

function problemsOf(property: PropertyRule, more: Partial<EventContract> = {}): string[] {
  return contractProblems({
    key: 'step_done',
    name: 'step_done',
    version: '1-0-0',
    status: 'draft',
    description: '',
    properties: { step: property },
    additional: 'accept',
    surfaces: ['web'],
    purpose: 'analytics_storage',
    ...more,
  }).map(({ path, message }) => `${path}: ${message}`)
}

test('the catalog and the built-in events are free of problems', () => {
  for (const event of [...standardEvents, ...builtInEvents]) expect(contractProblems(event)).toEqual([])
})

test.each<[string, PropertyRule, Partial<EventContract>]>([
  ['key: Use lowercase', { type: 'string' }, { key: 'Step', name: 'Step' }],
  ['name: Drop the $', { type: 'string' }, { name: '$step_done' }],
  ['key: Choose another key', { type: 'string' }, { key: 'purchase', name: 'purchase' }],
  ['name: Give a custom event the same name', { type: 'string' }, { name: 'other' }],
  ['version: Write the version', { type: 'string' }, { version: '1.0.0' }],
  ['properties.step: Rewrite the pattern: a repeat', { type: 'string', pattern: '(a+)+$' }, {}],
  ['properties.step: Drop pattern', { type: 'number', pattern: 'a' }, {}],
  ['properties.step: Drop minimum', { type: 'string', minimum: 1 }, {}],
  ['properties.step: Drop items', { type: 'string', items: { type: 'string' } }, {}],
  ['properties.step: Drop properties', { type: 'array', properties: {} }, {}],
  ['properties.step: Let minimum be at most maximum', { type: 'number', minimum: 2, maximum: 1 }, {}],
  ['properties.step: List between 1', { type: 'string', enum: [] }, {}],
  ['properties.step: Drop 1 from enum', { type: 'string', enum: ['a', 1] }, {}],
  ['properties.step[]: Rewrite the pattern', { type: 'array', items: { type: 'string', pattern: '(' } }, {}],
])('a contract is reported: %s', (told, property, more) => {
  const problems = problemsOf(property, more)
  expect(problems).toHaveLength(1)
  expect(problems[0]).toContain(told)
})

test('a contract deeper than an event may be is reported', () => {
  let property: PropertyRule = { type: 'string' }
  for (let level = 0; level < 5; level += 1) property = { type: 'object', properties: { inner: property } }
  expect(problemsOf(property)).toEqual([
    'properties.step.inner.inner.inner.inner.inner: Nest at most 5 levels: an event cannot be deeper.',
  ])
})
