import { sessionOfRow } from './event-session.ts'
import type { OpenSessionRow } from './session-store.ts'
import type { Sessions } from './sessions.ts'

/**
 * Takes up the sessions of the store, which come in the order of their ends, and those of events that are not in the
 * store yet, as if all came at once.
 */
export async function restoreSessions(
  sessions: Pick<Sessions, 'restore'>,
  stored: AsyncIterable<readonly OpenSessionRow[]>,
  pending: readonly OpenSessionRow[],
): Promise<void> {
  const waiting = pending.map(sessionOfRow).sort((one, other) => one.lastTs - other.lastTs)
  let next = 0
  for await (const rows of stored) {
    const some = rows.map(sessionOfRow)
    const endMs = some.at(-1)?.lastTs ?? 0
    for (let one = waiting[next]; one !== undefined && one.lastTs < endMs; one = waiting[next]) {
      some.push(one)
      next += 1
    }
    sessions.restore(some)
  }
  sessions.restore(waiting.slice(next))
}
