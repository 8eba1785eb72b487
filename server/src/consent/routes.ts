import { getConsent, listConsents, recordConsent } from '@assay/contract'
import { chargeSent, type Plane, serve, showAllowance } from '../http/serve.ts'
import type { People } from '../identity/people.ts'
import type { Platform } from '../platform/platform.ts'
import { siteForKey } from '../sites/named-site.ts'
import type { RequireSite, Sites } from '../sites/sites.ts'
import { readConsent, readConsents } from './history.ts'
import { readInstant, writeConsent } from './records.ts'
import type { Subjects } from './subjects.ts'

type Needs = Pick<Platform, 'control' | 'now' | 'newId'> & {
  people: People
  subjects: Subjects
  sites: Sites
  requireSite: RequireSite
}

export function consentRoutes(
  plane: Plane,
  { control, people, subjects, sites, requireSite, now, newId }: Needs,
): void {
  const world = { control, people, subjects, now, newId }

  serve(plane, recordConsent, async ({ body, caller, request, reply }) => {
    const site = await siteForKey(sites, caller, body.site_id)
    showAllowance(reply, chargeSent(plane, caller, request, site.id, 1))
    return writeConsent(world, caller, site, body)
  })

  serve(plane, getConsent, async ({ params, query, caller: { workspaceId } }) => {
    const site =
      query.site_id === undefined
        ? await sites.first(workspaceId)
        : await requireSite(workspaceId, query.site_id)
    const atMs = query.at === undefined ? now() : readInstant('at', query.at)
    const reader = { people, workspaceId, personId: params.personId }
    return readConsent(reader, site?.consent_regime ?? null, atMs)
  })

  serve(plane, listConsents, ({ params, query, caller: { workspaceId } }) =>
    readConsents({ people, workspaceId, personId: params.personId }, query),
  )
}
