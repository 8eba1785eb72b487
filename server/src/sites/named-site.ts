import { isRecord, Problem } from '@assay/contract'
import type { Principal } from '../http/access/principal.ts'
import type { SiteRow, Sites } from './sites.ts'

/** The site that an event or the envelope around it names. */
export function siteNamedBy(input: unknown): string | undefined {
  if (!isRecord(input)) return undefined
  const named = input.site_id ?? input.siteId
  return typeof named === 'string' ? named : undefined
}

/** The site of a key that is bound to one; else the one that is named; else the workspace's first. */
export async function siteForKey(
  sites: Sites,
  caller: Principal,
  named: string | undefined,
): Promise<SiteRow> {
  const isElsewhere = caller.siteId !== null && named !== undefined && named !== caller.siteId
  const wanted = caller.siteId ?? named
  const site =
    wanted === undefined ? await sites.first(caller.workspaceId) : await sites.own(caller.workspaceId, wanted)
  if (site !== null && !isElsewhere) return site
  throw new Problem('not-found', { detail: 'There is no such site, or this key is bound to another one.' })
}
