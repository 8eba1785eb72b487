import { setTimeout as wait } from 'node:timers/promises'
import type { Clock } from '../clock.ts'
import type { Freshness } from '../http/fresh-read.ts'
import type { EventLog } from './log.ts'
import type { Writer } from './writer.ts'

/** The log of this node is what it knows: another node's events are its own to report. */
export function createFreshness(
  log: Pick<EventLog, 'waitingOf'>,
  writer: Pick<Writer, 'flush'>,
  now: Clock,
): Freshness {
  const released = new AbortController()
  return {
    of(workspaceId) {
      const waiting = log.waitingOf(workspaceId)
      if (waiting === null) return { dataUntilMs: now(), pendingEvents: 0 }
      return { dataUntilMs: waiting.sinceMs, pendingEvents: waiting.events }
    },
    async wait(workspaceId, msMax) {
      // Nothing of it waits, so nothing has to be hurried.
      if (log.waitingOf(workspaceId) === null || released.signal.aborted) return
      const ended = new AbortController()
      const signal = AbortSignal.any([released.signal, ended.signal])
      const timeout = wait(msMax, undefined, { signal }).catch(() => {})
      await Promise.race([writer.flush(msMax), timeout]).finally(() => ended.abort())
    },
    release: () => released.abort(),
  }
}
