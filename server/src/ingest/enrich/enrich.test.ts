import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyCharacter } from '../../testing/any-character.ts'
import { nowhereKnown } from './country/place.ts'
import { type EnrichableEvent, enrichEvent } from './enrich.ts'
import { type Headers, readRequestFacts } from './request-facts.ts'

const chromeOnWindows =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36'
const safariOnPhone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1'

const site = { domain: 'example.com' }
const places = new Map([
  ['192.0.2.1', { country: 'DE', region: 'DE-BE', city: 'Berlin (DE-BE)' }],
  ['198.51.100.7', { country: 'BR', region: 'BR-SP', city: 'São Paulo (BR-SP)' }],
])

function request(credential: 'public' | 'secret', headers: Headers = { 'user-agent': chromeOnWindows }) {
  return readRequestFacts(headers, {
    credential,
    ip: '192.0.2.1',
    trustsPlaceHeaders: false,
    lookupPlace: (ip) => places.get(ip) ?? nowhereKnown,
  })
}

function event(context: unknown, properties: unknown = {}): EnrichableEvent {
  return { name: '$pageview', properties, context }
}

test('a page view of an existing tracking library is described completely', () => {
  const context = {
    page: {
      url: 'https://user:secret@www.example.com/pricing?utm_source=Newsletter&utm_medium=Email&utm_campaign=May#plans',
      path: '/pricing',
      referrer: 'https://www.google.com/search?q=assay',
      title: 'Pricing',
    },
    campaign: { source: 'ignored', name: 'ignored' },
    locale: 'de-DE',
    timezone: 'Europe/Berlin',
    app: { version: '2.4.0' },
    library: { name: 'analytics.js', version: '4.1.0' },
  }
  expect(enrichEvent(event(context), request('public'), site)).toEqual({
    url: 'https://www.example.com/pricing?utm_source=Newsletter&utm_medium=Email&utm_campaign=May',
    host: 'www.example.com',
    path: '/pricing',
    title: 'Pricing',
    referrer: 'https://www.google.com/search?q=assay',
    referrerHost: 'www.google.com',
    utmSource: 'Newsletter',
    utmMedium: 'Email',
    utmCampaign: 'May',
    utmTerm: '',
    utmContent: '',
    clickIdType: '',
    clickId: '',
    channel: 'Email',
    source: 'newsletter',
    country: 'DE',
    countryIsApproximate: false,
    region: 'DE-BE',
    city: 'Berlin (DE-BE)',
    device: 'desktop',
    browser: 'Chrome',
    browserVersion: '126.0.0.0',
    os: 'Windows',
    isBot: false,
    botReason: '',
    locale: 'de-DE',
    release: '2.4.0',
    sdkName: 'analytics.js',
    sdkVersion: '4.1.0',
    surface: 'web',
  })
})

test('an event of the first surface is described from its properties alone', () => {
  const properties = { url: '/pricing?gclid=abc', title: 'Pricing', referrer: 'https://t.co/x' }
  expect(enrichEvent(event(undefined, properties), request('public'), site)).toMatchObject({
    url: '/pricing?gclid=abc',
    host: '',
    path: '/pricing',
    title: 'Pricing',
    referrerHost: 't.co',
    clickIdType: 'gclid',
    clickId: 'abc',
    channel: 'Paid Search',
    source: 'google',
    surface: 'web',
  })
})

describe('a secret key', () => {
  test('speaks for the visitor whom it names, not for the machine it runs on', () => {
    const context = { ip: '198.51.100.7', userAgent: safariOnPhone, library: { name: 'analytics-python' } }
    const backEnd = request('secret', { 'user-agent': 'python-requests/2.32', 'accept-language': 'en' })
    expect(enrichEvent(event(context), backEnd, site)).toMatchObject({
      country: 'BR',
      browser: 'Safari',
      os: 'iOS',
      device: 'mobile',
      isBot: false,
      locale: '',
      surface: 'server',
    })
  })

  test('that names no visitor leaves country, browser and source unknown instead of taking its own', () => {
    const backEnd = request('secret', { 'user-agent': 'python-requests/2.32' })
    expect(enrichEvent(event({}), backEnd, site)).toMatchObject({
      country: '',
      browser: '',
      device: 'other',
      isBot: false,
      botReason: '',
      channel: '',
      source: '',
      surface: 'server',
    })
  })

  test('may give the user agent outside the context', () => {
    const named = { ...event({ userAgent: 'curl/8' }), userAgent: safariOnPhone }
    expect(enrichEvent(named, request('secret'), site).browser).toBe('Safari')
  })

  test('still marks a crawler that it names', () => {
    const context = { userAgent: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)' }
    expect(enrichEvent(event(context), request('secret'), site)).toMatchObject({
      isBot: true,
      botReason: 'user_agent',
    })
  })
})

describe('a public key', () => {
  test('cannot claim another address or browser than the one that sends', () => {
    const context = { ip: '198.51.100.7', userAgent: safariOnPhone }
    expect(enrichEvent(event(context), request('public'), site)).toMatchObject({
      country: 'DE',
      browser: 'Chrome',
    })
  })

  test('without a user agent is taken for a script on the web but not in an application', () => {
    const noAgent = request('public', {})
    expect(enrichEvent(event({}), noAgent, site)).toMatchObject({
      isBot: true,
      botReason: 'missing_user_agent',
    })
    const application = { app: { version: '3' }, os: { name: 'Android' }, device: { type: 'android' } }
    expect(enrichEvent(event(application), noAgent, site)).toMatchObject({
      isBot: false,
      surface: 'android',
      os: 'Android',
      device: 'mobile',
    })
  })

  test('of an application is no bot although its transport looks like a script', () => {
    const context = { library: { name: 'analytics-kotlin', version: '1.2' }, userAgent: 'okhttp/4.12' }
    const sent = enrichEvent(event(context), request('public', { 'user-agent': 'okhttp/4.12' }), site)
    expect(sent).toMatchObject({
      isBot: false,
      surface: 'android',
      sdkName: 'analytics-kotlin',
      sdkVersion: '1.2',
    })
  })
})

test('a step within the site has no referrer host and keeps the address it came from', () => {
  const context = {
    page: { url: 'https://shop.example.com/cart', referrer: 'https://www.example.com/pricing' },
  }
  expect(enrichEvent(event(context), request('public'), site)).toMatchObject({
    referrer: 'https://www.example.com/pricing',
    referrerHost: '',
    channel: 'Direct',
    source: 'Direct',
  })
})

test('a country is guessed from the time zone as a last resort, and marked as a guess', () => {
  const unknownAddress = readRequestFacts(
    { 'user-agent': chromeOnWindows },
    { credential: 'public', ip: '203.0.113.9', trustsPlaceHeaders: false, lookupPlace: () => nowhereKnown },
  )
  expect(enrichEvent(event({ timezone: 'Asia/Tokyo' }), unknownAddress, site)).toMatchObject({
    country: 'JP',
    countryIsApproximate: true,
    region: '',
    city: '',
  })
})

describe('a back end that names a place', () => {
  const placed = (context: unknown, credential: 'public' | 'secret' = 'secret') => {
    const { country, region, city } = enrichEvent(event(context), request(credential), site)
    return { country, region, city }
  }
  const springfield = { country: 'US', region: 'US-IL', city: 'Springfield (US-IL)' }

  test.each([
    { country: 'US', region: 'IL', city: 'Springfield' },
    { country: 'us', region: 'us-il', city: ' Springfield ' },
    { country: 'United States', region: 'Illinois', city: 'Springfield' },
  ])('by codes or by names is believed: %j', (location) => {
    expect(placed({ location, timezone: 'Asia/Tokyo' })).toEqual(springfield)
  })

  test('is asked before the address, which may say more of the same country only', () => {
    const ip = '198.51.100.7'
    expect(placed({ location: { country: 'US', region: 'IL', city: 'Springfield' }, ip })).toEqual(
      springfield,
    )
    expect(placed({ location: { country: 'BR' }, ip })).toEqual(places.get(ip))
    expect(placed({ location: { country: 'US' }, ip })).toEqual({ country: 'US', region: '', city: '' })
    expect(placed({ location: { city: 'Springfield' }, ip })).toEqual(places.get(ip))
  })

  test('may be wrong about everything', () => {
    for (const location of [null, 7, 'US', [], { country: {} }, { country: 'Atlantis', city: 'Poseidonis' }])
      expect(placed({ location })).toEqual({ country: '', region: '', city: '' })
    const odd = { country: 'DE', region: 'R’lyeh', city: 'x'.repeat(5_000) }
    expect(placed({ location: odd })).toEqual({ country: 'DE', region: '', city: `${'x'.repeat(100)} (DE)` })
  })

  test('is none of a browser: that is where its request comes from', () => {
    expect(placed({ location: { country: 'US' } }, 'public')).toEqual(places.get('192.0.2.1'))
  })
})

test('a campaign may come from the context or the properties, and the address comes first', () => {
  const byContext = {
    campaign: { source: 'partner', medium: 'affiliate', name: 'June', term: 'a', content: 'b' },
  }
  expect(enrichEvent(event(byContext), request('public'), site)).toMatchObject({
    utmSource: 'partner',
    utmMedium: 'affiliate',
    utmCampaign: 'June',
    utmTerm: 'a',
    utmContent: 'b',
    channel: 'Affiliates',
  })
  const byProperties = { utm_source: 'sms', utm_campaign: 'July' }
  expect(enrichEvent(event({}, byProperties), request('public'), site)).toMatchObject({
    utmSource: 'sms',
    utmCampaign: 'July',
    channel: 'SMS',
  })
})

const anyJson = fc.jsonValue({ maxDepth: 4 })
const anyText = fc.oneof(
  fc.webUrl({ withFragments: true, withQueryParameters: true }),
  fc.string({ unit: anyCharacter, maxLength: 3_000 }),
)
const anyContext = fc.oneof(
  anyJson,
  fc.record(
    {
      page: fc.oneof(
        anyJson,
        fc.record({ url: anyText, path: anyText, search: anyText, referrer: anyText, title: anyText }),
      ),
      campaign: fc.oneof(
        anyJson,
        fc.record({ source: anyText, medium: anyText, name: anyText, gclid: anyText }),
      ),
      userAgent: anyText,
      locale: anyText,
      timezone: anyText,
      ip: fc.oneof(anyText, fc.ipV4(), fc.ipV6()),
      app: anyJson,
      library: fc.oneof(anyJson, fc.record({ name: anyText, version: anyText })),
      device: fc.oneof(anyJson, fc.record({ type: anyText })),
      os: fc.oneof(anyJson, fc.record({ name: anyText })),
    },
    { requiredKeys: [] },
  ),
)

test('no JSON makes it throw, every text stays within 2,048 whole characters, and the answer is always the same', () => {
  const headers = fc.dictionary(
    fc.constantFrom('user-agent', 'sec-ch-ua', 'accept-language', 'sec-purpose'),
    anyText,
  )
  fc.assert(
    fc.property(anyContext, anyContext, headers, fc.constantFrom('public', 'secret'), anyText, (...given) => {
      const [context, properties, sentHeaders, credential, domain] = given
      const facts = request(credential, sentHeaders)
      const first = enrichEvent(event(context, properties), facts, { domain })
      for (const value of Object.values(first)) {
        if (typeof value !== 'string') continue
        expect(value.length).toBeLessThanOrEqual(2_048)
        expect(value.isWellFormed()).toBe(true)
      }
      expect(enrichEvent(event(context, properties), facts, { domain })).toEqual(first)
    }),
    { numRuns: 1_000 },
  )
})
