import {
  getBackfill,
  listBackfills,
  type QuarantinedOfSource,
  startBackfill,
  withdrawBackfill,
} from '@assay/contract'
import { type Plane, serve } from '../../http/serve.ts'
import { pageDefault } from '../../platform/page.ts'
import type { Platform } from '../../platform/platform.ts'
import type { RequireSite, SiteRow } from '../../sites/sites.ts'
import type { QuarantinedEvents } from '../contracts/quarantine-port.ts'
import { findRule, type SiteRule } from '../mappings/mappings.ts'
import type { Backfills } from './backfills.ts'

export type BackfillNeeds = Pick<Platform, 'control'> & {
  backfills: Backfills
  held: QuarantinedEvents
  requireSite: RequireSite
}

export function backfillRoutes(plane: Plane, { control, backfills, held, requireSite }: BackfillNeeds): void {
  serve(plane, startBackfill, async ({ params, body, caller: { workspaceId } }) => {
    const { siteId, dryRun = false, ...range } = body
    if (siteId !== undefined) await requireSite(workspaceId, siteId)
    const rule = await findRule(control, workspaceId, params.id, siteId)
    const site = await requireSite(workspaceId, rule.row.site_id)
    const answer = await (dryRun ? backfills.preview(site, rule, range) : backfills.start(site, rule, range))
    return { ...answer, held: await quarantinedOf(held, site, rule) }
  })

  serve(plane, listBackfills, async ({ query, caller: { workspaceId } }) => {
    await requireSite(workspaceId, query.siteId)
    return backfills.list(workspaceId, query.siteId, query.cursor ?? null, query.limit ?? pageDefault)
  })

  serve(plane, getBackfill, ({ params, caller }) => backfills.get(caller.workspaceId, params.id))

  serve(plane, withdrawBackfill, ({ params, caller }) => backfills.withdraw(caller.workspaceId, params.id))
}

/** Says why a back-fill may find less than its caller expects: what is quarantined is not stored. */
async function quarantinedOf(
  held: QuarantinedEvents,
  site: SiteRow,
  { row }: SiteRule,
): Promise<QuarantinedOfSource> {
  const { events, names } = await held.waiting(
    { workspaceId: site.workspace_id, siteId: site.id },
    row.source_key,
  )
  const message =
    events === 0
      ? null
      : `${events} events of this name are quarantined, and a back-fill is about stored ones. ` +
        'Release them: they pass the gate again, by this rule.'
  const release = names.map((event) => ({
    method: 'POST' as const,
    path: '/v1/quarantine/release' as const,
    body: { filter: { event, site_id: site.id } },
  }))
  return { events, names: [...names], message, release }
}
