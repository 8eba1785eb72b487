import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { makeSiteToken, Problem, type Site } from '@assay/contract'
import type { Clock, NewId } from '../platform/clock.ts'
import { RecentMap } from '../platform/recent-map.ts'
import type { Control, Sql } from '../store/control.ts'
import {
  insertSite,
  type SiteRow,
  selectSite,
  selectSites,
  selectSitesWithRetention,
  updateRemovedBefore,
} from './store.ts'

export type { SiteRow } from './store.ts'

type NewSite = {
  workspaceId: string
  name: string
  domain: string
  timezone: string
  /** None: that of the first amount that arrives. */
  currency: string | null
  consentRegime?: SiteRow['consent_regime']
  onDenied?: SiteRow['on_denied']
  eventRetentionDays?: number | null
}

export async function createSiteRow(sql: Sql, newId: NewId, now: Clock, wanted: NewSite): Promise<SiteRow> {
  const domain = readDomain(wanted.domain)
  requireTimezone(wanted.timezone)
  const row = await insertSite(sql, {
    id: newId('site'),
    workspace_id: wanted.workspaceId,
    name: wanted.name,
    domain,
    timezone: wanted.timezone,
    currency: wanted.currency,
    ingest_token: newSiteToken(),
    created_at: new Date(now()),
    consent_regime: wanted.consentRegime ?? null,
    on_denied: wanted.onDenied ?? 'reject',
    event_retention_days: wanted.eventRetentionDays ?? null,
    events_removed_before: null,
  })
  if (row === null) throw domainTaken(domain)
  return row
}

export function newSiteToken(): string {
  return makeSiteToken((count) => randomBytes(count))
}

export function domainTaken(domain: string): Problem {
  return new Problem('conflict', { detail: `There is a site for ${domain} already.` })
}

/** A host name as people write it: an address is cut down to its host. */
export function readDomain(text: string): string {
  const host = text
    .trim()
    .toLowerCase()
    .replace(/^[a-z][a-z0-9+.-]*:\/\//, '')
    .replace(/[/?#].*$/, '')
    .replace(/\.$/, '')
  if (/^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*(:\d{1,5})?$/.test(host))
    return host
  throw new Problem('invalid-parameter', {
    detail: 'domain must be a host name such as example.com.',
    errors: [{ field: 'domain', message: 'must be a host name such as example.com' }],
  })
}

export function requireTimezone(name: string): void {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
  } catch {
    throw new Problem('invalid-parameter', {
      detail: `timezone must be an IANA name such as Europe/Berlin, not "${name.slice(0, 64)}".`,
      errors: [{ field: 'timezone', message: 'must be an IANA name such as Europe/Berlin' }],
    })
  }
}

export type Sites = {
  /** The site, when it is the workspace's own; null otherwise, whether or not it exists. */
  own: (workspaceId: string, siteId: string) => Promise<SiteRow | null>
  /** The site that a token in a page belongs to. */
  byToken: (siteId: string, token: string) => Promise<SiteRow | null>
  /** Where events go when nothing names a site. */
  first: (workspaceId: string) => Promise<SiteRow | null>
  /** Forgets what is remembered of a site, here and on every other node. */
  changed: (siteId: string) => Promise<void>
  /** The sites of a workspace that are remembered here. */
  cachedOf: (workspaceId: string) => string[]
  forgetWorkspace: (workspaceId: string) => void
}

const channel = 'assay_sites'
/** Sites in use, some 600 bytes each; ids that do not exist are not remembered. */
const knownMax = 20_000

export async function createSites(
  control: Control,
  isClosed: (workspaceId: string) => boolean,
): Promise<Sites> {
  const known = new RecentMap<SiteRow>(knownMax)
  const firsts = new RecentMap<string>(knownMax)
  /** Counts changes, so that a row read before one is not remembered after it. */
  let changes = 0
  const forget = (siteId: string) => {
    changes += 1
    known.delete(siteId)
    firsts.clear()
  }
  const forgetAll = () => {
    changes += 1
    known.clear()
    firsts.clear()
  }
  await control.listen(channel, forget, forgetAll)

  async function find(siteId: string): Promise<SiteRow | null> {
    // Postgres refuses a text with this character rather than not finding it.
    if (siteId.includes('\0')) return null
    const cached = known.get(siteId)
    if (cached) return cached
    const before = changes
    const row = await selectSite(control, siteId)
    if (row && before === changes) known.set(siteId, row)
    return row
  }

  const cachedOf = (workspaceId: string) =>
    [...known.entries()].filter(([, site]) => site.workspace_id === workspaceId).map(([siteId]) => siteId)

  const own: Sites['own'] = async (workspaceId, siteId) => {
    const site = await find(siteId)
    return site?.workspace_id === workspaceId ? site : null
  }
  return {
    own,
    byToken: async (siteId, token) => {
      const site = await find(siteId)
      if (site === null || isClosed(site.workspace_id)) return null
      return sameSecret(site.ingest_token, token) ? site : null
    },
    first: async (workspaceId) => {
      const cached = firsts.get(workspaceId)
      if (cached !== undefined) return own(workspaceId, cached)
      const before = changes
      const [site] = await selectSites(control, workspaceId, null, 1)
      if (site && before === changes) {
        firsts.set(workspaceId, site.id)
        known.set(site.id, site)
      }
      return site ?? null
    },
    changed: async (siteId) => {
      // At once here; the word from the store reaches the other nodes, and us again, a moment later.
      forget(siteId)
      await control.notify(channel, siteId)
    },
    cachedOf,
    forgetWorkspace: (workspaceId) => {
      firsts.delete(workspaceId)
      for (const siteId of cachedOf(workspaceId)) forget(siteId)
    },
  }
}

/** Hashing first makes the lengths equal, which the comparison in constant time needs. */
function sameSecret(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(a), digest(b))
}

/** More than any workspace has; a read of all sites at once is bounded by it. */
export const sitesMax = 1_000

/** Every site of a workspace, for what is about the workspace as a whole. */
export function allSites(sql: Sql, workspaceId: string): Promise<SiteRow[]> {
  return selectSites(sql, workspaceId, null, sitesMax)
}

/** Of every workspace: sites that do not keep their events forever. */
export function sitesWithRetention(sql: Sql): Promise<SiteRow[]> {
  return selectSitesWithRetention(sql)
}

/** Written down before anything goes, so that no read shows a cut without a word. */
export async function noteRemovedBefore(
  control: Control,
  sites: Sites,
  siteId: string,
  before: Date,
): Promise<void> {
  await updateRemovedBefore(control, siteId, before)
  await sites.changed(siteId)
}

/** The site of that workspace; the same `not-found` where there is none and where it is another's. */
export type RequireSite = (workspaceId: string, siteId: string) => Promise<SiteRow>

export async function requireSite(sites: Sites, workspaceId: string, siteId: string): Promise<SiteRow> {
  const site = await sites.own(workspaceId, siteId)
  if (site === null) throw unknownSite()
  return site
}

export function unknownSite(): Problem {
  return new Problem('not-found', { detail: 'There is no such site.' })
}

export function toSite(row: SiteRow, withToken: boolean): Site {
  return {
    id: row.id,
    name: row.name,
    domain: row.domain,
    timezone: row.timezone,
    currency: row.currency,
    consentRegime: row.consent_regime,
    onDenied: row.on_denied,
    eventRetentionDays: row.event_retention_days,
    retainedSince: row.events_removed_before?.toISOString() ?? null,
    status: 'active',
    ...(withToken && { ingestToken: row.ingest_token }),
    createdAt: row.created_at.toISOString(),
  }
}
