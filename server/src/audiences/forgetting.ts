import type { Events } from '../store/events.ts'
import { deleteMembersOf } from './member-store.ts'

/** Takes somebody, given by all their ids as born, out of every audience, for good. May be repeated. */
export function forgetMembers(
  events: Events,
  workspaceId: string,
  bornIds: readonly string[],
): Promise<void> {
  return deleteMembersOf(events, workspaceId, bornIds)
}
