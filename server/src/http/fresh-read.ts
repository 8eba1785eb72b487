import { type Fresh, type FreshNames, readWaitMax } from '@assay/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** How far the store has come for a workspace. */
export type Standing = {
  /** Everything that was acknowledged before is in the store. */
  dataUntilMs: number
  /** Acknowledged, and not in the store yet. */
  pendingEvents: number
}

export type Freshness = {
  /** What a read that begins now will have at least. */
  of: (workspaceId: string) => Standing
  /** Until everything acknowledged before the call is in the store, or the time is over. */
  wait: (workspaceId: string, msMax: number) => Promise<void>
  /** Lets everybody go on who waits. */
  release: () => void
}

/** How far the answer to a read reaches, while it is made. */
export type FreshRead = {
  /** The caller wants everything that was acknowledged before: no older answer will do. */
  isAwaited: boolean
  /** Everything that was acknowledged before this is in what is read from now on. */
  dataUntilMs: () => number
  /** What is answered was made of events up to then. */
  reachesUntil: (ms: number) => void
}

export type OpenRead = { read: FreshRead; members: () => Fresh }

/**
 * Begins a read: waits where the caller prefers to, and notes how far the store has come before anything is read, so
 * that the answer holds at least that.
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
        // Where the answer is a file, it is sent before it comes back here.
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

/** RFC 7240: preferences are separated by commas, and one that is not understood is passed over. */
export function preferredWait(prefer: string | string[] | undefined): number | null {
  if (prefer === undefined) return null
  const preferences = [prefer].flat().flatMap((line) => line.split(','))
  for (const preference of preferences) {
    const [, seconds] = /^\s*wait\s*=\s*"?(\d{1,9})"?\s*(?:;.*)?$/i.exec(preference) ?? []
    if (seconds !== undefined) return Math.min(Number(seconds), readWaitMax)
  }
  return null
}
