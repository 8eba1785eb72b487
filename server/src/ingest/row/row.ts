import { amountMax } from '../../registry/judged-columns.ts'
import type { LineMember } from '../../store/event-columns.ts'
import type { Enriched } from '../enrich/enrich.ts'

/** What a log line says of one event, in the order of its making. Empty text is left out and takes the default. */
export type LineFacts = {
  workspaceId: string
  siteId: string
  eventId: string
  idHash: IdHash
  orderHash: IdHash | null
  tsMs: number
  receivedMs: number
  /** Breaks ties of time as events arrived; see `arrivals`. */
  arrival: number
  sentMs: number | null
  correctionMs: number
  name: string
  sentName: string
  mappingRule: string
  contractVersion: string
  outcome: string
  code: string
  issues: JsonText
  personId: string
  resolvedBy: string
  userId: string
  anonymousId: string
  sessionId: string
  door: string
  keyId: string
  amount: number | null
  currency: string
  orderId: string
  duplicateOf: string
  consentRecordId: string
  isBound: boolean
  isPublic: boolean
  isContested: boolean
  /** Of errors only. */
  foldedTitle: string
  foldedCulprit: string
  properties: JsonText
  setAside: JsonText
  context: JsonText
  held: JsonText
  /** Set when the event was held before and somebody decided to let it pass. */
  decision: LineDecision | null
}

export type LineDecision = { id: string; atMs: number; by: string; patch: JsonText }

/** Text that `JSON.stringify` wrote, or nothing: it goes into a line as it is, so nothing else may be one. */
export type JsonText = '' | (string & { readonly [written]: true })
declare const written: unique symbol

export function jsonText(value: object): JsonText {
  // boundary: made a line above its only use, by the writer that never leaves a quote or a newline bare.
  return JSON.stringify(value) as JsonText
}

export type IdHash = { hi: number; lo: number }

/** DateTime of the hourly counts reaches from 1970 to 2106. */
const timeMsMax = Date.UTC(2105, 0, 1)

/** A time that every column can hold; what lies outside was quarantined or corrected by the gate anyway. */
export function storableTime(ms: number): number {
  return whole(Math.min(Math.max(Math.trunc(ms), 0), timeMsMax))
}

/** The last guard of a line: what says that it is a number and is none would be put in as it is. */
function whole(value: number): number {
  if (Number.isSafeInteger(value)) return value
  throw new TypeError('a line of the log takes whole numbers only')
}

/** One NDJSON line. Written out by hand, since it is the hot path: most columns of most events are empty. */
export function eventLine(facts: LineFacts, enriched: Enriched): string {
  let line = `{${place(facts)},"event_id":${quote(facts.eventId)}`
  line += `,"id_hi":${whole(facts.idHash.hi)},"id_lo":${whole(facts.idHash.lo)}`
  if (facts.orderHash !== null)
    line += `,"order_hi":${whole(facts.orderHash.hi)},"order_lo":${whole(facts.orderHash.lo)}`
  line += `,"ts":${storableTime(facts.tsMs)},"received_at":${storableTime(facts.receivedMs)}`
  line += `,"arrival":${whole(facts.arrival)}`
  if (facts.sentMs !== null) line += `,"ts_sent":${storableTime(facts.sentMs)}`
  if (facts.correctionMs !== 0) line += `,"correction_ms":${whole(Math.trunc(facts.correctionMs))}`
  if (facts.amount !== null && Math.abs(facts.amount) < amountMax)
    line += `,"amount":${facts.amount.toFixed(4)}`
  line += `,"outcome":${quote(facts.outcome)},"name":${quote(facts.name)}`
  line += text('sent_name', facts.sentName)
  line += text('mapping_rule', facts.mappingRule)
  line += text('contract_version', facts.contractVersion)
  line += text('code', facts.code)
  line += text('person_id', facts.personId)
  line += text('resolved_by', facts.resolvedBy)
  line += text('user_id', facts.userId)
  line += text('anonymous_id', facts.anonymousId)
  line += text('session_id', facts.sessionId)
  line += text('door', facts.door)
  line += text('key_id', facts.keyId)
  line += text('currency', facts.currency)
  line += text('order_id', facts.orderId)
  line += text('duplicate_of', facts.duplicateOf)
  line += text('consent_record_id', facts.consentRecordId)
  if (facts.isBound) line += ',"is_bound":1'
  if (facts.isPublic) line += ',"is_public":1'
  if (facts.isContested) line += ',"is_contested":1'
  line += text('folded_title', facts.foldedTitle)
  line += text('folded_culprit', facts.foldedCulprit)
  line += enrichedPart(enriched)
  line += json('issues', facts.issues)
  line += json('properties', facts.properties)
  line += json('set_aside', facts.setAside)
  line += json('context', facts.context)
  line += json('held', facts.held)
  if (facts.decision !== null) line += decisionPart('released', facts.decision)
  return `${wellFormed(line)}}\n`
}

/** A held event that was judged again and stays held: nothing is stored but the judgement. */
export function judgementLine(
  facts: Pick<
    LineFacts,
    'workspaceId' | 'siteId' | 'eventId' | 'tsMs' | 'receivedMs' | 'personId' | 'name' | 'code' | 'issues'
  > & { decision: LineDecision },
): string {
  let line = `{${place(facts)},"event_id":${quote(facts.eventId)},"ts":${storableTime(facts.tsMs)}`
  line += `,"received_at":${storableTime(facts.receivedMs)}${text('person_id', facts.personId)}`
  line += `${text('name', facts.name)}${text('code', facts.code)}${json('issues', facts.issues)}`
  return `${wellFormed(line + decisionPart('held', facts.decision))}}\n`
}

function decisionPart(state: 'held' | 'released', { id, atMs, by, patch }: LineDecision): string {
  const decided = `,"state":"${state}","decided_at":${storableTime(atMs)}${text('decided_by', by)}`
  return decided + text('decision_id', id) + json('patch', patch)
}

/** A rejected event leaves a count and nothing else; a repeat adds to the count of repeats. */
export function tallyLine(facts: {
  workspaceId: string
  siteId: string
  tsMs: number
  name: string
  outcome: string
  code: string
  repeats: number
}): string {
  const { tsMs, name, outcome, code, repeats } = facts
  const line = `{${place(facts)},"ts":${storableTime(tsMs)},"outcome":${quote(outcome)}`
  return `${wellFormed(`${line}${text('name', name)}${text('code', code)},"repeats":${whole(repeats)}`)}}\n`
}

function enrichedPart(enriched: Enriched): string {
  let part = enriched.isBot ? `,"is_bot":1${text('bot_reason', enriched.botReason)}` : ''
  part += text('url', enriched.url)
  part += text('host', enriched.host)
  part += text('path', enriched.path)
  part += text('title', enriched.title)
  part += text('referrer', enriched.referrer)
  part += text('referrer_host', enriched.referrerHost)
  part += text('utm_source', enriched.utmSource)
  part += text('utm_medium', enriched.utmMedium)
  part += text('utm_campaign', enriched.utmCampaign)
  part += text('utm_term', enriched.utmTerm)
  part += text('utm_content', enriched.utmContent)
  part += text('click_id_type', enriched.clickIdType)
  part += text('click_id', enriched.clickId)
  part += text('channel', enriched.channel)
  part += text('source', enriched.source)
  part += text('country', enriched.country)
  part += text('device', enriched.device)
  part += text('browser', enriched.browser)
  part += text('os', enriched.os)
  part += text('release', enriched.release)
  part += text('surface', enriched.surface)
  return (
    part + text('sdk', enriched.sdkName === '' ? '' : `${enriched.sdkName} ${enriched.sdkVersion}`.trim())
  )
}

/** Whose it is. Quoted like any text: no id is taken for safe because of where it comes from. */
function place({ workspaceId, siteId }: Pick<LineFacts, 'workspaceId' | 'siteId'>): string {
  return `"workspace_id":${quote(workspaceId)},"site_id":${quote(siteId)}`
}

function text(column: LineMember, value: string): string {
  return value === '' ? '' : `,"${column}":${quote(value)}`
}

function json(column: LineMember, value: JsonText): string {
  return value === '' ? '' : `,"${column}":${value}`
}

/** Printable ASCII without quotes and backslashes, which is what nearly every value is made of. */
const plain = /^[ !#-[\]-~]*$/
/** Up to here the test costs less than the call into the engine's own writer, measured. */
const plainCharsMax = 64

function quote(value: string): string {
  return value.length <= plainCharsMax && plain.test(value) ? `"${value}"` : JSON.stringify(value)
}

/** The escape itself, not the same letters after a backslash that somebody wrote. */
const loneSurrogate = /(?<=(?:^|[^\\])(?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g

/**
 * Half of a surrogate pair is legal in a JavaScript string and is written as an escape that the store refuses. It is
 * replaced, so that no sender can make a line that cannot be loaded.
 */
function wellFormed(line: string): string {
  return line.includes('\\ud') ? line.replace(loneSurrogate, '\\ufffd') : line
}
