import { type Agent, type AgentHeaders, readAgent } from './agent.ts'
import { moreOf, nowhereKnown, type Place, type PlaceLookup, placeOfHeaders } from './country/place.ts'

/** Header names in lower case, as in Node. */
export type Headers = Readonly<Record<string, string | string[] | undefined>>

/** What is known about the request of an event. Computed once for all events of a batch. */
export interface RequestFacts {
  /**
   * Public: a site token or a public key, so the request comes from the visitor's own device. Secret: from a
   * back end.
   */
  readonly credential: 'public' | 'secret'
  /** The request's own user agent; `null` without one. */
  readonly agent: Agent | null
  readonly locale: string
  /** Where a public sender is, from a trusted proxy or by the address. */
  readonly place: Place
  readonly lookupPlace: PlaceLookup
  /** Global Privacy Control, `Sec-GPC: 1`: the visitor's browser asks not to sell or share their data. */
  readonly gpc: boolean
}

interface RequestOrigin {
  readonly credential: 'public' | 'secret'
  readonly ip: string
  /** The operator configured a proxy that sets the headers for country, region and city. */
  readonly trustsPlaceHeaders: boolean
  readonly lookupPlace: PlaceLookup
}

export function readRequestFacts(headers: Headers, origin: RequestOrigin): RequestFacts {
  const userAgent = header(headers, 'user-agent')
  const said = origin.trustsPlaceHeaders ? placeOfHeaders(headers) : nowhereKnown
  return {
    credential: origin.credential,
    agent: userAgent === '' ? null : readAgent({ userAgent, ...readHintHeaders(headers) }, true),
    locale: firstLanguage(header(headers, 'accept-language')),
    // A back end's own address says nothing about its visitors.
    place: origin.credential === 'public' ? moreOf(said, () => origin.lookupPlace(origin.ip)) : nowhereKnown,
    lookupPlace: origin.lookupPlace,
    gpc: header(headers, 'sec-gpc') === '1',
  }
}

function readHintHeaders(headers: Headers): Omit<AgentHeaders, 'userAgent'> {
  return {
    brands: header(headers, 'sec-ch-ua'),
    platform: header(headers, 'sec-ch-ua-platform'),
    mobile: header(headers, 'sec-ch-ua-mobile'),
    purpose: header(headers, 'sec-purpose') || header(headers, 'purpose') || header(headers, 'x-moz'),
  }
}

function header(headers: Headers, name: string): string {
  const value = headers[name]
  return typeof value === 'string' ? value : ''
}

/** `de-CH,de;q=0.9` prefers `de-CH`; `*` prefers nothing. No tag in use has more than five parts. */
function firstLanguage(header: string): string {
  return /^\s*([a-z]{1,8}(?:-[a-z\d]{1,8}){0,4})/i.exec(header)?.[1] ?? ''
}
