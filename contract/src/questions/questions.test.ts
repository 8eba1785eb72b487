import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Problem } from '../problems.ts'
import { methodlessCopies } from '../testing/methodless.ts'
import { readFilters } from './filters/filter-reader.ts'
import { evaluateFormula, parseFormula } from './question-formula.ts'
import { readQuestion } from './reader/question-reader.ts'
import type { ReadQuestion } from './reader/read-question.ts'

const example = {
  siteId: 'site_1',
  window: '30d',
  timezone: 'Europe/Berlin',
  compare: 'previous',
  metrics: [
    'visitors',
    'conversionRate',
    { as: 'A', event: '$search', math: 'people' },
    {
      as: 'B',
      event: '$purchase',
      math: 'p90',
      property: 'amount',
      where: [['is', 'property:plan', ['pro']]],
    },
    { as: 'C', formula: 'B / A' },
  ],
  dimensions: ['time:day', 'utm.campaign'],
  filters: [
    ['is', 'country', ['DE', 'AT']],
    ['not', ['contains', 'page', ['/admin']]],
    [
      'or',
      [
        ['is', 'device', ['mobile']],
        ['did', { event: '$signup', within: '7d' }],
      ],
    ],
  ],
  orderBy: [['visitors', 'desc']],
  limit: 10,
  other: true,
}

const refusalOf = (read: () => unknown) => {
  try {
    read()
    return []
  } catch (cause) {
    if (cause instanceof Problem) return cause.options.errors ?? []
    throw cause
  }
}
const errorsOf = (value: unknown) => refusalOf(() => readQuestion(value))

test('a whole question is read', () => {
  const read: ReadQuestion = readQuestion(example)
  expect(read.metrics.map(({ name }) => name)).toEqual(['visitors', 'conversionRate', 'A', 'B', 'C'])
  expect(read.orderBy).toEqual([{ by: 'metric', index: 0, isDescending: true }])
  expect(read.filters).toHaveLength(3)
})

test.each([
  [{ metrics: [] }, 'metrics'],
  [{ metrics: ['visiters'] }, 'metrics[0]'],
  [{ metrics: ['visitors', 'visitors'] }, 'metrics[1]'],
  [{ metrics: [{ as: 'visitors', math: 'count' }] }, 'metrics[0].as'],
  [{ metrics: [{ as: 'A', math: 'sum' }] }, 'metrics[0].property'],
  [{ metrics: [{ as: 'A', math: 'count', property: 'plan' }] }, 'metrics[0].property'],
  [{ metrics: [{ as: 'A', math: 'mode' }] }, 'metrics[0].math'],
  [{ metrics: [{ as: 'A', formula: 'B + 1' }] }, 'metrics[0].formula'],
  [{ metrics: [{ as: 'A', math: 'count', where: [['did', { event: 'x' }]] }] }, 'metrics[0].where[0][1]'],
  [{ dimensions: ['contry'] }, 'dimensions[0]'],
  [{ dimensions: ['time:day', 'time:hour'] }, 'dimensions'],
  [{ dimensions: ['country', 'device', 'os', 'browser'] }, 'dimensions'],
  [{ dimensions: ['property:'] }, 'dimensions[0]'],
  [{ filters: [['is', 'country', []]] }, 'filters[0][2]'],
  [{ filters: [['is', 'country', new Array(201).fill('DE')]] }, 'filters[0][2]'],
  [{ filters: [['gt', 'country', 3]] }, 'filters[0][0]'],
  [{ filters: [['matches', 'page', ['(a+)+$']]] }, 'filters[0][2][0]'],
  [{ filters: [['near', 'page', ['/']]] }, 'filters[0][0]'],
  [{ filters: [['is', 'time:day', ['x']]] }, 'filters[0][1]'],
  [{ filters: [['not', ['not', ['not', ['not', ['isSet', 'page']]]]]] }, 'filters[0][1][1][1][1]'],
  [{ filters: [['did', { event: 'x', within: '900d' }]] }, 'filters[0][1].within'],
  [{ filters: [['is', 'page', ['a\0b']]] }, 'filters[0][2]'],
  [{ orderBy: [['pageviews', 'desc']] }, 'orderBy[0]'],
  [{ limit: 0 }, 'limit'],
  [{ rolling: 7 }, 'rolling'],
  [{ compare: 'last' }, 'compare'],
  [{ colour: 'red' }, 'colour'],
])('%j is refused at %s', (members, field) => {
  const base = { siteId: 'site_1', metrics: ['visitors'] }
  expect(errorsOf({ ...base, ...members }).map((error) => error.field)).toEqual([field])
})

test('an unknown name is answered with those that are known', () => {
  const [error] = errorsOf({ siteId: 'site_1', metrics: ['visitors'], dimensions: ['contry'] })
  expect(error?.message).toContain('country')
})

test('more conditions than allowed are refused once', () => {
  const many = new Array(40).fill(['or', new Array(40).fill(['isSet', 'page'])])
  expect(errorsOf({ siteId: 's', metrics: ['events'], filters: many })).toHaveLength(1)
})

test('any JSON is read or refused', () => {
  const word = fc.constantFrom(
    'is',
    'and',
    'not',
    'did',
    'gt',
    'page',
    'metrics',
    'visitors',
    'filters',
    'as',
  )
  const json = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      word,
      fc.jsonValue(),
      fc.array(tie('value')),
      fc.dictionary(word, tie('value')),
    ),
  })).value
  fc.assert(
    fc.property(json, (value) => {
      errorsOf(value)
      errorsOf({ siteId: 's', metrics: ['events'], filters: value, dimensions: value })
      refusalOf(() => readFilters(JSON.stringify(value)))
    }),
  )
})

test('an object without the methods of objects is refused at every place of a question', () => {
  for (const question of methodlessCopies(example)) expect(errorsOf(question)).not.toEqual([])
})

test.each([
  ['A + B * 2', 8],
  ['(A + B) * 2', 10],
  ['-A - -B', 1],
  ['A / (B - 3)', null],
  ['8 / 4 / 2', 1],
])('%s is %s', (text, expected) => {
  const parsed = parseFormula(text)
  if (!parsed.ok) throw new Error(parsed.problem)
  expect(evaluateFormula(parsed.formula, (name) => ({ A: 2, B: 3 })[name] ?? null)).toBe(expected)
})

test.each(['', 'A +', '(A', 'A B', 'A $ B', '1e5', ')', 'A ** B'])('%j is no formula', (text) => {
  expect(parseFormula(text).ok).toBe(false)
})
