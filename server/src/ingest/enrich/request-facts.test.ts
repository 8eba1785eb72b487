import { expect, test } from 'vitest'
import { type Headers, readRequestFacts } from './request-facts.ts'

function factsOf(headers: Headers, trustsCountryHeaders = false) {
  return readRequestFacts(headers, {
    credential: 'public',
    ip: '192.0.2.1',
    trustsCountryHeaders,
    lookupCountry: (ip) => (ip === '192.0.2.1' ? 'DE' : ''),
  })
}

test('country headers are believed only behind a proxy that the operator trusts', () => {
  expect(factsOf({ 'cf-ipcountry': 'FR' }, true).country).toBe('FR')
  expect(factsOf({ 'cf-ipcountry': 'FR' }, false).country).toBe('DE')
})

test('a trusted proxy that does not know leaves it to the address', () => {
  expect(factsOf({ 'cf-ipcountry': 'XX' }, true).country).toBe('DE')
})

test.each([
  ['de-CH,de;q=0.9,en;q=0.8', 'de-CH'],
  [' en-US ', 'en-US'],
  ['*', ''],
  ['', ''],
])('of %j the first language is %j', (header, locale) => {
  expect(factsOf({ 'accept-language': header }).locale).toBe(locale)
})

test('the hints of the browser are read with its user agent', () => {
  const headers = {
    'user-agent':
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36',
    'sec-ch-ua-platform': '"Android"',
    'sec-ch-ua-mobile': '?0',
  }
  expect(factsOf(headers).agent).toMatchObject({ browser: 'Chrome', os: 'Android', device: 'tablet' })
  for (const name of ['sec-purpose', 'purpose', 'x-moz']) {
    expect(factsOf({ ...headers, [name]: 'prefetch' }).agent).toMatchObject({ botReason: 'prefetch' })
  }
})

test('a request without a user agent says so', () => {
  expect(factsOf({}).agent).toBeNull()
})

test('nothing that could name a person is kept: no address, no user agent', () => {
  const kept = JSON.stringify(factsOf({ 'user-agent': 'Secret/1.0 (jane)' }))
  expect(kept).not.toContain('192.0.2.1')
  expect(kept).not.toContain('jane')
})
