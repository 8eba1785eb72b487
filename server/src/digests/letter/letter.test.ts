import type { Answer, Overview } from '@assay/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyCharacter } from '../../testing/any-character.ts'
import type { Contents } from '../sending/contents.ts'
import { asHtml } from './html.ts'
import { daysText, letterOf } from './letter.ts'
import { asText } from './text.ts'

const leave = 'https://assay.example/unsubscribe/dgr_x.y'

function overviewOf(keys: readonly string[]): Overview {
  const rows = keys.map((key) => ({ key, visitors: 9, sessions: 9, events: 9 }))
  const period = { from: '', to: '', timezone: 'UTC', includesToday: false }
  const metrics = {
    visitors: 12,
    sessions: 12,
    pageviews: null,
    events: 12,
    bounceRate: 0.5,
    avgSessionMs: 90_000,
    conversions: 1,
    conversionRate: 0.08,
    revenue: 20,
    currency: 'EUR',
    reasons: {},
  }
  return {
    siteId: 'site',
    period,
    retainedSince: null,
    metrics,
    otherCurrencies: [],
    convertedCurrencies: [],
    currencies: { seen: [], withoutRate: [] },
    previous: { period, metrics: { ...metrics, bounceRate: 0.4, visitors: 24 } },
    interval: 'day',
    series: [],
    breakdowns: { pages: rows, sources: rows, countries: rows, devices: rows, events: rows },
    dataQuality: { warned: 0, quarantined: 0, rejected: 0, botShare: 0, botEvents: 0, reasons: {} },
  }
}

const journeysOf = (labels: readonly string[]) => ({
  journeys: labels.map((label) => ({ steps: [{ key: label, label }], sessions: 9, share: 1 })),
})

function answerOf(values: readonly string[], metric: string): Partial<Answer> {
  const period = { from: '', to: '', timezone: 'UTC', includesToday: false }
  const figures = { [metric]: 5 }
  return {
    period,
    dimensions: ['page'],
    currency: null,
    metrics: [{ name: metric, unit: 'count', isAdditive: true }],
    rows: values.map((value) => ({
      dimensions: [value],
      metrics: figures,
      comparison: null,
      isComplete: null,
      isOther: false,
    })),
    totals: { metrics: figures, comparison: { [metric]: 4 } },
  }
}

function write(name: string, texts: readonly string[]) {
  const contents: Contents = {
    site: { id: 'site', name, timezone: 'UTC' },
    name,
    days: { from: '2026-11-02', to: '2026-11-08' },
    parts: [
      { title: `About ${name}`, kind: 'overview', view: null, result: overviewOf(texts) },
      { title: `About ${name}`, kind: 'journeys', view: null, result: journeysOf(texts) },
      { title: 'Question', kind: 'query', view: null, result: answerOf(texts, `m${name}`) },
    ],
  }
  const options = { frequency: 'weekly', dashboardUrl: 'https://x.example/', isTest: false } as const
  const { subject, letter } = letterOf(contents, { ...options, visitorsMin: 5 })
  return { subject, html: asHtml(letter, leave), text: asText(letter, leave) }
}

/** What makes markup: as many of each, whatever the names are. */
const markup = (html: string) => ['<', '>', '"', '\n'].map((character) => html.split(character).length)

test('whatever sites, boards, pages and sources are called, a mail has the same markup and lines', () => {
  const known = write('a', ['b', 'c'])
  const hostile = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 300 }),
    fc.constantFrom('<script>', '"><img src=x>', '</td></table>', '\r\nBcc: a@b.example', '\u202egnp.exe'),
  )
  fc.assert(
    fc.property(hostile, hostile, hostile, (name, one, other) => {
      const made = write(name, [one, other])
      expect(markup(made.html)).toEqual(markup(known.html))
      expect(made.text.split('\n')).toHaveLength(known.text.split('\n').length)
      expect(made.subject).not.toMatch(/[\r\n\0]/)
      expect(made.subject.length).toBeLessThan(200)
      expect(made.html.length).toBeLessThan(60_000)
    }),
  )
})

test('less is worse, save of the bounce rate, and nothing is said where nothing is known', () => {
  const { html, text } = write('Shop', [])
  expect(text).toContain('Visitors: 12 (−50.0%)')
  expect(text).toContain('Bounce rate: 50.0% (+25.0%)')
  expect(text).toContain('Page views: –')
  expect(html.match(/color:#b02a37/g)).toHaveLength(2)
})

test('days are said as short as they can be', () => {
  expect(daysText({ from: '2026-11-02', to: '2026-11-08' })).toBe('2 – 8 November 2026')
  expect(daysText({ from: '2026-10-26', to: '2026-11-01' })).toBe('26 October – 1 November 2026')
  expect(daysText({ from: '2026-12-28', to: '2027-01-03' })).toBe('28 December 2026 – 3 January 2027')
  expect(daysText({ from: '2028-02-01', to: '2028-02-29' })).toBe('February 2028')
})
