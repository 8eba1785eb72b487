import { isRecord, learningCodes, type RawEvent, type Verdict } from '@assay/contract'
import type { Clock, NewId } from '../../platform/clock.ts'
import { foldedErrorOf } from '../../registry/folded-error.ts'
import { moneyOf } from '../../registry/judged-columns.ts'
import type { Control } from '../../store/control.ts'
import type { Events } from '../../store/events.ts'
import type { FirstClaim } from '../dedup/claim.ts'
import { type Enriched, enrichEvent } from '../enrich/enrich.ts'
import type { Judged, Sender } from '../validation.ts'
import { nowhere, withoutPerson, withoutVisitor } from './anonymous-event.ts'
import { selectLastArrival } from './arrival-store.ts'
import { type Arrivals, createArrivals } from './arrivals.ts'
import { isFromDevice, isKnownPerson, originalPerson, visitorKey } from './original-person.ts'
import { eventLine, type JsonText, jsonText, type LineFacts, tallyLine } from './row.ts'
import { type SessionRow, selectOpenSessions } from './sessions/session-store.ts'
import { createSessions, type Sessions } from './sessions.ts'
import { type SharedSessions, shareSessions } from './shared-sessions.ts'

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
  pending: { sessions: readonly SessionRow[]; lastArrival: number }
}

export async function createLines(options: LinesOptions): Promise<Lines> {
  const { control, events, personKeyOf, now, newId, noteSeen, pending } = options
  const sessions = createSessions({ idleMsMax, visitorsMax })
  // Twice the idle time, since events come late.
  const readOpen = async () => {
    const most = { events: eventsMax, sessions: visitorsMax }
    return (await selectOpenSessions(events, now() - 2 * idleMsMax, most)).map(restored)
  }
  sessions.restore([...(await readOpen()), ...pending.sessions.map(restored)])
  // Sessions of other nodes that were missed will be in the store soon.
  const catchUp = () => void readOpen().then(sessions.restore.bind(sessions), () => {})
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

function restored(row: SessionRow) {
  const isPublic = Number(row.is_public) === 1
  const isTheirs = isKnownPerson(row.resolved_by) && isFromDevice(row.anonymous_id, isPublic)
  return {
    siteId: row.site_id,
    visitorKey: visitorKey(row.anonymous_id, row.person_id, isPublic),
    sessionId: row.session_id,
    firstTs: Number(row.first_ms),
    lastTs: Number(row.last_ms),
    personId: isTheirs ? row.person_id : undefined,
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
    const nobodys = withoutPerson(event)
    const kept = { ...judged, event: nobodys }
    return lineOf(kept, nobodys, sender, receivedMs, claim, { ...nowhere, arrival }, withoutVisitor(enriched))
  }
  const { personId, resolvedBy } = originalPerson(personKeyOf(sender.workspaceId), event)
  const whose = { personId, resolvedBy }
  const sessionId = sessionOf(event, site.id, verdict.ts, whose, sender, sessions, noteSession)
  const placed = { personId, resolvedBy, sessionId, arrival }
  if (verdict.outcome !== 'quarantine') noteSeen(sender.workspaceId, personId, verdict.ts)
  return lineOf(judged, event, sender, receivedMs, claim, placed, enriched)
}

/**
 * A server's event about a known person joins the session open on their device, so that a purchase booked by
 * the server belongs to the visit that led to it.
 */
function sessionOf(
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

/**
 * Historical events count as imported, regardless of the endpoint: their transit time means nothing. A
 * webhook keeps its vendor, who is trusted for it.
 */
export function storedEndpoint(
  { isHistorical }: Pick<RawEvent, 'isHistorical'>,
  { endpoint }: Pick<Sender, 'endpoint'>,
): string {
  return isHistorical && !endpoint.startsWith('webhook:') ? 'import' : endpoint
}

/** Person, session and order of an event, as determined on arrival. */
type Placed = { personId: string; resolvedBy: string; sessionId: string; arrival: number }

export function lineFacts(
  judged: Judged,
  event: RawEvent,
  sender: Pick<Sender, 'workspaceId' | 'keyId' | 'keyClass'>,
  endpoint: string,
  receivedMs: number,
  claim: FirstClaim,
  placed: Placed,
): LineFacts {
  const { site, verdict } = judged
  const context = withoutAddress(event.context)
  const folded = foldedErrorOf(verdict)
  const { amount, currency } = moneyOf(verdict)
  return {
    workspaceId: sender.workspaceId,
    siteId: site.id,
    eventId: judged.eventId,
    idHash: claim.idHash,
    orderHash: claim.orderHash,
    tsMs: verdict.ts,
    receivedMs,
    sentMs: verdict.tsClient,
    correctionMs: verdict.correctionMs,
    name: verdict.name,
    sentName: verdict.originalName,
    mappingRule: verdict.ruleId ?? '',
    contractVersion: verdict.contractVersion ?? '',
    outcome: verdict.outcome,
    code: worstCode(verdict),
    issues: verdict.issues.length === 0 ? '' : jsonText(verdict.issues),
    personId: placed.personId,
    resolvedBy: placed.resolvedBy,
    sessionId: placed.sessionId,
    arrival: placed.arrival,
    userId: event.userId ?? '',
    anonymousId: event.anonymousId ?? '',
    endpoint,
    keyId: sender.keyId,
    amount,
    currency,
    orderId: claim.orderId,
    duplicateOf: claim.duplicateOf,
    consentRecordId: verdict.consentRecordId ?? '',
    isBound: judged.isBound === true,
    isPublic: sender.keyClass === 'public',
    isContested: claim.isContested,
    foldedTitle: folded.title,
    foldedCulprit: folded.culprit,
    properties: judged.properties === '{}' ? '' : judged.properties,
    setAside: verdict.setAside === null ? '' : jsonText(verdict.setAside),
    context: hasMembers(context) ? jsonText(context) : '',
    held: '',
    decision: null,
  }
}

/** Everything needed to validate the event again on release as if it had just arrived. */
function heldJson(
  { site, event, verdict }: Judged,
  { keyClass, keyId, endpoint, facts: { gpc } }: Sender,
  receivedMs: number,
  enriched: Enriched,
  { personId, resolvedBy, sessionId, arrival }: Placed,
): JsonText {
  return jsonText({
    site_id: site.id,
    sender: { keyClass, keyId, endpoint, ...(gpc && { gpc }) },
    received_ms: receivedMs,
    arrival,
    event: event === null ? null : { ...event, context: withoutAddress(event.context) },
    enriched,
    person_id: personId,
    resolved_by: resolvedBy,
    session_id: sessionId,
    verdict: {
      name: verdict.name,
      original_name: verdict.originalName,
      rule: verdict.ruleId,
      contract_version: verdict.contractVersion,
      issues: verdict.issues,
      ts: verdict.ts,
      ts_client: verdict.tsClient,
      correction_ms: verdict.correctionMs,
      consent_record_id: verdict.consentRecordId,
    },
  })
}

/**
 * The issue that decided, by which verdicts are counted; of several warnings one about the name comes first.
 */
export function worstCode({ outcome, issues }: Verdict): string {
  if (outcome === 'accept') return ''
  const deciding = issues.filter((issue) => issue.severity === outcome).map(({ code }) => code)
  return deciding.find(isOfTheName) ?? deciding[0] ?? ''
}

/**
 * Exact counts of what a strict workspace would quarantine need every such event under one of these codes.
 */
function isOfTheName(code: string): boolean {
  return learningCodes.some((each) => each === code)
}

/** The browser's privacy signal came as a header; destinations need to know it later. */
function withSignal(event: RawEvent, { facts: { gpc } }: Sender): RawEvent {
  if (!gpc) return event
  const { consent } = event.context
  return { ...event, context: { ...event.context, consent: { ...(isRecord(consent) ? consent : {}), gpc } } }
}

/**
 * A back end sends its visitor's address to find the country; like every address it is used and not stored.
 */
function withoutAddress(context: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (!Object.hasOwn(context, 'ip')) return context
  const { ip: _, ...rest } = context
  return rest
}

function hasMembers(value: object): boolean {
  for (const _ in value) return true
  return false
}
