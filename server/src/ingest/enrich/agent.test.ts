import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type AgentHeaders, readAgent } from './agent.ts'

function agentOf(userAgent: string, hints: Partial<AgentHeaders> = {}) {
  return readAgent({ userAgent, brands: '', platform: '', mobile: '', purpose: '', ...hints }, true)
}

const webKit = 'AppleWebKit/537.36 (KHTML, like Gecko)'
const apple = 'AppleWebKit/605.1.15 (KHTML, like Gecko)'
const windows = `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webKit}`
const mac = `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${webKit}`
const linux = `Mozilla/5.0 (X11; Linux x86_64) ${webKit}`
const chromeOs = `Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${webKit}`
const android = `Mozilla/5.0 (Linux; Android 10; K) ${webKit}`
const pixel = `Mozilla/5.0 (Linux; Android 14; Pixel 8) ${webKit}`
const webView = `Mozilla/5.0 (Linux; Android 14; SM-S921B Build/UP1A.231005.007; wv) ${webKit} Version/4.0`
const phone = `Mozilla/5.0 (iPhone; CPU iPhone OS 17_5_1 like Mac OS X) ${apple}`
const pad = `Mozilla/5.0 (iPad; CPU OS 16_6 like Mac OS X) ${apple}`

/** User agents as browsers send them, by hand, and what a report should say: browser, system, device. */
const cases: readonly (readonly [userAgent: string, browser: string, os: string, device: string])[] = [
  [`${windows} Chrome/126.0.0.0 Safari/537.36`, 'Chrome', 'Windows', 'desktop'],
  [`${mac} Chrome/126.0.0.0 Safari/537.36`, 'Chrome', 'macOS', 'desktop'],
  [`${linux} Chrome/126.0.0.0 Safari/537.36`, 'Chrome', 'Linux', 'desktop'],
  [`${chromeOs} Chrome/126.0.0.0 Safari/537.36`, 'Chrome', 'Chrome OS', 'desktop'],
  [`${android} Chrome/126.0.0.0 Mobile Safari/537.36`, 'Chrome', 'Android', 'mobile'],
  [`${android} Chrome/126.0.0.0 Safari/537.36`, 'Chrome', 'Android', 'tablet'],
  [`${webView} Chrome/126.0.6478.71 Mobile Safari/537.36`, 'Chrome', 'Android', 'mobile'],
  [`${phone} CriOS/126.0.6478.54 Mobile/15E148 Safari/604.1`, 'Chrome', 'iOS', 'mobile'],
  [`${pad} CriOS/126.0.6478.54 Mobile/15E148 Safari/604.1`, 'Chrome', 'iOS', 'tablet'],
  [`${linux} Ubuntu Chromium/120.0.0.0 Chrome/120.0.0.0 Safari/537.36`, 'Chromium', 'Linux', 'desktop'],
  [`${phone} Version/17.5 Mobile/15E148 Safari/604.1`, 'Safari', 'iOS', 'mobile'],
  [`${pad} Version/16.6 Mobile/15E148 Safari/604.1`, 'Safari', 'iOS', 'tablet'],
  [
    `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${apple} CriOS/126 Version/11.1.1 Safari/605.1.15`,
    'Chrome',
    'iOS',
    'tablet',
  ],
  [
    `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${apple} Version/17.5 Safari/605.1.15`,
    'Safari',
    'macOS',
    'desktop',
  ],
  [`${phone} Mobile/15E148`, 'Safari', 'iOS', 'mobile'],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:127.0) Gecko/20100101 Firefox/127.0',
    'Firefox',
    'Windows',
    'desktop',
  ],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:127.0) Gecko/20100101 Firefox/127.0',
    'Firefox',
    'macOS',
    'desktop',
  ],
  [
    'Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0',
    'Firefox',
    'Linux',
    'desktop',
  ],
  ['Mozilla/5.0 (Android 14; Mobile; rv:127.0) Gecko/127.0 Firefox/127.0', 'Firefox', 'Android', 'mobile'],
  ['Mozilla/5.0 (Android 13; Tablet; rv:127.0) Gecko/127.0 Firefox/127.0', 'Firefox', 'Android', 'tablet'],
  [`${phone} FxiOS/127.0 Mobile/15E148 Safari/605.1.15`, 'Firefox', 'iOS', 'mobile'],
  [`${windows} Chrome/126.0.0.0 Safari/537.36 Edg/126.0.2592.56`, 'Edge', 'Windows', 'desktop'],
  [`${windows} Chrome/64.0.3282.140 Safari/537.36 Edge/18.17763`, 'Edge', 'Windows', 'desktop'],
  [`${mac} Chrome/126.0.0.0 Safari/537.36 Edg/126.0.2592.56`, 'Edge', 'macOS', 'desktop'],
  [`${pixel} Chrome/125.0.0.0 Mobile Safari/537.36 EdgA/125.0.2535.60`, 'Edge', 'Android', 'mobile'],
  [`${phone} Version/17.0 EdgiOS/125.0.2535.60 Mobile/15E148 Safari/604.1`, 'Edge', 'iOS', 'mobile'],
  [`${windows} Chrome/125.0.0.0 Safari/537.36 OPR/111.0.0.0`, 'Opera', 'Windows', 'desktop'],
  [`${pixel} Chrome/124.0.0.0 Mobile Safari/537.36 OPR/82.0.4342.79`, 'Opera', 'Android', 'mobile'],
  [`${phone} Version/17.5 Mobile/15E148 Safari/604.1 OPT/4.8.0`, 'Opera Touch', 'iOS', 'mobile'],
  [
    'Opera/9.80 (Android; Opera Mini/36.2.2254/119.132; U; id) Presto/2.12.423 Version/12.16',
    'Opera Mini',
    'Android',
    'mobile',
  ],
  [
    `Mozilla/5.0 (Linux; Android 14; SAMSUNG SM-S921B) ${webKit} SamsungBrowser/25.0 Chrome/121.0.0.0 Mobile Safari/537.36`,
    'Samsung Internet',
    'Android',
    'mobile',
  ],
  [
    `Mozilla/5.0 (Linux; Android 13; SAMSUNG SM-X700) ${webKit} SamsungBrowser/24.0 Chrome/117.0.0.0 Safari/537.36`,
    'Samsung Internet',
    'Android',
    'tablet',
  ],
  [`${windows} Chrome/122.0.0.0 YaBrowser/24.4.0.0 Safari/537.36`, 'Yandex Browser', 'Windows', 'desktop'],
  [`${windows} Chrome/124.0.0.0 Safari/537.36 Vivaldi/6.7.3329.35`, 'Vivaldi', 'Windows', 'desktop'],
  [`${windows} Chrome/124.0.0.0 Whale/3.26.244.21 Safari/537.36`, 'Whale', 'Windows', 'desktop'],
  [
    `${pixel} Version/4.0 Chrome/100.0.4896.58 UCBrowser/13.4.0.1306 Mobile Safari/537.36`,
    'UC Browser',
    'Android',
    'mobile',
  ],
  [
    `${pixel} Version/4.0 Chrome/109.0.5414.86 MQQBrowser/14.7 Mobile Safari/537.36`,
    'QQ Browser',
    'Android',
    'mobile',
  ],
  [
    `${pixel} Version/4.0 Chrome/100.0.4896.127 Mobile Safari/537.36 XiaoMi/MiuiBrowser/14.10.1`,
    'Mi Browser',
    'Android',
    'mobile',
  ],
  [
    `${pixel} Chrome/114.0.5735.196 HuaweiBrowser/14.0.5.303 Mobile Safari/537.36`,
    'Huawei Browser',
    'Android',
    'mobile',
  ],
  [`${pixel} Chrome/124.0.6367.82 Mobile Safari/537.36 DuckDuckGo/5`, 'DuckDuckGo', 'Android', 'mobile'],
  [`${phone} Version/17.5 Mobile/15E148 DuckDuckGo/7 Safari/605.1.15`, 'DuckDuckGo', 'iOS', 'mobile'],
  [`${phone} Version/17.5 Mobile/15E148 Safari/604.1 Brave/1.67`, 'Brave', 'iOS', 'mobile'],
  [`${phone} GSA/320.0.642 Mobile/15E148 Safari/604.1`, 'Google', 'iOS', 'mobile'],
  [`${linux} Chrome/124.0.0.0 Safari/537.36 PaleMoon/33.0`, 'Pale Moon', 'Linux', 'desktop'],
  [
    'Mozilla/5.0 (Windows NT 10.0; WOW64; Trident/7.0; rv:11.0) like Gecko',
    'Internet Explorer',
    'Windows',
    'desktop',
  ],
  [
    'Mozilla/5.0 (compatible; MSIE 10.0; Windows NT 6.2; Trident/6.0)',
    'Internet Explorer',
    'Windows',
    'desktop',
  ],
  [
    'Mozilla/5.0 (Linux; U; Android 4.1.2; de-de; GT-I9100 Build/JZO54K) AppleWebKit/534.30 (KHTML, like Gecko) Version/4.0 Mobile Safari/534.30',
    'Android Browser',
    'Android',
    'mobile',
  ],
  [
    `Mozilla/5.0 (Linux; Android 11; KFTRWI) ${webKit} Silk/120.4.1 like Chrome/120.0.6099.230 Safari/537.36`,
    'Silk',
    'Android',
    'tablet',
  ],
  [
    `${phone} Mobile/15E148 [FBAN/FBIOS;FBAV/468.0.0.36.100;FBBV/604400000;FBDV/iPhone14,5;FBMD/iPhone;FBSN/iOS;FBSV/17.5.1]`,
    'Facebook',
    'iOS',
    'mobile',
  ],
  [
    `${webView} Chrome/125.0.6422.165 Mobile Safari/537.36 [FB_IAB/FB4A;FBAV/468.1.0.56.78;]`,
    'Facebook',
    'Android',
    'mobile',
  ],
  [
    `${phone} Mobile/15E148 Instagram 336.0.0.24.92 (iPhone14,5; iOS 17_5_1; de_DE; de)`,
    'Instagram',
    'iOS',
    'mobile',
  ],
  [
    `${webView} Chrome/125.0.0.0 Mobile Safari/537.36 Instagram 336.0.0.35.90 Android`,
    'Instagram',
    'Android',
    'mobile',
  ],
  [`${phone} Mobile/15E148 [Pinterest/iOS]`, 'Pinterest', 'iOS', 'mobile'],
  [`${phone} Mobile/15E148 musical_ly_34.9.0 JsSdk/2.0 NetType/WIFI`, 'TikTok', 'iOS', 'mobile'],
  [
    `${webView} Chrome/125.0.0.0 Mobile Safari/537.36 trill_350403 BytedanceWebview/d8a21c6`,
    'TikTok',
    'Android',
    'mobile',
  ],
  [`${phone} Mobile/15E148 Snapchat/12.90.0.45 (like Safari/8618.2.12, panda)`, 'Snapchat', 'iOS', 'mobile'],
  [`${phone} Mobile/15E148 [LinkedInApp]/9.29.8962`, 'LinkedIn', 'iOS', 'mobile'],
  [
    `${phone} Mobile/15E148 MicroMessenger/8.0.49(0x18003137) NetType/WIFI Language/de`,
    'WeChat',
    'iOS',
    'mobile',
  ],
  [`${phone} Safari/604.1 Line/14.7.0`, 'LINE', 'iOS', 'mobile'],
  [`${webView} Chrome/125.0.0.0 Mobile Safari/537.36;KAKAOTALK 2410530`, 'KakaoTalk', 'Android', 'mobile'],
  [`${windows} Chrome/122.0.0.0 Electron/29.1.0 Safari/537.36`, 'Electron', 'Windows', 'desktop'],
  [
    `Mozilla/5.0 (SMART-TV; LINUX; Tizen 6.0) ${webKit} 76.0.3809.146/6.0 TV Safari/537.36`,
    'Tizen',
    'Tizen',
    'tv',
  ],
  [
    `Mozilla/5.0 (Web0S; Linux/SmartTV) ${webKit} Chrome/94.0.4606.128 Safari/537.36 WebAppManager`,
    'webOS Browser',
    'webOS',
    'tv',
  ],
  [
    `Mozilla/5.0 (Linux; Android 9; AFTKA) ${webKit} Silk/108.4.6 like Chrome/108.0.5359.220 Safari/537.36`,
    'Silk',
    'Fire OS',
    'tv',
  ],
  [
    `Mozilla/5.0 (Linux; Android 12; BRAVIA 4K VH2) ${webKit} Chrome/118.0.0.0 Safari/537.36`,
    'Chrome',
    'Android',
    'tv',
  ],
  [`Mozilla/5.0 (PlayStation; PlayStation 5/8.20) ${apple} Version/13.0 Safari/605.1.15`, 'Safari', '', 'tv'],
  [
    `Mozilla/5.0 (X11; Linux x86_64; Quest 3) ${webKit} OculusBrowser/33.0.0 Chrome/124.0.0.0 VR Safari/537.36`,
    'Oculus Browser',
    'Linux',
    'other',
  ],
  [
    'Mozilla/5.0 (Mobile; Nokia 8110 4G; rv:48.0) Gecko/48.0 Firefox/48.0 KAIOS/2.5',
    'Firefox',
    'KaiOS',
    'mobile',
  ],
  ['Mozilla/5.0 (Unheard; of)', '', '', 'other'],
]

test.each(cases)('%s', (userAgent, browser, os, device) => {
  expect(agentOf(userAgent)).toMatchObject({ browser, os, device, isBot: false, botReason: '' })
})

test('the table of known user agents has no case twice and at least sixty', () => {
  expect(new Set(cases.map(([userAgent]) => userAgent)).size).toBe(cases.length)
  expect(cases.length).toBeGreaterThanOrEqual(60)
})

describe('bots', () => {
  test.each([
    ['Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)', 'user_agent'],
    ['Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)', 'user_agent'],
    [
      'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)',
      'user_agent',
    ],
    ['Mozilla/5.0 (compatible; ClaudeBot/1.0; +claudebot@anthropic.com)', 'user_agent'],
    ['facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)', 'user_agent'],
    ['python-requests/2.32.3', 'user_agent'],
    ['curl/8.5.0', 'user_agent'],
    ['Go-http-client/2.0', 'user_agent'],
    ['axios/1.7.2', 'user_agent'],
    [`${linux} HeadlessChrome/126.0.0.0 Safari/537.36`, 'headless'],
    [
      'Mozilla/5.0 (Unknown; Linux x86_64) AppleWebKit/538.1 (KHTML, like Gecko) PhantomJS/2.1.1 Safari/538.1',
      'headless',
    ],
  ])('%s is flagged', (userAgent, botReason) => {
    expect(agentOf(userAgent)).toMatchObject({ isBot: true, device: 'bot', botReason })
  })

  test('a prefetched page was not viewed', () => {
    const [userAgent] = [`${windows} Chrome/126.0.0.0 Safari/537.36`]
    for (const purpose of ['prefetch', 'prefetch;prerender', 'prefetch;anonymous-client-ip', 'preview']) {
      expect(agentOf(userAgent, { purpose })).toMatchObject({
        isBot: true,
        botReason: 'prefetch',
        browser: 'Chrome',
      })
    }
  })

  test('a headless browser that hides in its user agent is known by its brands', () => {
    const brands = '"HeadlessChrome";v="126", "Chromium";v="126", "Not.A/Brand";v="24"'
    expect(agentOf(`${windows} Chrome/126.0.0.0 Safari/537.36`, { brands })).toMatchObject({
      botReason: 'headless',
    })
  })

  test('a missing user agent counts only where a browser is expected', () => {
    const none = { userAgent: '', brands: '', platform: '', mobile: '', purpose: '' }
    expect(readAgent(none, true)).toMatchObject({
      isBot: true,
      botReason: 'missing_user_agent',
      device: 'bot',
    })
    expect(readAgent(none, false)).toMatchObject({ isBot: false, botReason: '', device: 'other' })
  })
})

describe('client hints', () => {
  const frozen = `${linux} Chrome/126.0.0.0 Safari/537.36`

  test('name the platform that a frozen user agent hides', () => {
    expect(agentOf(frozen, { platform: '"Android"', mobile: '?0' })).toMatchObject({
      os: 'Android',
      device: 'tablet',
    })
    expect(agentOf(frozen, { platform: '"Android"', mobile: '?1' })).toMatchObject({
      os: 'Android',
      device: 'mobile',
    })
    expect(agentOf(frozen, { platform: '"Chrome OS"' })).toMatchObject({ os: 'Chrome OS', device: 'desktop' })
  })

  test('of an unknown platform change nothing', () => {
    expect(agentOf(frozen, { platform: '"Plan 9"', mobile: 'yes' })).toEqual(agentOf(frozen))
  })

  test('distinguish Brave from Chrome, whose user agent it sends', () => {
    expect(agentOf(frozen, { brands: '"Brave";v="126", "Chromium";v="126"' }).browser).toBe('Brave')
    expect(agentOf(frozen, { brands: '"Google Chrome";v="126", "Chromium";v="126"' }).browser).toBe('Chrome')
  })

  test('never turn a bot into a visitor', () => {
    expect(agentOf('curl/8.5.0', { platform: '"Windows"', mobile: '?0' })).toMatchObject({
      isBot: true,
      device: 'bot',
    })
  })
})

test('versions are kept as sent, and nothing beyond 512 characters of a user agent is looked at', () => {
  expect(agentOf(`${windows} Chrome/126.0.6478.127 Safari/537.36`).browserVersion).toBe('126.0.6478.127')
  expect(agentOf(`${windows} ${'x'.repeat(500)} Firefox/126.0`).browser).not.toBe('Firefox')
  expect(agentOf(`Firefox/${'1'.repeat(400)}`).browserVersion.length).toBeLessThanOrEqual(32)
})

/**
 * Agreement with the cases of another parser, where they are at hand. They name phone and desktop versions of
 * one browser differently and keep a name for each system's web view; we keep that in the device and the
 * system.
 */
const folder = join(import.meta.dirname, '../../../../../shared/data/ua')
const isPresent = existsSync(folder)

type Case = { userAgent: string; family: string }

function readCases(file: string): Case[] {
  const cases: Case[] = []
  let userAgent = ''
  for (const line of readFileSync(join(folder, file), 'utf8').split('\n')) {
    const [, key, text = ''] = /^[\s-]*(user_agent_string|family): *(.*?)\s*$/.exec(line) ?? []
    const value = text.replace(/^(['"])(.*)\1$/, '$2').replaceAll("''", "'")
    if (key === 'user_agent_string') userAgent = value
    if (key === 'family') cases.push({ userAgent, family: value })
  }
  return cases
}

/**
 * What they count as a browser and we do not: mail and map programs, podcast players, crawlers, libraries.
 */
const notBrowsers = /Luminary|Outlook|Live Mail|ArcGIS|bot|Vagabondo|Spotify|AdobeAIR|Java|Python|CFNetwork/

const ourNames: Readonly<Record<string, string>> = {
  IE: 'Internet Explorer',
  Android: 'Android Browser',
  'Amazon Silk': 'Silk',
  'WeChat Browser': 'WeChat',
  'Safari UI/WKWebView': 'Safari',
  'Chrome WebView': 'Chrome',
}

function ourName(family: string): string {
  const plain = family.replace(/ Mobile\b|\bMobile /g, '').replace(/ iOS$/, '')
  return ourNames[plain] ?? plain
}

/** The browsers that people use most, as the public counters of the last years rank them. */
const mostUsed = [
  ...['Chrome', 'Chrome Mobile', 'Chrome Mobile iOS', 'Chrome Mobile WebView', 'Safari', 'Mobile Safari'],
  ...[
    'Mobile Safari UI/WKWebView',
    'Edge',
    'Edge Mobile',
    'Firefox',
    'Firefox Mobile',
    'Firefox iOS',
    'Opera',
  ],
  ...['Opera Mobile', 'Opera Mini', 'Samsung Internet', 'UC Browser', 'Android', 'Yandex Browser', 'IE'],
  ...['QQ Browser', 'Brave', 'Whale', 'Facebook', 'Instagram'],
]

function commonestFamilies(cases: readonly Case[], count: number): string[] {
  const families = Map.groupBy(
    cases.filter(({ family }) => !notBrowsers.test(family)),
    ({ family }) => family,
  )
  return [...families]
    .sort(([, a], [, b]) => b.length - a.length)
    .slice(0, count)
    .map(([family]) => family)
}

/**
 * Share of cases of these families on which both agree. Says what it measured, since the gate is far below.
 */
function agreement(what: string, cases: readonly Case[], families: readonly string[]): number {
  const asked = cases.filter(({ family }) => families.includes(family))
  const agreed = asked.filter(({ userAgent, family }) => agentOf(userAgent).browser === ourName(family))
  console.info(`${what}: ${agreed.length} of ${asked.length} user agents, ${families.length} families`)
  return agreed.length / asked.length
}

if (isPresent) {
  test('at least 95 % of the user agents of the 25 families with most cases are named alike', () => {
    const cases = readCases('uap_core_test_ua.yaml')
    expect(cases.length).toBeGreaterThan(1_500)
    expect(agreement('most cases', cases, commonestFamilies(cases, 25))).toBeGreaterThanOrEqual(0.95)
  })

  test('at least 95 % of the user agents of the 25 most used browsers are named alike', () => {
    expect(mostUsed).toHaveLength(25)
    const cases = readCases('uap_core_test_ua.yaml')
    expect(agreement('most used', cases, mostUsed)).toBeGreaterThanOrEqual(0.95)
  })

  test('at least 95 % of the most common systems are named alike', () => {
    const names: Readonly<Record<string, string>> = {
      'Mac OS X': 'macOS',
      Ubuntu: 'Linux',
      iOS: 'iOS',
      Windows: 'Windows',
      Android: 'Android',
      Linux: 'Linux',
    }
    const asked = readCases('uap_core_test_os.yaml').filter(({ family }) => names[family] !== undefined)
    const agreed = asked.filter(({ userAgent, family }) => agentOf(userAgent).os === names[family])
    console.info(`systems: ${agreed.length} of ${asked.length}`)
    expect(agreed.length / asked.length).toBeGreaterThanOrEqual(0.95)
  })
} else console.info('Reference user agents are not at hand; only our own table is tested.')
