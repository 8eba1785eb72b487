/** The parameters by which ad platforms mark a click, in the order in which they are looked for. */
export const clickIdNames = [
  'gclid',
  'gbraid',
  'wbraid',
  'dclid',
  'msclkid',
  'ttclid',
  'twclid',
  'li_fat_id',
  // Last, because Facebook adds it to every outgoing link and it is copied along with shared addresses.
  'fbclid',
] as const

export type ClickIdType = (typeof clickIdNames)[number]

/** What a click id says about where a visit came from when nothing else does. */
export interface ClickIdMeaning {
  readonly source: string
  readonly medium: string
}

export const clickIdMeanings: Readonly<Record<ClickIdType, ClickIdMeaning>> = {
  gclid: { source: 'google', medium: 'cpc' },
  // The two that Google uses on Apple devices instead of gclid: web to app, and app to web.
  gbraid: { source: 'google', medium: 'cpc' },
  wbraid: { source: 'google', medium: 'cpc' },
  // Campaign Manager and Display & Video 360 serve banners.
  dclid: { source: 'google', medium: 'display' },
  msclkid: { source: 'bing', medium: 'cpc' },
  ttclid: { source: 'tiktok', medium: 'cpc' },
  twclid: { source: 'x', medium: 'cpc' },
  li_fat_id: { source: 'linkedin', medium: 'cpc' },
  // Unpaid posts carry it too, so it proves the network but not a payment.
  fbclid: { source: 'facebook', medium: 'social' },
}
