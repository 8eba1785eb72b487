export type SourceCategory = 'search' | 'social' | 'video' | 'shopping' | 'ai' | 'email' | 'other'

/** Sources of one kind, the references they were taken from, and when they were last checked. */
export type SourceList = {
  readonly category: SourceCategory
  readonly origin: string
  readonly asOf: string
  /** Visits from there were paid for. */
  readonly isPaid?: true
  /**
   * Places by the name of the source. A word with a dot is a host and matches that host only, with or without
   * `www.`; `*.` before it includes all of its subdomains; `google.*` is that name under any public suffix;
   * `com.…` are Android applications, which browsers name as `android-app://…`. A word without a dot is what
   * people write into utm_source.
   */
  readonly sources: Readonly<Record<string, string>>
}

/** References that were compared with: none of their lists is part of this one. */
export const origins = {
  services: 'our selection, by the addresses that the services themselves use',
  searches:
    'our selection, by the addresses of the result pages; compared with the sources that Google publishes ' +
    'for its default channel group (support.google.com/analytics/answer/9756891)',
  webmail: 'our selection of large providers, by the address of the mail box after sign-in',
  advertising:
    'our selection, by the documentation of the advertising networks and the usual words of campaigns',
}
/** When the lists were last checked. */
export const asOf = '2026-11'
