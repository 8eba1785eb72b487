import { type Fresh, type FreshNames, readWaitMax } from '@assay/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** How fresh the store is for a workspace. */
type PendingState = {
  /** Everything acknowledged before this is in the store. */
  dataUntilMs: number
  /** Acknowledged, but not in the store yet. */
  pendingEvents: number
}

export type Freshness = {
  /** What a read that starts now will contain at least. */
  of: (workspaceId: string) => PendingState
  /** Waits until everything acknowledged before the call is in the store, or until the time-out. */
  wait: (workspaceId: string, msMax: number) => Promise<void>
  /** Releases all waiting callers. */
  release: () => void
}

/** Freshness of one read. */
export type FreshRead = {
  /** The caller requires everything acknowledged before: a cached answer will not do. */
  isAwaited: boolean
  /** Everything acknowledged before this is in what is read from now on. */
  dataUntilMs: () => number
  /** Records that the answer was computed from events up to then. */
  reachesUntil: (ms: number) => void
}

type OpenRead = { read: FreshRead; members: () => Fresh }

/**
 * Starts a read: waits if the caller prefers to, and records the freshness before anything is read, so that
 * the answer contains at least that.
 */
export async function openRead(
  freshness: Freshness,
  names: FreshNames,
  workspaceId: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<OpenRead> {
  const seconds = preferredWait(request.headers.prefer)
  if (seconds !== null) {
    await freshness.wait(workspaceId, seconds * 1_000)
    reply.header('preference-applied', `wait=${seconds}`)
  }
  const { dataUntilMs, pendingEvents } = freshness.of(workspaceId)
  let untilMs = dataUntilMs
  const show = () => {
    const dataUntil = new Date(untilMs).toISOString()
    reply.headers({ 'x-data-until': dataUntil, 'x-pending-events': String(pendingEvents) })
    return dataUntil
  }
  show()
  return {
    read: {
      isAwaited: seconds !== null,
      dataUntilMs: () => freshness.of(workspaceId).dataUntilMs,
      reachesUntil: (ms) => {
        untilMs = Math.min(untilMs, ms)
        // An answer that is a file is sent before the handler returns.
        show()
      },
    },
    members: () => {
      const dataUntil = show()
      return names === 'camel'
        ? { dataUntil, pendingEvents }
        : { data_until: dataUntil, pending_events: pendingEvents }
    },
  }
}

/** RFC 7240: preferences are separated by commas, and unknown ones are ignored. */
export function preferredWait(prefer: string | string[] | undefined): number | null {
  if (prefer === undefined) return null
  const preferences = [prefer].flat().flatMap((line) => line.split(','))
  for (const preference of preferences) {
    const [, seconds] = /^\s*wait\s*=\s*"?(\d{1,9})"?\s*(?:;.*)?$/i.exec(preference) ?? []
    if (seconds !== undefined) return Math.min(Number(seconds), readWaitMax)
  }
  return null
}
