import { setInterval as every } from 'node:timers'
import { isRecord } from '@assay/contract'
import { RecentMap } from '../../../platform/recent-map.ts'
import type { Control } from '../../../store/control.ts'
import type { SessionRow, Sessions } from './sessions.ts'

export const sessionsChannel = 'assay_sessions'
/** How late another node learns of a session; a purchase rarely follows its page that soon. */
const shareMs = 250
/** A continuing session is shared again after this time: a small part of the idle time. */
const againMs = 60_000
/** Sessions that were shared; an evicted one is shared again. */
const sharedMax = 50_000
/** Sessions that wait to be shared; others are shared when they continue. */
const waitingMax = 5_000
/** Postgres accepts 8,000 bytes per message. */
const messageBytesMax = 7_500

export type SharedSessions = { note: (session: SessionRow) => void; close: () => void }

/**
 * A visit and the server that books its purchase may reach different nodes. So each node publishes the
 * sessions of known people, a few times per second, so that no event waits for it. `missed` is called when
 * messages of others may have been missed.
 */
export async function shareSessions(
  control: Control,
  sessions: Pick<Sessions, 'restore'>,
  from: string,
  missed: () => void,
): Promise<SharedSessions> {
  if (!control.shared) return { note: () => {}, close: () => {} }
  await control.listen(
    sessionsChannel,
    (payload) => {
      const told = readMessage(payload)
      if (told !== null && told.from !== from) sessions.restore(told.rows)
    },
    missed,
  )
  const shared = new RecentMap<number>(sharedMax)
  // bounded: by waitingMax.
  let waiting = new Map<string, SessionRow>()
  const timer = every(() => {
    const rows = [...waiting.values()]
    waiting = new Map()
    for (const message of messagesOf(from, rows)) control.notify(sessionsChannel, message).catch(() => {})
  }, shareMs)
  timer.unref()
  return {
    note(session) {
      const key = [session.siteId, session.visitorKey, session.sessionId, session.personId ?? ''].join(' ')
      const sharedMs = shared.get(key)
      if (sharedMs !== undefined && Math.abs(session.lastTs - sharedMs) < againMs) return
      if (waiting.size >= waitingMax) return
      shared.set(key, session.lastTs)
      waiting.set(`${key} ${session.lastTs}`, session)
    },
    close: () => clearInterval(timer),
  }
}

function messagesOf(from: string, rows: readonly SessionRow[]): string[] {
  if (rows.length === 0) return []
  const message = JSON.stringify({ from, rows })
  if (Buffer.byteLength(message) <= messageBytesMax) return [message]
  // Identifiers are bounded, but all of them together may exceed one message: such a session is not shared.
  if (rows.length === 1) return []
  const half = rows.length >> 1
  return [...messagesOf(from, rows.slice(0, half)), ...messagesOf(from, rows.slice(half))]
}

/** A node of another release may use another format, which is ignored. */
function readMessage(payload: string): { from: string; rows: SessionRow[] } | null {
  try {
    const told: unknown = JSON.parse(payload)
    if (!isRecord(told) || typeof told.from !== 'string' || !Array.isArray(told.rows)) return null
    return { from: told.from, rows: told.rows.filter(isSession) }
  } catch {
    return null
  }
}

function isSession(row: unknown): row is SessionRow {
  if (!isRecord(row)) return false
  const texts = [row.siteId, row.visitorKey, row.sessionId, row.personId ?? '']
  const times = [row.firstTs, row.lastTs]
  return texts.every((text) => typeof text === 'string') && times.every((time) => Number.isSafeInteger(time))
}
