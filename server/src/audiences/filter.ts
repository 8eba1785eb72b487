import { wasReversedSince } from '../identity/ledger/position.ts'
import type { QueryParams } from '../store/events.ts'
import { type AudienceWorld, noAudience, refreshAudience, requireAudience } from './audiences.ts'
import { memberCondition } from './member-store.ts'

/**
 * A condition on `person_key` of the event source: the current people of an audience of this site. The
 * statement itself follows merges; after a reversal members are counted again first.
 */
export async function audienceCondition(
  world: AudienceWorld,
  workspaceId: string,
  siteId: string,
  audienceId: string,
): Promise<{ sql: string; params: QueryParams }> {
  const { control, people } = world
  const row = await requireAudience(control, workspaceId, audienceId)
  if (row.site_id !== siteId) throw noAudience()
  const isOutdated = row.status === 'active' && (await wasReversedSince(control, workspaceId, row.ledger_seq))
  if (isOutdated) await refreshAudience(world, row)
  return memberCondition({ workspaceId, audienceId, hasMerges: await people.mapping.isUsed(workspaceId) })
}
