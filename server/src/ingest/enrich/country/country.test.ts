import { expect, test } from 'vitest'
import { countryOfText, countryOfTimezone } from './country.ts'

test.each([
  ['Europe/Berlin', 'DE'],
  ['Europe/Oslo', 'NO'],
  ['Asia/Calcutta', 'IN'],
  ['America/Argentina/Buenos_Aires', 'AR'],
  ['UTC', ''],
  ['Mars/Olympus', ''],
  ['constructor', ''],
  ['__proto__', ''],
])('the time zone %s lies in %j', (timezone, country) => {
  expect(countryOfTimezone(timezone)).toBe(country)
})

test.each([
  ['de', 'DE'],
  ['Germany', 'DE'],
  ['UNITED STATES', 'US'],
  ['Türkiye', 'TR'],
  ['Myanmar', 'MM'],
  ['Myanmar (Burma)', 'MM'],
  ['Hong Kong', 'HK'],
  ['Czechia', 'CZ'],
  ['XX', ''],
  ['D', ''],
  ['', ''],
  ['constructor', ''],
  ['(not set)', ''],
])('%j is the country %j', (text, country) => {
  expect(countryOfText(text)).toBe(country)
})
