import { expect, test } from 'vitest'
import { countryOfHeaders, countryOfTimezone, resolveCountry } from './country.ts'

test.each(['cf-ipcountry', 'x-vercel-ip-country', 'cloudfront-viewer-country', 'x-country-code'])(
  'the header %s names a country',
  (name) => {
    expect(countryOfHeaders({ [name]: 'de' })).toBe('DE')
  },
)

test.each(['XX', 'T1', 'ZZ', '', 'Germany', 'D', '<b'])('the header value %j names none', (value) => {
  expect(countryOfHeaders({ 'cf-ipcountry': value })).toBe('')
})

test('a header without a country falls back to the next one, and a repeated header is ignored', () => {
  expect(countryOfHeaders({ 'cf-ipcountry': 'XX', 'x-country-code': 'FR' })).toBe('FR')
  expect(countryOfHeaders({ 'cf-ipcountry': ['DE', 'FR'] })).toBe('')
})

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

test('a guess never replaces a known country, and is marked as one', () => {
  expect(resolveCountry('BR', 'Europe/Berlin')).toEqual({ code: 'BR', isApproximate: false })
  expect(resolveCountry('', 'Europe/Berlin')).toEqual({ code: 'DE', isApproximate: true })
  expect(resolveCountry('', '')).toEqual({ code: '', isApproximate: false })
})
