import { createSite, getSite, listSites, rotateSiteToken, updateSite } from '@assay/contract'
import type { Principal } from '../http/access/principal.ts'
import { type Plane, serve } from '../http/serve.ts'
import { pageDefault, pageOf } from '../platform/page.ts'
import type { Platform } from '../platform/platform.ts'
import {
  createSiteRow,
  domainTaken,
  newSiteToken,
  readDomain,
  requireSite,
  requireTimezone,
  type SiteRow,
  type Sites,
  toSite,
} from './sites.ts'
import { selectSiteByDomain, selectSites, updateSiteRow } from './store.ts'

type Needs = Pick<Platform, 'control' | 'newId' | 'now'> & { sites: Sites }

export function siteRoutes(plane: Plane, { control, sites, newId, now }: Needs): void {
  serve(plane, listSites, async ({ query, caller }) => {
    const limit = query.limit ?? pageDefault
    const rows =
      caller.siteId === null
        ? await selectSites(control, caller.workspaceId, query.cursor ?? null, limit + 1)
        : await onlySite(sites, caller.workspaceId, caller.siteId, query.cursor)
    const { page, next } = pageOf(rows, limit, ({ id }) => id)
    return {
      data: page.map((row) => toSite(row, seesToken(caller))),
      nextCursor: next,
    }
  })

  serve(plane, getSite, async ({ params, caller }) =>
    toSite(await requireSite(sites, caller.workspaceId, params.id), seesToken(caller)),
  )

  serve(plane, createSite, async ({ body, caller }) => {
    const site = await createSiteRow(control, newId, now, {
      workspaceId: caller.workspaceId,
      name: body.name,
      domain: body.domain,
      timezone: body.timezone ?? 'UTC',
      currency: body.currency ?? null,
      consentRegime: body.consentRegime ?? null,
      onDenied: body.onDenied ?? 'reject',
      eventRetentionDays: body.eventRetentionDays ?? null,
    })
    await sites.changed(site.id)
    return toSite(site, seesToken(caller))
  })

  serve(plane, updateSite, async ({ params, body, caller }) => {
    const site = await requireSite(sites, caller.workspaceId, params.id)
    const { consentRegime, onDenied, eventRetentionDays, ...plain } = body
    const changed = {
      ...site,
      ...plain,
      ...(consentRegime !== undefined && { consent_regime: consentRegime }),
      ...(onDenied !== undefined && { on_denied: onDenied }),
      ...(eventRetentionDays !== undefined && { event_retention_days: eventRetentionDays }),
      ...(body.domain !== undefined && { domain: readDomain(body.domain) }),
    }
    requireTimezone(changed.timezone)
    const holder = await selectSiteByDomain(control, caller.workspaceId, changed.domain)
    if (holder !== null && holder.id !== site.id) throw domainTaken(changed.domain)
    await updateSiteRow(control, changed)
    await sites.changed(site.id)
    return toSite(changed, seesToken(caller))
  })

  serve(plane, rotateSiteToken, async ({ params, caller }) => {
    const site = await requireSite(sites, caller.workspaceId, params.id)
    const changed = { ...site, ingest_token: newSiteToken() }
    await updateSiteRow(control, changed)
    await sites.changed(site.id)
    return toSite(changed, seesToken(caller))
  })
}

/** All that there is for a key that is bound to a site, on the first page. */
async function onlySite(
  sites: Sites,
  workspaceId: string,
  siteId: string,
  cursor: string | undefined,
): Promise<SiteRow[]> {
  const site = cursor === undefined ? await sites.own(workspaceId, siteId) : null
  return site === null ? [] : [site]
}

/**
 * The token allows sending events. Callers who may change the site can create a new one, so they see it; no
 * one else does.
 */
function seesToken(caller: Principal): boolean {
  const mayWrite = caller.scopes.includes('*') || caller.scopes.includes('sites:write')
  return mayWrite && (caller.kind === 'person' || caller.keyKind === 'live' || caller.keyKind === 'secret')
}
