import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openApi } from '../openapi.ts'
import { Problem } from '../problems.ts'
import { routes } from '../routes.ts'
import { readFilters } from './filters/filter-reader.ts'
import { shapeNames } from './question-shapes.ts'
import { mathNames, mathTerms, metricNames, operatorNames, operatorTerms } from './question-terms.ts'
import { readQuestion } from './reader/question-reader.ts'

const described = openApi(routes, '1')
const ajv = new Ajv2020({ strict: false })
ajv.addSchema(described, 'described')

/** Compiled once for each name, which takes far longer than to ask it. */
const fits = (name: string, value: unknown): boolean =>
  ajv.validate(`described#/components/schemas/${name}`, value)

function isRead(read: () => unknown): boolean {
  try {
    read()
    return true
  } catch (cause) {
    if (cause instanceof Problem) return false
    throw cause
  }
}

const value = fc.oneof(fc.constantFrom('pro', '/a', '7'), fc.integer(), fc.boolean())
const values = fc.array(value, { minLength: 1, maxLength: 3 })
const texts = fc.array(fc.constantFrom('a', 'b'), { minLength: 1, maxLength: 2 })
const did = fc.record(
  {
    event: fc.constantFrom('$signup', 'x'),
    within: fc.constantFrom('7d', '24h'),
    count: fc.record({ op: fc.constantFrom('gte', 'lte', 'eq'), value: fc.nat(9) }),
  },
  { requiredKeys: ['event'] },
)
/** A limit in a list is read all the same, and not worth a description. */
const listed = operatorNames.filter((name) => operatorTerms[name].takes !== 'limit')

/** Some are right, and some have the value of another word. */
const leaf = fc.oneof(
  fc.tuple(fc.constantFrom(...listed), fc.constant('property:plan'), values),
  fc.tuple(fc.constantFrom(...operatorNames), fc.constant('property:plan')),
  fc.tuple(fc.constantFrom(...operatorNames), fc.constant('property:plan'), value),
  fc.tuple(fc.constant('between'), fc.constant('property:plan'), fc.tuple(value, value)),
  fc.tuple(fc.constantFrom('did', 'didNot', 'is'), did),
  fc.tuple(fc.constantFrom('inAudience', 'reached', 'and'), texts),
)
const filter = fc.oneof(
  leaf,
  fc.tuple(fc.constantFrom('and', 'or'), fc.array(leaf, { maxLength: 3 })),
  fc.tuple(fc.constant('not'), leaf),
)

test('a filter that is described is one that is read, and the other way round', () => {
  const outcomes = new Set<boolean>()
  fc.assert(
    fc.property(filter, (one) => {
      const isFiltering = isRead(() => readFilters([one]))
      outcomes.add(isFiltering)
      expect(fits('Filter', one), JSON.stringify(one)).toBe(isFiltering)
    }),
    { numRuns: 2_000 },
  )
  expect(outcomes).toEqual(new Set([true, false]))
})

const metric = fc.oneof(
  fc.constantFrom(...metricNames, 'visiters'),
  fc.constantFrom(...mathNames, 'mode').map((math) => ({
    as: 'A',
    math,
    ...(mathNames.some((one) => one === math && mathTerms[one].needsProperty) && { property: 'plan' }),
  })),
  fc.constantFrom(
    { as: 'A', formula: '1 + 2' },
    { formula: '1' },
    { as: 'A' },
    { as: 'A', math: 'count', by: 1 },
  ),
)

test('so is a metric, a comparison and an order', () => {
  const isAsked = (part: object) =>
    isRead(() => readQuestion({ siteId: 's', metrics: ['visitors'], ...part }))
  fc.assert(
    fc.property(metric, (one) => {
      expect(fits('Metric', one)).toBe(isAsked({ metrics: [one] }))
    }),
    { numRuns: 200 },
  )
  for (const compare of ['previous', 'year', 'before', { from: '2026-01-01', to: '2026-01-31' }, {}, 3])
    expect(fits('Compare', compare), JSON.stringify(compare)).toBe(isAsked({ compare }))
  for (const order of [['visitors', 'desc'], ['visitors'], ['visitors', 'up'], 'visitors'])
    expect(fits('Order', order), JSON.stringify(order)).toBe(isAsked({ orderBy: [order] }))
})

test('no schema that documents have takes anything where a shape is known', () => {
  const { schemas } = Object(described.components)
  expect(Object.keys(schemas)).toEqual(['Problem', ...shapeNames])
  const left = JSON.stringify(described).match(/x-shape/g)
  expect(left).toBeNull()
})
