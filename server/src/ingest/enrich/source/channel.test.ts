import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { classifyTraffic, type TrafficFacts } from './channel.ts'
import { type ChannelRule, matchesPattern } from './channel-rules.ts'
import { findSource } from './known-source.ts'
import { sourceLists } from './sources.ts'

type Given = {
  referrer?: string
  utm?: Partial<TrafficFacts['utm']>
  clickIdType?: TrafficFacts['clickIdType']
}

function facts({ referrer = '', utm = {}, clickIdType = '' }: Given): TrafficFacts {
  const noUtm = { source: '', medium: '', campaign: '', term: '', content: '' }
  return {
    referrer,
    host: 'www.example.com',
    siteDomain: 'example.com',
    utm: { ...noUtm, ...utm },
    clickIdType,
  }
}

describe('campaigns', () => {
  test.each([
    ['google', 'cpc', '', 'Paid Search', 'google'],
    ['Google', 'CPC', '', 'Paid Search', 'google'],
    ['bing', 'ppc', '', 'Paid Search', 'bing'],
    ['adwords', 'paidsearch', '', 'Paid Search', 'google'],
    ['google-ads', '', '', 'Paid Search', 'google'],
    ['facebook-ads', '', '', 'Paid Social', 'facebook'],
    ['facebook', 'paid', '', 'Paid Social', 'facebook'],
    ['fb', 'paid_social', '', 'Paid Social', 'facebook'],
    ['ig', 'retargeting', '', 'Paid Social', 'instagram'],
    ['youtube', 'cpv', '', 'Paid Video', 'youtube'],
    ['youtube', 'cpc', '', 'Paid Video', 'youtube'],
    ['amazon', 'cpc', '', 'Paid Shopping', 'amazon'],
    ['google', 'cpc', 'Shopping DE', 'Paid Shopping', 'google'],
    ['google', 'cpc', 'my-shop', 'Paid Shopping', 'google'],
    ['google', 'cpc', 'workshop', 'Paid Search', 'google'],
    ['google', 'cpc', 'eshop', 'Paid Shopping', 'google'],
    ['google', 'cpc', 'Cross-network', 'Cross-network', 'google'],
    ['partner', 'display', '', 'Display', 'partner'],
    ['partner', 'banner', '', 'Display', 'partner'],
    ['partner', 'cpm', '', 'Display', 'partner'],
    ['google', 'cpm', '', 'Paid Search', 'google'],
    ['partner', 'cpc', '', 'Paid Other', 'partner'],
    ['partner', 'paid-content', '', 'Paid Other', 'partner'],
    ['etsy', '', '', 'Organic Shopping', 'etsy'],
    ['partner', '', 'shopping guide', 'Organic Shopping', 'partner'],
    ['twitter', 'post', '', 'Organic Social', 'x'],
    ['partner', 'social-media', '', 'Organic Social', 'partner'],
    ['vimeo', '', '', 'Organic Video', 'vimeo'],
    ['partner', 'product-video', '', 'Organic Video', 'partner'],
    ['chatgpt.com', '', '', 'AI Assistants', 'chatgpt'],
    ['perplexity', 'referral', '', 'AI Assistants', 'perplexity'],
    ['google', 'organic', '', 'Organic Search', 'google'],
    ['partner', 'organic', '', 'Organic Search', 'partner'],
    ['newsletter', '', '', 'Email', 'newsletter'],
    ['may-letter', 'E-Mail', '', 'Email', 'may-letter'],
    ['partner', 'affiliate', '', 'Affiliates', 'partner'],
    ['podcast', 'audio', '', 'Audio', 'podcast'],
    ['sms', '', '', 'SMS', 'sms'],
    ['partner', 'sms', '', 'SMS', 'partner'],
    ['app', 'webpush', '', 'Mobile Push', 'app'],
    ['app', 'mobile-notification', '', 'Mobile Push', 'app'],
    ['firebase', '', '', 'Mobile Push', 'firebase'],
    ['partner', 'referral', '', 'Referral', 'partner'],
    ['partner', 'link', '', 'Referral', 'partner'],
    ['(direct)', '(none)', '', 'Direct', 'Direct'],
    ['direct', '', '', 'Direct', 'Direct'],
    ['partner', 'qr', '', 'Unassigned', 'partner'],
    ['', 'email', '', 'Email', '(not set)'],
    ['', '', 'May', 'Unassigned', '(not set)'],
  ])('source %j, medium %j, campaign %j is %s', (source, medium, campaign, channel, name) => {
    expect(classifyTraffic(facts({ utm: { source, medium, campaign } }))).toMatchObject({
      channel,
      source: name,
    })
  })

  test('go before the referrer', () => {
    const given = facts({ referrer: 'https://www.google.com/', utm: { source: 'letter', medium: 'email' } })
    expect(classifyTraffic(given)).toEqual({
      channel: 'Email',
      source: 'letter',
      medium: 'email',
      referrerHost: 'www.google.com',
    })
  })
})

describe('click ids', () => {
  test.each([
    ['gclid', '', 'Paid Search', 'google'],
    ['gbraid', '', 'Paid Search', 'google'],
    ['wbraid', 'https://www.google.com/', 'Paid Search', 'google'],
    ['gclid', 'https://www.youtube.com/', 'Paid Video', 'youtube'],
    ['dclid', 'https://news.example.org/', 'Display', 'google'],
    ['msclkid', 'https://www.bing.com/', 'Paid Search', 'bing'],
    ['ttclid', '', 'Paid Social', 'tiktok'],
    ['twclid', 'https://t.co/a', 'Paid Social', 'x'],
    ['li_fat_id', '', 'Paid Social', 'linkedin'],
    ['fbclid', '', 'Organic Social', 'facebook'],
    ['fbclid', 'https://l.instagram.com/', 'Organic Social', 'instagram'],
  ] as const)('%s with referrer %j is %s', (clickIdType, referrer, channel, source) => {
    expect(classifyTraffic(facts({ clickIdType, referrer }))).toMatchObject({ channel, source })
  })

  test('pay for a campaign that names the same source and no medium, and for no other', () => {
    const google = facts({ clickIdType: 'gclid', utm: { source: 'google' } })
    expect(classifyTraffic(google)).toMatchObject({ channel: 'Paid Search', medium: 'cpc' })
    const letter = facts({ clickIdType: 'gclid', utm: { source: 'letter' } })
    expect(classifyTraffic(letter)).toMatchObject({ channel: 'Unassigned', medium: '' })
  })
})

describe('referrers', () => {
  test.each([
    ['https://www.google.com/', 'Organic Search', 'google', 'organic'],
    ['https://www.google.co.uk/search?q=a', 'Organic Search', 'google', 'organic'],
    ['https://search.yahoo.co.jp/', 'Organic Search', 'yahoo', 'organic'],
    ['https://yandex.kz/', 'Organic Search', 'yandex', 'organic'],
    ['https://search.brave.com/', 'Organic Search', 'brave', 'organic'],
    ['android-app://com.google.android.googlequicksearchbox/', 'Organic Search', 'google', 'organic'],
    ['https://l.facebook.com/', 'Organic Social', 'facebook', 'referral'],
    ['https://t.co/abc', 'Organic Social', 'x', 'referral'],
    ['https://news.ycombinator.com/item?id=1', 'Organic Social', 'hacker news', 'referral'],
    ['https://old.reddit.com/r/a', 'Organic Social', 'reddit', 'referral'],
    ['https://m.youtube.com/watch', 'Organic Video', 'youtube', 'referral'],
    ['https://www.amazon.de/', 'Organic Shopping', 'amazon', 'referral'],
    ['https://chatgpt.com/', 'AI Assistants', 'chatgpt', 'referral'],
    ['https://gemini.google.com/app', 'AI Assistants', 'gemini', 'referral'],
    ['https://copilot.microsoft.com/', 'AI Assistants', 'copilot', 'referral'],
    ['https://mail.google.com/', 'Email', 'gmail', 'email'],
    ['android-app://com.google.android.gm/', 'Email', 'gmail', 'email'],
    ['https://docs.google.com/document/d/1', 'Referral', 'google docs', 'referral'],
    ['https://support.google.com/', 'Referral', 'google.com', 'referral'],
    ['https://analytics.google.com/', 'Referral', 'google.com', 'referral'],
    ['https://groups.google.com/g/x', 'Referral', 'google.com', 'referral'],
    ['https://finance.yahoo.com/', 'Referral', 'yahoo.com', 'referral'],
    ['https://www.bing.com/', 'Organic Search', 'bing', 'organic'],
    ['https://webmaster.yandex.ru/', 'Referral', 'yandex.ru', 'referral'],
    ['https://de.search.yahoo.com/', 'Organic Search', 'yahoo', 'organic'],
    ['https://images.google.co.uk/', 'Organic Search', 'google', 'organic'],
    ['https://syndicatedsearch.goog/', 'Paid Search', 'google', 'cpc'],
    ['https://www.googleadservices.com/pagead/aclk', 'Paid Search', 'google', 'cpc'],
    ['https://outlook.live.com/', 'Email', 'outlook', 'email'],
    ['https://us-mg6.mail.yahoo.com/', 'Email', 'yahoo mail', 'email'],
    ['https://navigator.gmx.net/', 'Email', 'gmx', 'email'],
    ['https://mail.yandex.ru/', 'Email', 'yandex mail', 'email'],
    ['https://email.seznam.cz/', 'Email', 'seznam mail', 'email'],
    ['https://mail.qq.com/', 'Email', 'qq mail', 'email'],
    ['https://blog.partner.org/post', 'Referral', 'partner.org', 'referral'],
    ['https://jane.github.io/', 'Referral', 'github', 'referral'],
    ['http://192.0.2.7/', 'Referral', '192.0.2.7', 'referral'],
  ])('%s is %s', (referrer, channel, source, medium) => {
    expect(classifyTraffic(facts({ referrer }))).toMatchObject({ channel, source, medium })
  })

  test.each([
    '',
    'https://www.example.com/pricing',
    'https://shop.example.com/',
    'https://example.com/',
    '$direct',
    '/pricing',
    'about:blank',
  ])('%j is no referrer', (referrer) => {
    expect(classifyTraffic(facts({ referrer }))).toEqual({
      channel: 'Direct',
      source: 'Direct',
      medium: '',
      referrerHost: '',
    })
  })

  test('of the page’s own domain count as its own even when the site is registered under another', () => {
    const given = { ...facts({ referrer: 'https://a.other.org/' }), host: 'b.other.org' }
    expect(classifyTraffic(given).channel).toBe('Direct')
  })

  test('of a neighbour on the same host are foreign', () => {
    const given = {
      ...facts({ referrer: 'https://jane.github.io/' }),
      host: 'joe.github.io',
      siteDomain: 'joe.github.io',
    }
    expect(classifyTraffic(given)).toMatchObject({ channel: 'Referral', referrerHost: 'jane.github.io' })
  })
})

test('another table of rules gives other channels, without disturbing the default', () => {
  const rules: ChannelRule[] = [
    { channel: 'Partners', anyOf: [{ source: ['partner*'] }] },
    { channel: 'Auctions', anyOf: [{ clickIdType: ['msclkid'] }] },
  ]
  const partner = facts({ referrer: 'https://partner.org/' })
  expect(classifyTraffic(partner, rules).channel).toBe('Partners')
  expect(classifyTraffic(facts({ clickIdType: 'msclkid' }), rules).channel).toBe('Auctions')
  expect(classifyTraffic(facts({ utm: { source: 'google' } }), rules).channel).toBe('Unassigned')
  expect(classifyTraffic(partner).channel).toBe('Referral')
})

test.each([
  ['cpc', '*cp*', true],
  ['paid', 'paid*', true],
  ['repaid', 'paid*', false],
  ['webpush', '*push', true],
  ['pushed', '*push', false],
  ['abcabc', 'a*b*c', true],
  ['ab', 'ab*ab', false],
  ['', '*', true],
  ['', '', true],
  ['a.c', 'abc', false],
  ['aXbYc', 'a*c*b', false],
])('%j matches %j: %s', (text, pattern, expected) => {
  expect(matchesPattern(text, pattern)).toBe(expected)
})

test('a hostile pattern on a hostile text is answered at once', () => {
  expect(matchesPattern('a'.repeat(2_048), `${'*a'.repeat(1_000)}*b`)).toBe(false)
})

test('every listed source is found by its name and by each of its places', () => {
  for (const { category, isPaid = false, sources } of sourceLists) {
    for (const [name, places] of Object.entries(sources)) {
      expect(findSource(name)).toMatchObject({ name, category })
      for (const place of places.split(/\s+/)) {
        const host = place.replace(/^\*\./, '').replace('.*', '.com')
        expect([place, findSource(host)]).toEqual([place, { name, category, isPaid }])
        if (!place.includes('.') || place.startsWith('com.')) continue
        const below = findSource(`below.${host}`)
        expect([place, below?.name === name]).toEqual([place, place.startsWith('*.')])
        if (place.startsWith('*.')) expect(findSource(`www.${host}`)).toMatchObject({ name })
      }
    }
  }
})

test('no place is listed twice, and each list says where it is from and when it was looked at', () => {
  const places = sourceLists.flatMap(({ sources }) => Object.values(sources).join(' ').split(/\s+/))
  expect(new Set(places).size).toBe(places.length)
  expect(places.length).toBeGreaterThan(350)
  for (const { origin, asOf } of sourceLists) {
    expect(origin.length).toBeGreaterThan(20)
    expect(asOf).toMatch(/^20\d\d-\d\d$/)
  }
})

const referenceFile = join(
  import.meta.dirname,
  '../../../../../../shared/data/channels/ga4-source-categories.csv',
)
if (existsSync(referenceFile)) {
  test('where Google’s list of sources knows one that we know, nine of ten have the same category', () => {
    const rows = readFileSync(referenceFile, 'utf8').trim().split('\n').slice(1)
    const theirs = rows.map((row) => row.trim().split(','))
    const known = theirs.flatMap(([source = '', category = '']) => {
      const ours = findSource(source)
      return ours === null
        ? []
        : [{ source, same: category === `SOURCE_CATEGORY_${ours.category.toUpperCase()}` }]
    })
    const same = known.filter((row) => row.same)
    console.info(
      `Google lists ${theirs.length} sources; we know ${known.length}, ${same.length} in the same category`,
    )
    expect(known.length).toBeGreaterThan(300)
    expect(same.length / known.length).toBeGreaterThan(0.9)
  })
} else console.info('Google’s list of sources is not at hand; only our own cases are tested.')
