/** Parameters by which ad platforms mark a click, in order of precedence. */
export const clickIdNames = [
  'gclid',
  'gbraid',
  'wbraid',
  'dclid',
  'msclkid',
  'ttclid',
  'twclid',
  'li_fat_id',
  // Last, because Facebook adds it to every outgoing link and it is copied along with shared URLs.
  'fbclid',
] as const

export type ClickIdType = (typeof clickIdNames)[number]

/** What a click id implies about the source of a visit if nothing else does. */
export interface ClickIdMeaning {
  readonly source: string
  readonly medium: string
}

export const clickIdMeanings: Readonly<Record<ClickIdType, ClickIdMeaning>> = {
  gclid: { source: 'google', medium: 'cpc' },
  // Google uses these two on Apple devices instead of gclid: web to app, and app to web.
  gbraid: { source: 'google', medium: 'cpc' },
  wbraid: { source: 'google', medium: 'cpc' },
  // Campaign Manager and Display & Video 360 serve banners.
  dclid: { source: 'google', medium: 'display' },
  msclkid: { source: 'bing', medium: 'cpc' },
  ttclid: { source: 'tiktok', medium: 'cpc' },
  twclid: { source: 'x', medium: 'cpc' },
  li_fat_id: { source: 'linkedin', medium: 'cpc' },
  // Unpaid posts have it too, so it proves the network but not a payment.
  fbclid: { source: 'facebook', medium: 'social' },
}
