import { amountMax } from '../../registry/judged-columns.ts'
import type { LineMember } from '../../store/event-columns.ts'
import type { Enriched } from '../enrich/enrich.ts'
import { quote, text, wellFormed } from './line-text.ts'
import { namesOf, originOf, pageOf, place } from './repeated-text.ts'

/** Content of a log line in its order. Empty text is left out and takes the default. */
export type LineFacts = {
  workspaceId: string
  siteId: string
  eventId: string
  idHash: IdHash
  orderHash: IdHash | null
  tsMs: number
  receivedMs: number
  /** Orders events of the same time by arrival; see `arrivals`. */
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
  endpoint: string
  keyId: string
  amount: number | null
  currency: string
  orderId: string
  duplicateOf: string
  consentRecordId: string
  isBound: boolean
  isPublic: boolean
  isContested: boolean
  /** Errors only. */
  foldedTitle: string
  foldedCulprit: string
  properties: JsonText
  setAside: JsonText
  context: JsonText
  held: JsonText
  /** Set when the event was quarantined and then released. */
  decision: LineDecision | null
}

export type LineDecision = { id: string; atMs: number; by: string; patch: JsonText }

/**
 * Text written by `JSON.stringify`, or empty: it is put into a line unchanged, so no other text may be used.
 */
export type JsonText = '' | (string & { readonly [written]: true })
declare const written: unique symbol

export function jsonText(value: object): JsonText {
  // boundary: JSON.stringify never leaves a quote or a newline unescaped.
  return JSON.stringify(value) as JsonText
}

export type IdHash = { hi: number; lo: number }

/** DateTime of the hourly counts covers 1970 to 2106. */
const timeMsMax = Date.UTC(2105, 0, 1)

/** A time that every column can store; times outside were quarantined or corrected by the gate anyway. */
export function storableTime(ms: number): number {
  return whole(Math.min(Math.max(Math.trunc(ms), 0), timeMsMax))
}

/** Last check: a value typed as a number that is not one would be written unchanged. */
function whole(value: number): number {
  if (Number.isSafeInteger(value)) return value
  throw new TypeError('a line of the log takes whole numbers only')
}

/** One NDJSON line. Written by hand, since it is the hot path: most columns of most events are empty. */
export function eventLine(facts: LineFacts, enriched: Enriched): string {
  let line = `{${originOf(facts)},"event_id":${quote(facts.eventId)}`
  line += `,"id_hi":${whole(facts.idHash.hi)},"id_lo":${whole(facts.idHash.lo)}`
  if (facts.orderHash !== null)
    line += `,"order_hi":${whole(facts.orderHash.hi)},"order_lo":${whole(facts.orderHash.lo)}`
  line += `,"ts":${storableTime(facts.tsMs)},"received_at":${storableTime(facts.receivedMs)}`
  line += `,"arrival":${whole(facts.arrival)}`
  if (facts.sentMs !== null) line += `,"ts_sent":${storableTime(facts.sentMs)}`
  if (facts.correctionMs !== 0) line += `,"correction_ms":${whole(Math.trunc(facts.correctionMs))}`
  if (facts.amount !== null && Math.abs(facts.amount) < amountMax)
    line += `,"amount":${facts.amount.toFixed(4)}`
  line += namesOf(facts)
  line += text('person_id', facts.personId)
  line += text('resolved_by', facts.resolvedBy)
  line += text('user_id', facts.userId)
  line += text('anonymous_id', facts.anonymousId)
  line += text('session_id', facts.sessionId)
  line += text('currency', facts.currency)
  line += text('order_id', facts.orderId)
  line += text('duplicate_of', facts.duplicateOf)
  line += text('consent_record_id', facts.consentRecordId)
  if (facts.isBound) line += ',"is_bound":1'
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
  return `${line}}\n`
}

/** A quarantined event that was validated again and stays: only the decision is stored. */
export function judgementLine(
  facts: Pick<
    LineFacts,
    'workspaceId' | 'siteId' | 'eventId' | 'tsMs' | 'receivedMs' | 'personId' | 'name' | 'code' | 'issues'
  > & { decision: LineDecision },
): string {
  let line = `{${place(facts)},"event_id":${quote(facts.eventId)},"ts":${storableTime(facts.tsMs)}`
  line += `,"received_at":${storableTime(facts.receivedMs)}${text('person_id', facts.personId)}`
  line += `${text('name', facts.name)}${text('code', facts.code)}${json('issues', facts.issues)}`
  return `${line}${decisionPart('held', facts.decision)}}\n`
}

function decisionPart(state: 'held' | 'released', { id, atMs, by, patch }: LineDecision): string {
  const decided = `,"state":"${state}","decided_at":${storableTime(atMs)}${text('decided_by', by)}`
  return decided + text('decision_id', id) + json('patch', patch)
}

/** A rejected event leaves only a count; a repeat adds to the count of repeats. */
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
  return `${line}${text('name', name)}${text('code', code)},"repeats":${whole(repeats)}}\n`
}

function enrichedPart(enriched: Enriched): string {
  let part = enriched.isBot ? `,"is_bot":1${text('bot_reason', enriched.botReason)}` : ''
  part += pageOf(enriched)
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
  part += text('region', enriched.region)
  part += text('city', enriched.city)
  part += text('device', enriched.device)
  part += text('browser', enriched.browser)
  part += text('os', enriched.os)
  part += text('release', enriched.release)
  part += text('surface', enriched.surface)
  return (
    part + text('sdk', enriched.sdkName === '' ? '' : `${enriched.sdkName} ${enriched.sdkVersion}`.trim())
  )
}

function json(column: LineMember, value: JsonText): string {
  return value === '' ? '' : `,"${column}":${wellFormed(value)}`
}
