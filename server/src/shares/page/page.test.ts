import type { Overview } from '@assay/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyCharacter } from '../../testing/any-character.ts'
import { axisTop } from './chart-frame.ts'
import { lineChart } from './line-chart.ts'
import { overviewSection } from './overview-section.ts'
import { sharedPage } from './page.ts'
import { resultHtml } from './result-tables.ts'
import { changeText, durationText, moneyText, numberText, timeTextOf } from './shown-values.ts'

const row = (key: string, visitors: number) => ({ key, visitors, sessions: visitors, events: visitors })
const metrics = {
  visitors: 1_200,
  sessions: 1_500,
  pageviews: 4_000,
  events: 5_000,
  bounceRate: 0.25,
  avgSessionMs: 95_000,
  conversions: 10,
  conversionRate: 0.01,
  revenue: 1_234.5,
  currency: 'EUR',
  reasons: {},
}
const period = {
  from: '2026-11-01T00:00:00Z',
  to: '2026-11-03T00:00:00Z',
  timezone: 'UTC',
  includesToday: false,
}

function overviewOf(key: string, values: readonly number[]): Overview {
  return {
    siteId: 'site_1',
    period,
    retainedSince: null,
    metrics,
    otherCurrencies: [],
    convertedCurrencies: [],
    currencies: { seen: [], withoutRate: [] },
    previous: { period, metrics: { ...metrics, visitors: 1_000, bounceRate: 0.5 } },
    interval: 'day',
    series: values.map((visitors, day) => ({
      start: new Date(Date.UTC(2026, 10, 1 + day)).toISOString(),
      isComplete: day < values.length - 1,
      ...metrics,
      visitors,
    })),
    breakdowns: {
      pages: [row(key, 30), row('', 15)],
      sources: [],
      countries: [row('DE', 9)],
      devices: [],
      events: [],
    },
    dataQuality: { warned: 0, quarantined: 0, rejected: 0, botShare: 0, botEvents: 0, reasons: {} },
  }
}

const view = { type: 'overview', name: 'O', description: '', siteName: 'S', theme: 'light' } as const
const pageOf = (key: string, values: readonly number[]) =>
  sharedPage({ ...view, narrowing: {}, tiles: [] }, [
    {
      title: key,
      result: {
        kind: 'overview',
        view: null,
        result: overviewOf(key, values),
        dataUntil: '2026-11-03T10:20:30.000Z',
      },
    },
  ])

test('an overview is figures with their change, a line whose last point is open, and lists with bars', () => {
  const html = pageOf('/cart', [3, 5, 2])
  expect(html).toContain('<dd>1,200 <small class="better">+20.0%</small></dd>')
  // Fewer bounces are better.
  expect(html).toContain('<dd>25.0% <small class="better">−50.0%</small></dd>')
  expect(html).toContain('<dd>1 min 35 s</dd>')
  expect(html).toContain('<dd>€1,234.50</dd>')
  expect(html).toContain('<title>3 Nov: 2, not complete yet</title>')
  expect(html).toContain('<title>2 Nov: 5</title>')
  expect(html.match(/class="line open"/g)).toHaveLength(1)
  expect(html).toContain('<rect width="50" height="1"/></svg><span>unknown</span>')
  expect(html).toContain('<span>Germany</span>')
  expect(html).toContain('Data until 3 Nov 2026, 10:20 UTC')
})

test('countries are written by their names', () => {
  const overview = { ...overviewOf('/cart', [1, 2]) }
  overview.breakdowns = { ...overview.breakdowns, countries: [row('DE', 3)] }
  expect(overviewSection(overview)).toContain('<span>Germany</span>')
})

test('whatever a key holds, the page has no script, no style of its own and nothing to load', () => {
  const hostile = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 60 }),
    fc.constantFrom(
      '</title><script>alert(1)</script>',
      '" onload="x',
      "<img src='x'>",
      '<style>*{}</style>',
    ),
  )
  fc.assert(
    fc.property(hostile, fc.array(fc.nat(1e9), { maxLength: 40 }), (key, values) => {
      const html = pageOf(key, values)
      expect(html.match(/<style>/g)).toHaveLength(1)
      expect(html).not.toMatch(/<script|<img|<[^>]* (?:style|on\w+|src|href)=/i)
      expect(html).not.toContain('NaN')
    }),
  )
})

test('an axis ends at a round number that every value is below, with a round number in its middle', () => {
  expect([1, 2, 7, 37, 514, 9_999, 12_345].map(axisTop)).toEqual([1, 2, 8, 40, 600, 10_000, 16_000])
  const largest = fc.double({ min: 0.01, max: 1e12, noNaN: true })
  fc.assert(fc.property(largest, (most) => axisTop(most) >= most && axisTop(most) <= 2 * most))
})

test('a chart needs two points, and stays inside its picture', () => {
  expect(lineChart('x', [{ label: 'a', value: 1, isComplete: true }])).toBe('')
  fc.assert(
    fc.property(fc.array(fc.nat(1e12), { minLength: 2, maxLength: 100 }), (values) => {
      const html = lineChart(
        'x',
        values.map((value, index) => ({ label: String(index), value, isComplete: true })),
      )
      const places = /class="line" points="([^"]+)"/.exec(html)?.[1]?.split(' ') ?? []
      expect(places).toHaveLength(values.length)
      for (const place of places) {
        const [x = -1, y = -1] = place.split(',').map(Number)
        expect(x >= 76 && x <= 800 && y >= 16 && y <= 184).toBe(true)
      }
    }),
  )
})

test('a table says so where it is empty', () => {
  const none = { kind: 'journeys', view: null, result: { journeys: [] }, dataUntil: period.to } as const
  expect(resultHtml(none)).toContain('Nothing to show')
})

test.each([
  [numberText(1234.567), '1,234.57'],
  [moneyText(5, null), '5'],
  [moneyText(5, 'XXQ'), 'XXQ 5.00'],
  [durationText(7_322_000), '2 h 2 min'],
  [changeText(5, 0), ''],
  [changeText(0, 4), '−100%'],
  [timeTextOf('hour', 'Asia/Tokyo')('2026-11-01T15:00:00Z'), '2 Nov, 00:00'],
])('%s', (shown, expected) => {
  // A currency without a sign has a space that does not break.
  expect(shown.replace('\u00a0', ' ')).toBe(expected)
})
