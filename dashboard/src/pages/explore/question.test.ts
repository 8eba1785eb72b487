import type { Metric } from '@assay/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { csvText } from '../../kit/chart/csv-text.ts'
import { readMetrics } from './metric-draft.ts'
import {
  askedOf,
  changesFor,
  changesOf,
  completeMetrics,
  questionOf,
  usualInterval,
  viewFor,
  views,
} from './question.ts'

const ready = fc.uniqueArray(fc.constantFrom<Metric>('visitors', 'sessions', 'revenue'), { maxLength: 3 })
const named = fc.uniqueArray(
  fc.record({
    as: fc.constantFrom('A', 'B', 'C', 'searches'),
    event: fc.constantFrom('$purchase', 'plan chosen'),
    math: fc.constantFrom('count', 'people'),
  }),
  { selector: ({ as }) => as, maxLength: 3 },
)

test('metrics that are opened in the builder and asked again are the same', () => {
  fc.assert(
    fc.property(ready, named, (plain, events) => {
      const names = [...plain.map(String), ...events.map(({ as }) => as)]
      const formula = names.length === 0 ? '1' : names.join(' + ')
      const metrics: Metric[] = [...plain, ...events, { as: 'Z', formula }]
      expect(completeMetrics(readMetrics(metrics))).toEqual(metrics)
    }),
  )
})

test('any JSON is a question for the builder or none', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (metrics, by) => {
      const parameters = new URLSearchParams({ metrics: JSON.stringify(metrics), by: JSON.stringify(by) })
      const asked = askedOf(parameters)
      questionOf(asked, parameters, [])
      changesFor(asked)
    }),
  )
})

test('the address of a saved question asks it again', () => {
  const address = new URLSearchParams({
    window: '7d',
    metrics: '["visitors",{"as":"B","event":"$purchase","math":"sum","property":"amount"}]',
    by: '["device"]',
    view: 'table',
    order: 'B:asc',
    limit: '50',
  })
  const asked = askedOf(address)
  const question = questionOf(asked, address, [['is', 'country', ['DE']]])
  expect(question).toMatchObject({ orderBy: [['B', 'asc']], limit: 50, other: true, compare: 'previous' })
  const set = Object.entries(changesOf(question, asked.view)).flatMap(([name, value]) =>
    value === null ? [] : [[name, value]],
  )
  const again = new URLSearchParams(set)
  expect(questionOf(askedOf(again), again, question.filters ?? [])).toEqual(question)
})

test.each(['previous', 'year', { from: '2026-01-01', to: '2026-01-31' }, undefined] as const)(
  'a report that is compared with %j is opened so',
  (compare) => {
    const saved = { window: '30d', metrics: ['visitors'], ...(compare !== undefined && { compare }) }
    const set = Object.entries(changesOf(saved, null)).flatMap(([name, value]) =>
      value === null ? [] : [[name, value]],
    )
    const address = new URLSearchParams(set)
    expect(questionOf(askedOf(address), address, []).compare).toEqual(compare)
  },
)

test('a saved question is shown as it was saved, whatever its groups', () => {
  for (const view of views) {
    for (const by of ['[]', '["device"]']) {
      const address = new URLSearchParams({ metrics: '["visitors"]', by, view })
      const question = questionOf(askedOf(address), address, [])
      expect([by, viewFor(question, view)]).toEqual([by, view])
    }
  }
})

test('a view that does not fit what is asked is left out of account', () => {
  expect(viewFor({ dimensions: ['time:day'] }, 'number')).toBe('lines')
  expect(viewFor({ dimensions: ['page'] }, 'bars')).toBe('table')
  expect(viewFor({}, 'stacked')).toBe('number')
  expect(viewFor({ dimensions: ['time:day'] }, null)).toBe('lines')
})

test.each([
  ['window=24h', 'hour'],
  ['window=30d', 'day'],
  ['window=365d', 'month'],
  ['from=2026-01-01&to=2026-05-31', 'week'],
])('%s is shown by the %s', (search, interval) => {
  expect(usualInterval(new URLSearchParams(search))).toBe(interval)
})

test('a text that a spreadsheet would run is written as a text', () => {
  const rows = [
    ['=1+1', 2, null],
    ['a "b", c', -1, true],
  ]
  expect(csvText({ columns: ['@x', 'y', 'z'], rows })).toBe(`'@x,y,z\r\n'=1+1,2,\r\n"a ""b"", c",-1,true\r\n`)
})
