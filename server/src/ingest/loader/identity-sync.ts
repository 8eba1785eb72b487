import { isRecord } from '@assay/contract'
import type { Observing } from '../../identity/event-sync.ts'
import type { Events } from '../../store/events.ts'
import { type Staged, selectStagedIdentifies, selectStagedTies } from './staged-store.ts'

export type Observer = Pick<Observing, 'observe' | 'keepTraits'>

/** Passes to identity which identifiers came together, and the traits of identify events. */
export async function observeStaged(
  events: Events,
  staging: string,
  { ties, identifies }: Staged,
  observer: Observer,
): Promise<void> {
  if (ties > 0) {
    const rows = await selectStagedTies(events, staging)
    await observer.observe(
      rows.map((row) => ({
        workspaceId: row.workspace_id,
        originalId: row.person_id,
        userId: row.user_id,
        anonymousId: row.anonymous_id,
        isByUserId: row.resolved_by === 'user_id',
        eventId: row.event_id,
      })),
    )
  }
  if (identifies > 0) {
    const rows = await selectStagedIdentifies(events, staging)
    await observer.keepTraits(
      rows.map((row) => ({
        workspaceId: row.workspace_id,
        originalId: row.person_id,
        traits: traitsIn(row.properties),
        ms: Number(row.ts),
      })),
    )
  }
}

/** The user id is among the properties of an identify event; it is an identifier, not a trait. */
function traitsIn(properties: string): Record<string, unknown> {
  const parsed: unknown = JSON.parse(properties)
  if (!isRecord(parsed)) return {}
  const { user_id: _, ...traits } = parsed
  return traits
}
