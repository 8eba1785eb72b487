import { expect, test } from 'vitest'
import { nowhereKnown } from './country/place.ts'
import { type Headers, readRequestFacts } from './request-facts.ts'

const berlin = { country: 'DE', region: 'DE-BE', city: 'Berlin (DE-BE)' }

function factsOf(headers: Headers, trustsPlaceHeaders = false) {
  return readRequestFacts(headers, {
    credential: 'public',
    ip: '192.0.2.1',
    trustsPlaceHeaders,
    lookupPlace: (ip) => (ip === '192.0.2.1' ? berlin : nowhereKnown),
  })
}

test('country headers are believed only behind a proxy that the operator trusts', () => {
  expect(factsOf({ 'cf-ipcountry': 'FR' }, true).place).toEqual({ country: 'FR', region: '', city: '' })
  expect(factsOf({ 'cf-ipcountry': 'FR' }, false).place).toEqual(berlin)
})

test('region and city of an address count where a proxy names the same country', () => {
  expect(factsOf({ 'cf-ipcountry': 'DE' }, true).place).toEqual(berlin)
  const munich = { 'cf-ipcountry': 'DE', 'cf-region-code': 'BY', 'cf-ipcity': 'Munich' }
  expect(factsOf(munich, true).place).toEqual({ country: 'DE', region: 'DE-BY', city: 'Munich (DE-BY)' })
  const bavaria = { 'cf-ipcountry': 'DE', 'cf-region-code': 'BY' }
  expect(factsOf(bavaria, true).place).toEqual({ country: 'DE', region: 'DE-BY', city: '' })
})

test('a trusted proxy that does not know leaves it to the address', () => {
  expect(factsOf({ 'cf-ipcountry': 'XX' }, true).place).toEqual(berlin)
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
