import { isRecord, type RawEvent } from '@assay/contract'
import type { Clock, NewId } from '../../platform/clock.ts'
import type { Control } from '../../store/control.ts'
import type { Events } from '../../store/events.ts'
import type { FirstClaim } from '../dedup/claim.ts'
import { type Enriched, enrichEvent } from '../enrich/enrich.ts'
import type { Judged, Sender } from '../validation.ts'
import { nowhere, withoutPerson, withoutVisitor } from './anonymous-event.ts'
import { selectLastArrival } from './arrival-store.ts'
import { type Arrivals, createArrivals } from './arrivals.ts'
import { lineFacts, type Placed, storedEndpoint, worstCode } from './line-facts.ts'
import { originalPerson } from './original-person.ts'
import { heldJson } from './quarantined-event.ts'
import { eventLine, tallyLine } from './row.ts'
import { sessionOf } from './sessions/event-session.ts'
import { restoreSessions } from './sessions/restore.ts'
import { type OpenSessionRow, readOpenSessions } from './sessions/session-store.ts'
import { createSessions, type Sessions } from './sessions/sessions.ts'
import { type SharedSessions, shareSessions } from './sessions/shared-sessions.ts'

/** Builds the log line of a validated event. */
export type Lines = {
  stored: (judged: Judged, sender: Sender, receivedMs: number, claim: FirstClaim) => string
  rejected: (judged: Judged, sender: Sender) => string
  repeated: (judged: Judged, sender: Sender, firstOutcome: string) => string
  /** Evicts the visitors of a deleted site. */
  forgetSite: (siteId: string) => void
  close: () => void
}

const idleMsMax = 30 * 60_000
/** Visitors whose session may still continue; each takes about 200 bytes. */
const visitorsMax = 200_000
/** With the five events of an average visit. */
const eventsMax = 5 * visitorsMax

type LinesOptions = {
  control: Control
  events: Events
  personKeyOf: (workspaceId: string) => string
  now: Clock
  newId: NewId
  /** Called with an event's original person, since it takes a moment until it can be queried. */
  noteSeen: (workspaceId: string, personId: string, ms: number) => void
  /** Of events that are not in the store yet. */
  pending: { sessions: readonly OpenSessionRow[]; lastArrival: number }
}

export async function createLines(options: LinesOptions): Promise<Lines> {
  const { control, events, personKeyOf, now, newId, noteSeen, pending } = options
  const sessions = createSessions({ idleMsMax, visitorsMax })
  // Twice the idle time, since events come late.
  const restore = (ofLog: readonly OpenSessionRow[]) => {
    const most = { events: eventsMax, sessions: visitorsMax }
    return restoreSessions(sessions, readOpenSessions(events, now() - 2 * idleMsMax, most), ofLog)
  }
  await restore(pending.sessions)
  // Sessions of other nodes that were missed will be in the store soon.
  const catchUp = () => void restore([]).catch(() => {})
  const shared = await shareSessions(control, sessions, newId('run'), catchUp)
  const stored = await selectLastArrival(events, now() - 2 * idleMsMax)
  const arrivals = createArrivals(Math.max(stored, pending.lastArrival))
  const known = { personKeyOf, sessions, arrivals, noteSeen, noteSession: shared.note }
  return {
    close: shared.close,
    stored: (judged, sender, receivedMs, claim) => storedLine(judged, sender, receivedMs, claim, known),
    rejected: (judged, sender) => tally(judged, sender, judged.verdict.outcome, worstCode(judged.verdict), 0),
    repeated: (judged, sender, firstOutcome) => tally(judged, sender, firstOutcome, '', 1),
    forgetSite: (siteId) => sessions.forget(siteId),
  }
}

function tally(
  { site, verdict }: Judged,
  { workspaceId }: Sender,
  outcome: string,
  code: string,
  repeats: number,
): string {
  return tallyLine({
    workspaceId,
    siteId: site.id,
    tsMs: verdict.ts,
    name: verdict.name,
    outcome,
    code,
    repeats,
  })
}

type Known = {
  personKeyOf: (workspaceId: string) => string
  sessions: Sessions
  arrivals: Arrivals
  noteSeen: (workspaceId: string, personId: string, ms: number) => void
  noteSession: SharedSessions['note']
}

function storedLine(
  judged: Judged,
  sender: Sender,
  receivedMs: number,
  claim: FirstClaim,
  { personKeyOf, sessions, arrivals, noteSeen, noteSession }: Known,
): string {
  const { site, verdict } = judged
  if (judged.event === null) return ''
  const event = withSignal(judged.event, sender)
  const sent = { name: verdict.name, properties: verdict.properties, context: event.context }
  const enriched = enrichEvent(sent, sender.facts, site, judged.program)
  const arrival = arrivals.next(receivedMs)
  if (verdict.isAnonymised) {
    const anonymous = { ...judged, event: withoutPerson(event) }
    const placed = { ...nowhere, arrival }
    return lineOf(anonymous, anonymous.event, sender, receivedMs, claim, placed, withoutVisitor(enriched))
  }
  const { personId, resolvedBy } = originalPerson(personKeyOf(sender.workspaceId), event)
  const whose = { personId, resolvedBy }
  const sessionId = sessionOf(event, site.id, verdict.ts, whose, sender, sessions, noteSession)
  const placed = { personId, resolvedBy, sessionId, arrival }
  if (verdict.outcome !== 'quarantine') noteSeen(sender.workspaceId, personId, verdict.ts)
  return lineOf(judged, event, sender, receivedMs, claim, placed, enriched)
}

function lineOf(
  judged: Judged,
  event: RawEvent,
  sender: Sender,
  receivedMs: number,
  claim: FirstClaim,
  placed: Placed,
  enriched: Enriched,
): string {
  const endpoint = storedEndpoint(event, sender)
  const facts = lineFacts(judged, event, sender, endpoint, receivedMs, claim, placed)
  if (judged.verdict.outcome !== 'quarantine') return eventLine(facts, enriched)
  const held = heldJson(judged, sender, receivedMs, enriched, placed)
  const none = { properties: '', setAside: '', context: '', foldedTitle: '', foldedCulprit: '' } as const
  return eventLine({ ...facts, ...none, held }, enriched)
}

/** The browser's privacy signal came as a header; destinations need to know it later. */
function withSignal(event: RawEvent, { facts: { gpc } }: Sender): RawEvent {
  if (!gpc) return event
  const { consent } = event.context
  return { ...event, context: { ...event.context, consent: { ...(isRecord(consent) ? consent : {}), gpc } } }
}
