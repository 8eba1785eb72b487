/** Where people are. A country with several time zones has several regions. */
export type Region = {
  readonly country: string
  readonly timeZone: string
  readonly locale: string
  readonly currency: string
  /** Units of the currency for one euro, rounded: prices only have to be plausible. */
  readonly perEuro: number
  readonly share: number
}

const region = (
  country: string,
  timeZone: string,
  locale: string,
  currency: string,
  perEuro: number,
  share: number,
) => ({ country, timeZone, locale, currency, perEuro, share })

export const regions: readonly Region[] = [
  region('DE', 'Europe/Berlin', 'de-DE', 'EUR', 1, 18),
  region('US', 'America/New_York', 'en-US', 'USD', 1.1, 17),
  region('GB', 'Europe/London', 'en-GB', 'GBP', 0.86, 12),
  region('FR', 'Europe/Paris', 'fr-FR', 'EUR', 1, 9),
  region('US', 'America/Los_Angeles', 'en-US', 'USD', 1.1, 7),
  region('TR', 'Europe/Istanbul', 'tr-TR', 'TRY', 48, 7),
  region('NL', 'Europe/Amsterdam', 'nl-NL', 'EUR', 1, 6),
  region('ES', 'Europe/Madrid', 'es-ES', 'EUR', 1, 5),
  region('IT', 'Europe/Rome', 'it-IT', 'EUR', 1, 5),
  region('PL', 'Europe/Warsaw', 'pl-PL', 'PLN', 4.3, 4),
  region('CA', 'America/Toronto', 'en-CA', 'CAD', 1.6, 4),
  region('AU', 'Australia/Sydney', 'en-AU', 'AUD', 1.75, 3),
  region('JP', 'Asia/Tokyo', 'ja-JP', 'JPY', 170, 2),
  region('IN', 'Asia/Kolkata', 'en-IN', 'INR', 98, 1),
]

export type Device = {
  readonly userAgent: string
  readonly deviceClass: 'desktop' | 'mobile' | 'tablet'
  readonly width: number
  readonly height: number
  readonly share: number
}

const device = (
  deviceClass: Device['deviceClass'],
  share: number,
  width: number,
  height: number,
  userAgent: string,
) => ({ userAgent, deviceClass, width, height, share })

/** Strings as the browsers send them; the shares are about those of a European consumer site. */
export const devices: readonly Device[] = [
  device(
    'mobile',
    26,
    390,
    844,
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
  ),
  device(
    'mobile',
    22,
    412,
    915,
    'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 Mobile Safari/537.36',
  ),
  device(
    'desktop',
    21,
    1920,
    1080,
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 Safari/537.36',
  ),
  device(
    'desktop',
    7,
    1512,
    982,
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 Safari/537.36',
  ),
  device(
    'desktop',
    6,
    1440,
    900,
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15',
  ),
  device(
    'desktop',
    5,
    1536,
    864,
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 Safari/537.36 Edg/137.0.0.0',
  ),
  device(
    'desktop',
    5,
    1920,
    1200,
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:139.0) Gecko/20100101 Firefox/139.0',
  ),
  device(
    'mobile',
    4,
    384,
    854,
    'Mozilla/5.0 (Linux; Android 14; SAMSUNG SM-S921B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36',
  ),
  device(
    'tablet',
    3,
    820,
    1180,
    'Mozilla/5.0 (iPad; CPU OS 17_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.7 Mobile/15E148 Safari/604.1',
  ),
  device('desktop', 1, 1920, 1080, 'Mozilla/5.0 (X11; Linux x86_64; rv:139.0) Gecko/20100101 Firefox/139.0'),
]

export const botUserAgents: readonly string[] = [
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)',
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)',
  'Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)',
  'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/137.0.0.0 Safari/537.36',
]

/** How a session came about. `clickId` names the query parameter that an ad platform adds. */
export type Source = {
  readonly referrer: string
  readonly campaign?: Readonly<{ source: string; medium: string; name: string }>
  readonly clickId?: string
  readonly newShare: number
  readonly returningShare: number
}

/** Shares of first and of later visits: people who know a site type its address or follow its mail. */
export const sources: readonly Source[] = [
  { referrer: '', newShare: 18, returningShare: 47 },
  { referrer: 'https://www.google.com/', newShare: 27, returningShare: 16 },
  { referrer: 'https://www.bing.com/', newShare: 3, returningShare: 2 },
  {
    referrer: 'https://www.google.com/',
    campaign: { source: 'google', medium: 'cpc', name: 'brand_search' },
    clickId: 'gclid',
    newShare: 9,
    returningShare: 5,
  },
  {
    referrer: 'https://www.google.com/',
    campaign: { source: 'google', medium: 'cpc', name: 'shopping_spring' },
    clickId: 'gclid',
    newShare: 8,
    returningShare: 3,
  },
  {
    referrer: 'https://l.facebook.com/',
    campaign: { source: 'facebook', medium: 'paid_social', name: 'lookalike_test' },
    clickId: 'fbclid',
    newShare: 10,
    returningShare: 3,
  },
  { referrer: 'https://www.instagram.com/', newShare: 5, returningShare: 2 },
  {
    referrer: '',
    campaign: { source: 'newsletter', medium: 'email', name: 'weekly_letter' },
    newShare: 1,
    returningShare: 14,
  },
  {
    referrer: 'https://www.awin1.com/',
    campaign: { source: 'awin', medium: 'affiliate', name: 'partner_blog' },
    newShare: 3,
    returningShare: 1,
  },
  {
    referrer: '',
    campaign: { source: 'dv360', medium: 'display', name: 'retargeting_q2' },
    clickId: 'dclid',
    newShare: 3,
    returningShare: 3,
  },
  { referrer: 'https://chatgpt.com/', newShare: 4, returningShare: 1 },
  { referrer: 'https://www.youtube.com/', newShare: 3, returningShare: 1 },
  { referrer: 'https://news.ycombinator.com/', newShare: 3, returningShare: 1 },
  { referrer: 'https://review-magazine.example/best-of', newShare: 3, returningShare: 1 },
]
