import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyCharacter } from '../../testing/any-character.ts'
import { noPage, pageFromParts, readPage } from './page.ts'

test.each([
  ['https://example.com', 'https://example.com/', 'example.com', '/'],
  [
    'https://www.Example.com/Pricing?a=1',
    'https://www.example.com/Pricing?a=1',
    'www.example.com',
    '/Pricing',
  ],
  ['http://localhost:3000/a', 'http://localhost:3000/a', 'localhost', '/a'],
  ['localhost:3000/a', 'http://localhost:3000/a', 'localhost', '/a'],
  ['https://192.0.2.1/a', 'https://192.0.2.1/a', '192.0.2.1', '/a'],
  ['https://example.com./a', 'https://example.com./a', 'example.com', '/a'],
  ['//cdn.example.com/a', 'https://cdn.example.com/a', 'cdn.example.com', '/a'],
  ['example.co.uk/a?b=c', 'https://example.co.uk/a?b=c', 'example.co.uk', '/a'],
  ['https://münchen.de/straße', 'https://xn--mnchen-3ya.de/stra%C3%9Fe', 'xn--mnchen-3ya.de', '/stra%C3%9Fe'],
  ['/pricing?plan=pro', '/pricing?plan=pro', '', '/pricing'],
  ['?plan=pro', '/?plan=pro', '', '/'],
  ['pricing', '/pricing', '', '/pricing'],
  ['index.html', '/index.html', '', '/index.html'],
  ['  https://example.com/a  ', 'https://example.com/a', 'example.com', '/a'],
  ['capacitor://localhost/home', 'capacitor://localhost/home', 'localhost', '/home'],
  [
    'android-app://com.google.android.gm/',
    'android-app://com.google.android.gm/',
    'com.google.android.gm',
    '/',
  ],
])('%s is read as %s', (text, url, host, path) => {
  expect(readPage(text)).toMatchObject({ url, host, path })
})

test.each([
  ...[
    '',
    '   ',
    'javascript:alert(1)',
    'data:text/html,hi',
    'about:blank',
    'blob:null/1',
    'mailto:a@example.com',
  ],
  ...['file:///Users/jane/index.html', 'http://', 'https://[bad', 'a b c', '\u0000'],
])('%j is nowhere', (text) => {
  expect(readPage(text)).toEqual(noPage)
})

describe('what must not be stored', () => {
  test.each([
    ['user name and password', 'https://jane:secret@example.com/a', 'https://example.com/a'],
    ['a fragment', 'https://example.com/a#access_token=abc', 'https://example.com/a'],
    ['an e-mail address', 'https://example.com/?who=jane@example.org&b=1', 'https://example.com/?who=&b=1'],
    ['an encoded e-mail address', 'https://example.com/?who=jane%40example.org', 'https://example.com/?who='],
    ['one encoded twice', 'https://example.com/?who=jane%2540example.org', 'https://example.com/?who='],
    ['one without a name', 'https://example.com/?jane@example.org', 'https://example.com/'],
    ['a password', 'https://example.com/?Password=x', 'https://example.com/?Password='],
    ['a token', 'https://example.com/?t=Zx81kd92LLpq73hhA0bb', 'https://example.com/?t='],
    ['a UUID', 'https://example.com/?id=2f1c7f0e-8a77-4e0c-9f7e-3a1b2c3d4e5f', 'https://example.com/?id='],
    [
      'a JSON web token',
      'https://example.com/?x=eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln',
      'https://example.com/?x=',
    ],
    ['a marked key', 'https://example.com/?x=sk_live_1', 'https://example.com/?x='],
    [
      'a secret behind a hash route',
      'https://example.com/#/reset?token=x',
      'https://example.com/#/reset?token=',
    ],
  ])('%s is taken out', (_what, text, url) => {
    expect(readPage(text).url).toBe(url)
  })

  test('plain values and campaign tags stay', () => {
    const query =
      'q=blue+shoes&page=2&utm_campaign=Summer-Sale-2026-Collection&gclid=EAIaIQobChMI8KXz9ZqG&%zz=1'
    expect(readPage(`https://example.com/?${query}`).url).toBe(`https://example.com/?${query}`)
  })

  test('an e-mail address is taken out even where a click id is expected', () => {
    expect(readPage('https://example.com/?gclid=jane@example.org').url).toBe('https://example.com/?gclid=')
  })
})

test('a route in the fragment is part of the path', () => {
  expect(readPage('https://example.com/app#/orders/7?tab=a')).toMatchObject({
    url: 'https://example.com/app#/orders/7?tab=a',
    path: '/app#/orders/7',
  })
  expect(readPage('https://example.com/#!/orders').path).toBe('/#!/orders')
})

test('campaigns are read before and behind a route', () => {
  expect(readPage('https://example.com/?utm_source=a#/x?utm_medium=b').campaign.utm).toMatchObject({
    source: 'a',
    medium: 'b',
  })
})

test('a campaign is read from an address far longer than what is stored', () => {
  const page = readPage(`https://example.com/?a=1&x=${'y'.repeat(4_000)}&utm_source=late`)
  expect(page.campaign.utm.source).toBe('late')
  expect(page.url).toBe('https://example.com/?a=1')
})

test('a path of any length is cut', () => {
  const page = readPage(`https://example.com/${'y'.repeat(4_000)}`)
  expect([page.url.length, page.path.length]).toEqual([2_048, 2_048])
})

test('the registered domain distinguishes sites of one host', () => {
  expect(readPage('https://shop.example.co.uk/').domain).toBe('example.co.uk')
  expect(readPage('https://jane.github.io/').domain).toBe('jane.github.io')
  expect(readPage('http://localhost/').domain).toBe('localhost')
})

test('a page given in parts is the same as its address', () => {
  expect(pageFromParts('/a', '?utm_source=b')).toEqual(readPage('/a?utm_source=b'))
  expect(pageFromParts('/a', 'no question mark')).toEqual(readPage('/a'))
  expect(pageFromParts('', '?utm_source=b')).toEqual(noPage)
})

test('any text is read without an error, within bounds, and reading the result again changes nothing', () => {
  const text = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 300 }),
    fc.webUrl({ withFragments: true, withQueryParameters: true }),
    fc
      .tuple(fc.constantFrom('https://example.com/', '/', '//', 'http:', '#/', '?'), fc.string())
      .map((parts) => parts.join('')),
  )
  fc.assert(
    fc.property(text, (given) => {
      const page = readPage(given)
      expect(page.url.length).toBeLessThanOrEqual(2_048)
      expect(page.host.length).toBeLessThanOrEqual(253)
      expect(page.path.length).toBeLessThanOrEqual(2_048)
      if (page.url.length < 2_048) expect(readPage(page.url).url).toBe(page.url)
    }),
    { numRuns: 3_000 },
  )
})
