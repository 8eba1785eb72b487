import type { ConsentCategory, Outcome } from '../registry/event-contract.ts'
import type { CompiledContract } from './contracts/compile.ts'
import { checkProperties } from './contracts/properties.ts'
import { namesNobody } from './envelope/envelope.ts'
import { missingIdentifier } from './envelope/envelope-fields.ts'
import type { KeyClass } from './envelope/event-time.ts'
import { placeInTime } from './envelope/event-time.ts'
import { measureEvent } from './envelope/size.ts'
import type { Finding, Findings, GatePolicy, Issue } from './issues.ts'
import { issuesOf, note, openFindings, report } from './issues.ts'
import type { CompiledMapping } from './names/mapping.ts'
import { moveProperties } from './names/mapping.ts'
import type { ResolvedName } from './names/resolve-name.ts'
import { resolveName } from './names/resolve-name.ts'
import { withNormalOrder } from './order-id.ts'
import { findPersonalData } from './pii/pii.ts'
import { reportPersonalData } from './pii/pii-report.ts'
import type { Properties, RawEvent, Reading } from './raw-event.ts'
import { isRecord, setOwn } from './raw-event.ts'

/** Consent for the gate. Without it, as on a site without a regime, no consent is needed. */
export type ConsentInput = {
  allowed: (purpose: ConsentCategory) => 'granted' | 'denied'
  recordId?: string
  onDenied: 'reject' | 'anonymous'
}

/** Everything a verdict depends on besides the event. */
export type Known = GatePolicy & {
  /** The workspace's contracts by name. The 18 and the built-in events need not be included. */
  contracts: ReadonlyMap<string, CompiledContract>
  /** Finds an older version that an event names in `contract_version`; the event is then validated by it. */
  findVersion?: (name: string, version: string) => CompiledContract | undefined
  mapping: CompiledMapping
  keyClass: KeyClass
  receivedAt: number
  consent?: ConsentInput | undefined
  /** The person requested erasure. */
  suppressed?: boolean | undefined
  /** Why reports leave the event out, if it was sent by a bot; determined from the sender's user agent. */
  botReason?: BotReason | undefined
}

export const botReasons = ['user_agent', 'missing_user_agent', 'headless', 'prefetch'] as const
export type BotReason = (typeof botReasons)[number]

export type Verdict = {
  outcome: Outcome
  issues: readonly Issue[]
  /** The canonical name; otherwise the name as sent; empty if nothing could be read. */
  name: string
  originalName: string
  /** The mapping rule that gave the name. */
  ruleId: string | null
  contractVersion: string | null
  properties: Properties
  /** Optional values of a wrong type, by path: stored, but not part of the event. */
  setAside: Properties | null
  ts: number
  tsClient: number | null
  correctionMs: number
  purpose: ConsentCategory
  /** Store it without any identifier. */
  isAnonymised: boolean
  consentRecordId: string | null
}

/** Every check runs, so that a sender gets all issues in one answer; the worst of them is the outcome. */
export function judge(raw: RawEvent, known: Known): Verdict {
  const resolved = resolveName(raw, known)
  const { compiled } = resolved
  const size = measureEvent(raw)
  const findings = openFindings(known, compiled?.contract.severities, size.characters)
  for (const finding of raw.findings) report(findings, finding)
  if (namesNobody(raw)) report(findings, missingIdentifier)
  for (const finding of size.findings) report(findings, finding)
  for (const finding of resolved.findings) report(findings, finding)
  const named = withEnvelope(raw, resolved, findings)
  const checked = checkProperties(named, compiled, resolved.rule?.rule.id, findings)
  const properties = withNormalOrder(resolved.name, checked.properties, findings)
  scanPage(raw, findings)
  const time = placeInTime(raw, known.keyClass, known.receivedAt)
  if (time.finding !== undefined) report(findings, time.finding)
  const purpose = compiled?.contract.purpose ?? 'analytics_storage'
  const isAnonymised = checkConsent(resolved.name, purpose, known, findings)
  // Nothing of a rejected event is stored that could be counted.
  if (known.botReason !== undefined && findings.worst !== 'reject') {
    note(findings, countedAsBot(known.botReason, known.keyClass))
  }
  return {
    outcome: findings.worst,
    issues: issuesOf(findings),
    name: resolved.name,
    originalName: raw.name,
    ruleId: resolved.rule?.rule.id ?? null,
    contractVersion: compiled?.contract.version ?? null,
    properties: isAnonymised ? withoutIdentifiers(properties) : properties,
    setAside: isAnonymised ? null : (checked.setAside ?? null),
    ts: time.ts,
    tsClient: raw.tsClient ?? null,
    correctionMs: time.correctionMs,
    purpose,
    isAnonymised,
    // An event without identifiers must not refer to a consent record, which would identify its person.
    consentRecordId: isAnonymised ? null : (known.consent?.recordId ?? null),
  }
}

/** Validates a reading. Aliases are handled by identity resolution and never passed here. */
export function judgeReading(reading: Exclude<Reading, { kind: 'alias' }>, known: Known): Verdict {
  return reading.kind === 'event' ? judge(reading.event, known) : refuse(reading.findings, known)
}

/** The verdict on input that could not be read as an event at all. */
function refuse(unread: readonly Finding[], known: Known): Verdict {
  const findings = openFindings(known, undefined, 0)
  for (const finding of unread) report(findings, finding)
  return {
    outcome: findings.worst,
    issues: issuesOf(findings),
    name: '',
    originalName: '',
    ruleId: null,
    contractVersion: null,
    properties: {},
    setAside: null,
    ts: known.receivedAt,
    tsClient: null,
    correctionMs: 0,
    purpose: 'analytics_storage',
    isAnonymised: false,
    consentRecordId: known.consent?.recordId ?? null,
  }
}

/** Standard events with a required property that repeats the envelope. */
const envelopeProperties: ReadonlyMap<string, { property: string; member: 'userId' | 'sessionId' }> = new Map(
  [
    ['$identify', { property: 'user_id', member: 'userId' }],
    ['$session_start', { property: 'session_id', member: 'sessionId' }],
    ['$session_end', { property: 'session_id', member: 'sessionId' }],
  ],
)

function withEnvelope(raw: RawEvent, resolved: ResolvedName, findings: Findings): Properties {
  const { rule } = resolved
  const properties = rule === undefined ? raw.properties : moveProperties(rule, raw.properties, findings)
  const repeated = envelopeProperties.get(resolved.name)
  if (repeated === undefined) return properties
  // A person may be identified by the sender's own id, or by ours, instead of a user id.
  const said = raw[repeated.member] ?? (repeated.member === 'userId' ? raw.personId : undefined)
  const own = Object.hasOwn(properties, repeated.property) ? properties[repeated.property] : undefined
  return said === undefined || (own !== undefined && own !== null)
    ? properties
    : { ...properties, [repeated.property]: said }
}

/** URLs in the context are stored as the page of the event, and query strings may contain e-mails. */
function scanPage(raw: RawEvent, findings: Findings): void {
  const page = raw.context.page
  if (!isRecord(page)) return
  for (const key of ['url', 'referrer', 'search', 'title']) {
    const value = page[key]
    if (typeof value !== 'string') continue
    const kind = findPersonalData(key, value, 'default')
    if (kind !== undefined) reportPersonalData(findings, `context.page.${key}`, kind, value)
  }
}

/** Returns whether the event is to be stored without identifiers. */
function checkConsent(name: string, purpose: ConsentCategory, known: Known, findings: Findings): boolean {
  if (known.suppressed === true) report(findings, suppressed)
  if (known.consent === undefined || known.consent.allowed(purpose) === 'granted') return false
  // An identify without its identity would be an empty row.
  const isAnonymous = known.consent.onDenied === 'anonymous' && name !== '$identify'
  const finding: Finding = {
    code: 'consent_denied',
    field: 'purpose',
    message: isAnonymous
      ? `Nothing to do: ${purpose} is denied, so the event was counted without any identifier.`
      : `Do not send this event until the person grants ${purpose}; nothing was stored.`,
    expected: `${purpose} granted`,
    actual: `${purpose} denied`,
  }
  report(findings, finding, isAnonymous ? 'warn' : 'reject')
  return isAnonymous
}

const botMessages: Readonly<Record<BotReason, string>> = {
  user_agent: 'the user agent is that of a bot or a script',
  missing_user_agent: 'a browser always sends a user agent, and this request has none',
  headless: 'the browser is run by a script',
  prefetch: 'the page was loaded ahead and may never be looked at',
}

function countedAsBot(reason: BotReason, keyClass: KeyClass): Finding {
  const cure =
    keyClass === 'public'
      ? 'Send from a browser, or from your server with a secret key'
      : "Pass on the visitor's own agent in context.userAgent, or none"
  return {
    code: 'counted_as_bot',
    field: keyClass === 'public' ? 'user_agent' : 'context.userAgent',
    message: `${cure}: ${botMessages[reason]}, so the event is stored as a bot's and reports leave it out.`,
    expected: 'a person',
    actual: reason,
  }
}

const suppressed: Finding = {
  code: 'suppressed',
  field: 'person_id',
  message: 'Stop sending events of this person, who asked to be forgotten; nothing was stored.',
  expected: null,
  actual: null,
}

const identifierProperties = [
  'user_id',
  'anonymous_id',
  'person_id',
  'session_id',
  'device_id',
  'email',
  'phone',
]

/** A URL keeps its path; the rest may be specific to one visitor. */
const address = /^(?:[a-z][a-z0-9+.-]*:\/)?\/[^?#]*/i

/** Properties without those that identify a person, a device or a visit. */
export function withoutIdentifiers(properties: Properties): Properties {
  const kept: Record<string, unknown> = { ...properties }
  for (const name of identifierProperties) delete kept[name]
  for (const [name, value] of Object.entries(kept)) {
    const path = typeof value === 'string' ? address.exec(value)?.[0] : undefined
    if (path !== undefined) setOwn(kept, name, path)
  }
  return kept
}
