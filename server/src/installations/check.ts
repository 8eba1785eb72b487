import { type InstallationCheck, installationLimits, invalidParameter, readKeyKind } from '@assay/contract'
import type { KeyFacts } from '../auth/keys/keys.ts'
import { AddressRefused } from '../http/outbound-address.ts'
import { type FetchPage, TooManyRedirects } from '../http/page-fetch.ts'
import type { Platform } from '../platform/platform.ts'
import { minuteMs } from '../platform/units.ts'
import type { SiteRow, Sites } from '../sites/sites.ts'
import { worded, worstOf } from './finding-words.ts'
import { type Found, type PageFacts, readPage } from './page-findings.ts'
import { countRecent, type RecentEvents } from './store.ts'

export type CheckNeeds = Pick<Platform, 'events' | 'now' | 'publicUrl' | 'dataUrl'> & {
  fetchPage: FetchPage
  sites: Sites
  keyFacts: (key: string) => Promise<KeyFacts | null>
}

export function readAddress(written: string | undefined, domain: string): URL {
  const url = URL.parse(written ?? `https://${domain}/`)
  const isWeb = url !== null && (url.protocol === 'http:' || url.protocol === 'https:')
  if (!isWeb) throw invalidParameter('url', 'must be an http or https address')
  if (url.username !== '' || url.password !== '') throw invalidParameter('url', 'must not contain a login')
  return url
}

/** What keeps the events of a page from arriving, as far as the page and the store can say. */
export async function checkSite(deps: CheckNeeds, site: SiteRow, asked: URL): Promise<InstallationCheck> {
  const { url, found, tag } = await lookAt(deps, asked)
  const keyed = tag === null ? [] : await keyFindings(deps, site, tag.key)
  const domain: Found[] = isOf(url.hostname, site.domain)
    ? []
    : [{ code: 'other-domain', about: site.domain }]
  const sound: Found[] = tag !== null && keyed.length === 0 ? [{ code: 'tag-found' }] : []
  const nowMs = deps.now()
  const range = { fromMs: nowMs - installationLimits.recentMinutes * minuteMs, toMs: nowMs + minuteMs }
  const owner = { workspaceId: site.workspace_id, siteId: site.id }
  const recentEvents = await countRecent(deps.events, owner, range, url.pathname)
  const findings = worded([...found, ...keyed, ...domain, ...sound, eventFinding(recentEvents)])
  return {
    siteId: site.id,
    url: url.href.slice(0, installationLimits.addressCharactersMax),
    checkedAt: new Date(nowMs).toISOString(),
    level: worstOf(findings),
    findings,
    recentEvents,
  }
}

async function lookAt(
  { fetchPage, publicUrl, dataUrl }: CheckNeeds,
  asked: URL,
): Promise<PageFacts & { url: URL }> {
  try {
    const page = await fetchPage(asked)
    const own = [publicUrl(), dataUrl()].map((url) => new URL(url).origin)
    return { url: page.url, ...readPage(page, own) }
  } catch (error) {
    return { url: asked, found: [{ code: 'unreachable', about: reasonOf(error) }], tag: null }
  }
}

/** Nothing of where an inside address leads. */
function reasonOf(error: unknown): string {
  if (error instanceof AddressRefused)
    return 'the address leads to a private network, which the operator does not allow'
  if (error instanceof TooManyRedirects) return 'it redirects too often'
  const name = error instanceof Error ? error.name : ''
  if (name === 'TimeoutError' || name === 'AbortError') return 'it did not answer in time'
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'its name is not known'
  if (/CERT|SSL|TLS/.test(code)) return 'its certificate is not valid'
  return 'the connection failed'
}

async function keyFindings(
  { keyFacts, sites, now }: CheckNeeds,
  site: SiteRow,
  key: string,
): Promise<Found[]> {
  if (key === '') return [{ code: 'key-missing' }]
  const kind = readKeyKind(key)
  if (kind !== null && kind !== 'public') return [{ code: 'key-secret' }]
  const facts = kind === null ? null : await keyFacts(key)
  // Whether a key of someone else exists is no business of this workspace.
  if (facts === null || facts.workspaceId !== site.workspace_id) return [{ code: 'key-unknown' }]
  const named = ` (${facts.name})`
  if (facts.isRevoked) return [{ code: 'key-revoked', about: named }]
  if (facts.expiresAtMs !== null && facts.expiresAtMs <= now()) return [{ code: 'key-expired', about: named }]
  if (facts.siteId === site.id) return []
  const other = facts.siteId === null ? null : await sites.own(site.workspace_id, facts.siteId)
  return [{ code: 'key-of-other-site', about: other === null ? '' : ` (${other.name})` }]
}

const isOf = (host: string, domain: string) => host === domain || host.endsWith(`.${domain}`)

function eventFinding({ ofPage, ofSite }: RecentEvents): Found {
  if (ofPage > 0) return { code: 'events-seen', about: String(ofPage) }
  return ofSite > 0 ? { code: 'events-elsewhere', about: String(ofSite) } : { code: 'events-missing' }
}
