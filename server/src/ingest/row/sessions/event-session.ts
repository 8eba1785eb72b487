import type { RawEvent } from '@assay/contract'
import type { Sender } from '../../validation.ts'
import type { Placed } from '../line-facts.ts'
import { isFromDevice, isKnownPerson, visitorKey } from '../original-person.ts'
import type { OpenSessionRow } from './session-store.ts'
import type { SessionRow, Sessions } from './sessions.ts'
import type { SharedSessions } from './shared-sessions.ts'

/**
 * A server's event about a known person joins the session open on their device, so that a purchase booked by
 * the server belongs to the visit that led to it.
 */
export function sessionOf(
  event: RawEvent,
  siteId: string,
  tsMs: number,
  { personId, resolvedBy }: Pick<Placed, 'personId' | 'resolvedBy'>,
  { keyClass }: Pick<Sender, 'keyClass'>,
  sessions: Sessions,
  noteSession: SharedSessions['note'],
): string {
  const isPublic = keyClass === 'public'
  const isDevice = isFromDevice(event.anonymousId, isPublic)
  const isKnown = isKnownPerson(resolvedBy)
  const open = isKnown && !isDevice ? sessions.openOf(siteId, personId, tsMs) : undefined
  const visitor = visitorKey(event.anonymousId, personId, isPublic)
  const whose = isKnown && isDevice ? personId : undefined
  const { sessionId } = sessions.assign(siteId, visitor, tsMs, event.sessionId ?? open, whose)
  if (isKnown)
    noteSession({ siteId, visitorKey: visitor, sessionId, firstTs: tsMs, lastTs: tsMs, personId: whose })
  return sessionId
}

/** A session of the store or of the log, as the visitor continues it. */
export function sessionOfRow(row: OpenSessionRow): SessionRow {
  const isPublic = row.is_public === 1
  const isTheirs = isKnownPerson(row.resolved_by) && isFromDevice(row.anonymous_id, isPublic)
  return {
    siteId: row.site_id,
    visitorKey: visitorKey(row.anonymous_id, row.person_id, isPublic),
    sessionId: row.session_id,
    firstTs: row.first_ms,
    lastTs: row.last_ms,
    personId: isTheirs ? row.person_id : undefined,
  }
}
