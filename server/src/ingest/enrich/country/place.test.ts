import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyCharacter } from '../../../testing/any-character.ts'
import { locate, nowhereKnown, placeOf, placeOfHeaders, placeOfLocation } from './place.ts'

const countryHeaders = ['cf-ipcountry', 'x-vercel-ip-country', 'cloudfront-viewer-country', 'x-country-code']

describe('headers of a proxy', () => {
  test.each(countryHeaders)('%s names a country', (name) => {
    expect(placeOfHeaders({ [name]: 'de' })).toEqual({ country: 'DE', region: '', city: '' })
  })

  test.each(['XX', 'T1', 'ZZ', '', 'Germany', 'D', '<b'])('the country %j is none', (value) => {
    expect(placeOfHeaders({ 'cf-ipcountry': value })).toEqual(nowhereKnown)
  })

  test('without a country fall back to the next network, and a repeated one is ignored', () => {
    expect(placeOfHeaders({ 'cf-ipcountry': 'XX', 'x-country-code': 'FR' }).country).toBe('FR')
    expect(placeOfHeaders({ 'cf-ipcountry': ['DE', 'FR'] })).toEqual(nowhereKnown)
  })

  test.each([
    ['cf-ipcountry', 'cf-region-code', 'cf-ipcity'],
    ['x-vercel-ip-country', 'x-vercel-ip-country-region', 'x-vercel-ip-city'],
    ['cloudfront-viewer-country', 'cloudfront-viewer-country-region', 'cloudfront-viewer-city'],
  ])('%s may come with region and city', (country, region, city) => {
    expect(placeOfHeaders({ [country]: 'US', [region]: 'IL', [city]: 'Springfield' })).toEqual({
      country: 'US',
      region: 'US-IL',
      city: 'Springfield (US-IL)',
    })
  })

  test('region and city of another network, or without a country, are none', () => {
    const others = { 'x-vercel-ip-country-region': 'IL', 'x-vercel-ip-city': 'Springfield' }
    expect(placeOfHeaders(others)).toEqual(nowhereKnown)
    expect(placeOfHeaders({ 'cf-ipcountry': 'US', ...others })).toEqual({
      country: 'US',
      region: '',
      city: '',
    })
  })

  test.each([
    ['percent-encoded', 'S%C3%A3o%20Paulo'],
    ['as the bytes of UTF-8', Buffer.from('São Paulo').toString('latin1')],
    ['in Latin-1', 'São Paulo'],
  ])('a city with other letters is read %s', (_how, city) => {
    const headers = { 'x-vercel-ip-country': 'BR', 'x-vercel-ip-city': city }
    expect(placeOfHeaders(headers).city).toBe('São Paulo (BR)')
  })

  test('a city that cannot be decoded, and a region that is no code, are left out', () => {
    const headers = { 'cf-ipcountry': 'BR', 'cf-region-code': 'São', 'cf-ipcity': '%E3%28' }
    expect(placeOfHeaders(headers)).toEqual({ country: 'BR', region: '', city: '' })
  })

  test('any text makes a place whose parts belong together', () => {
    const text = fc.string({ maxLength: 300, unit: anyCharacter })
    fc.assert(
      fc.property(fc.constantFrom('US', 'DE'), text, text, (country, region, city) => {
        const place = placeOfHeaders({ 'cf-ipcountry': country, 'cf-region-code': region, 'cf-ipcity': city })
        expect(place.country).toBe(country)
        expect(place.region === '' || place.region.startsWith(`${country}-`)).toBe(true)
        expect(place.city === '' || place.city.endsWith(` (${place.region || country})`)).toBe(true)
        expect(place.city.length).toBeLessThan(120)
      }),
    )
  })
})

test('cities of one name are not the same in different regions', () => {
  expect(placeOf('US', 'US-IL', 'Springfield').city).not.toBe(placeOf('US', 'US-MO', 'Springfield').city)
  expect(placeOf('SG', '', 'Singapore').city).toBe('Singapore (SG)')
})

test('the part of a city is left out: most sources do not know it', () => {
  expect(placeOf('DE', 'DE-BE', 'Berlin (Mitte)').city).toBe('Berlin (DE-BE)')
})

test('a place is read from any JSON', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (region, city) => {
      const place = placeOfLocation({ country: 'DE', region, city })
      expect(place.country).toBe('DE')
      expect(place.region === '' || place.region.startsWith('DE-')).toBe(true)
    }),
  )
})

test('a guess never replaces what is known, is marked as one, and is a country alone', () => {
  const rio = placeOf('BR', 'BR-RJ', 'Rio de Janeiro')
  expect(locate(rio, 'Europe/Berlin')).toEqual({ place: rio, isApproximate: false })
  const germany = { country: 'DE', region: '', city: '' }
  expect(locate(nowhereKnown, 'Europe/Berlin')).toEqual({ place: germany, isApproximate: true })
  expect(locate(nowhereKnown, '')).toEqual({ place: nowhereKnown, isApproximate: false })
})
