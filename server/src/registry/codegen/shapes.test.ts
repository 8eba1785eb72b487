import type { EventContract, PropertyRule } from '@assay/contract'
import { describe, expect, test } from 'vitest'
import { eventShape, globalWords, localWords, type Member, namedShapes, pathKey } from './shapes.ts'

function shaped(properties: Record<string, PropertyRule>, additional: EventContract['additional'] = 'warn') {
  return eventShape({
    key: 'thing_done',
    name: 'thing_done',
    version: '1-0-0',
    status: 'published',
    description: 'Done.',
    properties,
    additional,
    surfaces: [],
    purpose: 'analytics_storage',
  }).properties
}

function only(rule: PropertyRule, additional?: EventContract['additional']): Member | undefined {
  return shaped({ it: rule }, additional).members[0]
}

test('members stand in the order of their names by code unit', () => {
  const rule: PropertyRule = { type: 'string' }
  const names = shaped({ b: rule, a: rule, Z: rule, ä: rule, a_b: rule }).members.map((member) => member.name)
  expect(names).toEqual(['Z', 'a', 'a_b', 'b', 'ä'])
})

test('a property is optional unless the contract says that it is required', () => {
  expect(only({ type: 'string' })?.isRequired).toBe(false)
  expect(only({ type: 'string', required: true })?.isRequired).toBe(true)
})

describe('a choice', () => {
  test('holds each value once, in the order of the contract', () => {
    const shape = only({ type: 'string', enum: ['b', 'a', 'b'] })?.shape
    expect(shape).toMatchObject({ kind: 'choice', values: ['b', 'a'] })
  })

  test('leaves out values of another type, which the gate could never let pass', () => {
    expect(only({ type: 'number', enum: ['1', 2, true, Number.NaN] })?.shape).toMatchObject({ values: [2] })
    expect(only({ type: 'string', enum: [1] })?.shape).toEqual({ kind: 'string' })
  })
})

describe('an object', () => {
  test('without listed members is any object', () => {
    expect(only({ type: 'object' })?.shape).toEqual({ kind: 'jsonObject' })
  })

  test('with an empty list of members has none in a closed contract, and any in an open one', () => {
    expect(only({ type: 'object', properties: {} })?.shape).toMatchObject({ kind: 'record', members: [] })
    expect(only({ type: 'object', properties: {} }, 'accept')?.shape).toEqual({ kind: 'jsonObject' })
  })

  test('is open at every depth exactly when its contract is', () => {
    const nested: PropertyRule = {
      type: 'array',
      items: { type: 'object', properties: { a: { type: 'string' } } },
    }
    expect(only(nested, 'accept')?.shape).toMatchObject({ item: { isOpen: true } })
    expect(only(nested, 'warn')?.shape).toMatchObject({ item: { isOpen: false } })
    expect(only(nested, 'quarantine')?.shape).toMatchObject({ item: { isOpen: false } })
  })
})

test('rules that no type can hold are said in words, after a description that ends as a sentence', () => {
  const rule: PropertyRule = { type: 'number', description: 'Share', minimum: 0, maximum: 1, pii: 'deny' }
  expect(only(rule)).toMatchObject({
    description: 'Share.',
    rules: ['At least 0.', 'At most 1.', 'Must not hold personal data.'],
  })
  expect(only({ type: 'string', format: 'currency' })?.rules).toEqual(['An ISO 4217 currency code.'])
  expect(only({ type: 'string', description: 'ISO 4217 code', format: 'currency' })?.rules).toEqual([])
})

test('types are named after where they stand, elements of lists in the singular', () => {
  expect(globalWords(['purchase'])).toEqual(['purchase'])
  expect(globalWords(['purchase', 'items', '[]', 'kind'])).toEqual(['purchase', 'item', 'kind'])
  expect(globalWords(['2fa', 'method'])).toEqual(['event', '2fa', 'method'])
  expect(localWords(['purchase', 'line_items', '[]'])).toEqual(['line', 'item'])
  expect(localWords(['purchase', '***'])).toEqual(['value'])
})

test('named types come innermost first, so that each is declared before it is used', () => {
  const choice: PropertyRule = { type: 'string', enum: ['a'] }
  const properties = {
    list: { type: 'array', items: { type: 'object', properties: { kind: choice } } },
  } as const
  expect(namedShapes(shaped(properties)).map((shape) => pathKey(shape.path))).toEqual([
    '"thing_done","list","[]","kind"',
    '"thing_done","list","[]"',
    '"thing_done"',
  ])
})
