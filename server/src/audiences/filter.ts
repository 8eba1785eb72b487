import { audiencesMax } from '@assay/contract'
import { wasReversedSince } from '../identity/ledger/position.ts'
import type { QueryParams } from '../store/events.ts'
import { type AudienceWorld, noAudience, refreshAudience, requireAudience } from './audiences.ts'
import { memberCondition, membershipRows, type NamedAudience } from './member-store.ts'
import { type AudienceRow, selectAudiences } from './store.ts'

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
  await countAfterReversal(world, row)
  return memberCondition({ workspaceId, audienceId, hasMerges: await people.mapping.isUsed(workspaceId) })
}

async function countAfterReversal(world: AudienceWorld, row: AudienceRow): Promise<void> {
  const { workspace_id: workspaceId, ledger_seq: seq, status } = row
  if (status !== 'active' || !(await wasReversedSince(world.control, workspaceId, seq))) return
  await refreshAudience(world, row)
}

/** Rows of `person_key` and `name`: who is in which audience of this site, as a source of a statement. */
export async function audienceMemberships(
  world: AudienceWorld,
  workspaceId: string,
  siteId: string,
): Promise<{ sql: string; params: QueryParams }> {
  const rows = await selectAudiences(world.control, workspaceId, siteId, '', audiencesMax)
  for (const row of rows) await countAfterReversal(world, row)
  return membershipRows(workspaceId, rows, await world.people.mapping.isUsed(workspaceId))
}

/** The audiences of a site, by name. */
export async function namedAudiences(
  { control }: Pick<AudienceWorld, 'control'>,
  workspaceId: string,
  siteId: string,
): Promise<NamedAudience[]> {
  const rows = await selectAudiences(control, workspaceId, siteId, '', audiencesMax)
  return rows.map(({ id, name }) => ({ id, name })).sort((one, other) => (one.name < other.name ? -1 : 1))
}
