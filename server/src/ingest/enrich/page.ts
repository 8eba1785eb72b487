import { parse as parseDomain } from 'tldts'
import { rememberRecent } from '../../platform/recent-cache.ts'
import { type Campaign, campaignOfQuery, noCampaign } from './source/campaign.ts'
import { registeredDomain } from './source/known-source.ts'
import { boundText } from './text.ts'
import { withoutSecrets } from './url-secrets.ts'

/** The page of an event, and the campaign in its URL. Safe to store. */
export interface Page {
  readonly url: string
  readonly host: string
  readonly path: string
  /** The registered part of the host. */
  readonly domain: string
  readonly campaign: Campaign
}

export const noPage: Page = Object.freeze({ url: '', host: '', path: '', domain: '', campaign: noCampaign })

/** Browsers accept far longer URLs, but no relevant campaign parameter comes after 8 KB of others. */
const inputCharsMax = 8_192

/** Most sites have a few thousand pages; more distinct URLs are landing pages with click ids. */
const rememberedPages = 8_192

/** Reads a full URL, `//host/…`, `host.tld/…` or a bare path. Total: an unreadable one is noPage. */
export const readPage: (url: string) => Page = rememberRecent(parsePage, rememberedPages)

/** The tracking specification may send a page in parts instead of a URL. */
export function pageFromParts(path: string, search: string): Page {
  if (path === '') return noPage
  return readPage(search.startsWith('?') ? path + search : path)
}

function parsePage(text: string): Page {
  const trimmed = text.slice(0, inputCharsMax).trim()
  if (trimmed === '') return noPage
  const isBarePath = /^[/?#](?!\/)/.test(trimmed)
  // Bare paths need a base to be parsed; its host is removed again below.
  const url = isBarePath ? URL.parse(trimmed, 'http://path.invalid') : URL.parse(withScheme(trimmed))
  if (url === null) return isBarePath ? noPage : barePath(trimmed)
  if (url.host === '') return noPage
  return describe(url, isBarePath)
}

function barePath(text: string): Page {
  const url = /^[\w.%-]+(\/|$)/.test(text) ? URL.parse(`/${text}`, 'http://path.invalid') : null
  return url === null ? noPage : describe(url, true)
}

/** Senders omit the scheme; a word that ends in a real top-level domain, or has a port, is a host. */
function withScheme(text: string): string {
  if (text.startsWith('//')) return `https:${text}`
  if (/^[\w.-]+:\d{1,5}(?:[/?#]|$)/.test(text)) return `http://${text}`
  const host = /^[\w-]+(?:\.[\w-]+)+(?=[/?#:]|$)/.exec(text)?.[0]
  if (host !== undefined && parseDomain(host).isIcann === true) return `https://${text}`
  return text
}

function describe(url: URL, isBarePath: boolean): Page {
  const route = readHashRoute(url.hash)
  const host = isBarePath ? '' : boundText(url.hostname.replace(/\.$/, '').toLowerCase(), hostCharsMax)
  // Rebuilt from its parts, so that user name and password cannot remain.
  const origin = isBarePath ? '' : `${url.protocol}//${url.host}`
  const search = cleanSearch(url.search.slice(1))
  const routeSearch = cleanSearch(route.query)
  const pathname = url.pathname === '' ? '/' : url.pathname
  return {
    url: boundText(origin + pathname + search + route.path + routeSearch),
    host,
    path: boundText(pathname + route.path),
    domain: host === '' ? '' : registeredDomain(host),
    campaign: campaignOfQuery(`${url.search.slice(1)}&${route.query}`),
  }
}

function cleanSearch(query: string): string {
  const clean = query === '' ? '' : withoutSecrets(query)
  return clean === '' ? '' : `?${clean}`
}

/** RFC 1035 allows 253 characters; some application schemes have more. */
const hostCharsMax = 253

/**
 * Fragments are dropped (they may contain access tokens), except those used for routing by single-page
 * applications.
 */
function readHashRoute(hash: string): { path: string; query: string } {
  if (!hash.startsWith('#/') && !hash.startsWith('#!')) return { path: '', query: '' }
  const mark = hash.indexOf('?')
  return mark < 0 ? { path: hash, query: '' } : { path: hash.slice(0, mark), query: hash.slice(mark + 1) }
}
