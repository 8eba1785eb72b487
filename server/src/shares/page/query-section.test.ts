import { type Answer, reportViews } from '@assay/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyCharacter } from '../../testing/any-character.ts'
import { querySection } from './query-section.ts'
import { seriesMax } from './series-chart.ts'

const day = (index: number) => new Date(Date.UTC(2026, 10, 1 + index)).toISOString()
const period = { from: day(0), to: day(9), timezone: 'UTC', includesToday: false }

type Group = { name: string | null; values: readonly number[] }

function answerOf(groups: readonly Group[], dimensions: readonly string[]): Answer {
  const isGrouped = dimensions.length === 2
  const rows = groups.flatMap(({ name, values }) =>
    values.map((value, index) => ({
      dimensions: isGrouped ? [day(index), name] : [day(index)],
      metrics: { visitors: value },
      comparison: null,
      isOther: false,
      isComplete: true,
    })),
  )
  const part: Partial<Answer> = {
    dimensions: [...dimensions],
    metrics: [{ name: 'visitors', unit: 'count', isAdditive: true }],
    rows,
    totals: { metrics: { visitors: 41 }, comparison: null },
    period,
    currency: null,
  }
  // boundary: the section reads no other members.
  return part as Answer
}

const overTime = answerOf([{ name: null, values: [3, 5, 2] }], ['time:day'])
const byGroup = answerOf(
  [
    { name: 'google', values: [1, 2, 3] },
    { name: 'bing', values: [4, 0, 1] },
  ],
  ['time:day', 'source'],
)

test('a question is shown in the view that was saved with it', () => {
  const parts = (answer: Answer) =>
    [null, ...reportViews].map((view) => {
      const html = querySection(answer, view)
      const count = (mark: string) => html.split(mark).length - 1
      const drawn = ['class="line', 'class="fill s', 'class="legend"', '<table>'].map(count)
      return [view, count('<dd>'), ...drawn]
    })
  expect(parts(overTime)).toEqual([
    [null, 1, 1, 0, 0, 1],
    ['lines', 1, 1, 0, 0, 1],
    ['bars', 1, 0, 3, 0, 1],
    ['stacked', 1, 0, 1, 0, 1],
    ['table', 1, 0, 0, 0, 1],
    ['number', 1, 0, 0, 0, 0],
  ])
  // The legend has a mark for each group.
  expect(parts(byGroup)).toEqual([
    [null, 1, 2, 2, 1, 1],
    ['lines', 1, 2, 2, 1, 1],
    ['bars', 1, 0, 8, 1, 1],
    ['stacked', 1, 0, 4, 1, 1],
    ['table', 1, 0, 0, 0, 1],
    ['number', 1, 0, 0, 0, 0],
  ])
})

test('places are in words, in the chart, its legend and the table, and totals say how they changed', () => {
  const groups = [
    { name: 'DE-BY', values: [1, 2, 3] },
    { name: 'AT-9', values: [4, 0, 1] },
  ]
  const answer = answerOf(groups, ['time:day', 'region'])
  const html = querySection({ ...answer, totals: { ...answer.totals, comparison: { visitors: 50 } } }, null)
  expect(html).not.toMatch(/DE-BY|AT-9|time:day/)
  expect(html.match(/Bavaria, Germany/g)).toHaveLength(1 + 3 + 1 + 3)
  expect(html).toContain('<th>Day</th><th>Region</th>')
  expect(html).toContain('<dd>41 <small class="worse">−18.0%</small></dd>')
})

test('whatever groups hold, charts stay inside their picture and the page has nothing of its own', () => {
  const group = fc.record({
    name: fc.option(fc.string({ unit: anyCharacter, maxLength: 40 })),
    values: fc.array(fc.nat(1e12), { minLength: 2, maxLength: 20 }),
  })
  fc.assert(
    fc.property(
      fc.uniqueArray(group, { minLength: 1, maxLength: 9, selector: ({ name }) => name }),
      fc.constantFrom('lines', 'bars', 'stacked'),
      (groups, view) => {
        const html = querySection(answerOf(groups, ['time:day', 'source']), view)
        expect(html).not.toMatch(/<script|<img|<[^>]* (?:style|on\w+|src|href)=|NaN|Infinity/i)
        expect(html.split('<li>').length - 1).toBe(groups.length < 2 ? 0 : Math.min(groups.length, seriesMax))
        const places = [...html.matchAll(/points="([^"]+)"/g)].flatMap(([, all]) => (all ?? '').split(' '))
        for (const place of places) {
          const [x = -1, y = -1] = place.split(',').map(Number)
          expect(x >= 76 && x <= 800 && y >= 16 && y <= 184).toBe(true)
        }
        for (const [, y, high] of html.matchAll(
          /<rect class="fill s\d" x="[^"]+" y="([^"]+)" width="[^"]+" height="([^"]+)"/g,
        )) {
          expect(Number(y) >= 16 && Number(high) >= 0 && Number(y) + Number(high) <= 184.2).toBe(true)
        }
      },
    ),
  )
})
