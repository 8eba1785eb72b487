import { createSite, getSite, listSites, rotateSiteToken, updateSite } from '@assay/contract'
import type { Deps } from '../deps.ts'
import type { Principal } from '../http/principal.ts'
import { type Plane, serve } from '../http/serve.ts'
import {
  createSiteRow,
  domainTaken,
  newSiteToken,
  readDomain,
  requireSite,
  requireTimezone,
  toSite,
} from './sites.ts'
import { selectSiteByDomain, selectSites, updateSiteRow } from './store.ts'

const pageDefault = 50

export function siteRoutes(plane: Plane, { control, sites, newId, now }: Deps): void {
  serve(plane, listSites, async ({ query, caller }) => {
    const limit = query.limit ?? pageDefault
    const rows = await selectSites(control, caller.workspaceId, query.cursor ?? null, limit + 1)
    const page = rows.slice(0, limit)
    return {
      data: page.map((row) => toSite(row, seesToken(caller))),
      nextCursor: rows.length > limit ? (page.at(-1)?.id ?? null) : null,
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
      currency: body.currency ?? 'EUR',
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

/** A read-only key must not be able to send events by way of the token; a person sees it who may also change it. */
function seesToken(caller: Principal): boolean {
  if (caller.kind === 'person') return caller.scopes.includes('*') || caller.scopes.includes('sites:write')
  return caller.keyKind === 'live' || caller.keyKind === 'secret'
}
