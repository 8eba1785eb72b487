import { setTimeout as wait } from 'node:timers/promises'
import type { Freshness } from '../../http/fresh-read.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Writer } from '../loader/loader.ts'
import type { EventLog } from '../wal/event-log.ts'

/** What waits is what this node acknowledged; a read that waits does so for the events of every node. */
export function createFreshness(
  log: Pick<EventLog, 'waitingOf' | 'isShared'>,
  writer: Pick<Writer, 'flush'>,
  now: Clock,
): Freshness {
  const released = new AbortController()
  return {
    of(workspaceId) {
      const waiting = log.waitingOf(workspaceId)
      if (waiting === null) return { dataUntilMs: now(), pendingEvents: 0 }
      // Segments of an earlier run are named by a clock that may have been set back since.
      return { dataUntilMs: Math.min(waiting.sinceMs, now()), pendingEvents: waiting.events }
    },
    async wait(workspaceId, msMax) {
      // Nothing of the workspace waits, so no flush is needed.
      if (released.signal.aborted || (!log.isShared && log.waitingOf(workspaceId) === null)) return
      const ended = new AbortController()
      const signal = AbortSignal.any([released.signal, ended.signal])
      const timeout = wait(msMax, undefined, { signal }).catch(() => {})
      // The log itself reports that it cannot be written; the read answers with what there is.
      const loaded = writer.flush(msMax).catch(() => false)
      await Promise.race([loaded, timeout]).finally(() => ended.abort())
    },
    release: () => released.abort(),
  }
}
