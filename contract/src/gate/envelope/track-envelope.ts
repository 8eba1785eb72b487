import { eventIdCharactersMax } from '../../identity/identifier.ts'
import type { Finding } from '../issues.ts'
import type { Alias, Page, Properties, RawEvent, Reading } from '../raw-event.ts'
import { isRecord } from '../raw-event.ts'
import type { Envelope, EnvelopeOptions, Spellings } from './envelope.ts'
import { namesNobody, readEnvelope } from './envelope.ts'
import {
  fillPage,
  firstOf,
  malformed,
  missingIdentifier,
  noProperties,
  readIdentifier,
  readName,
  readPage,
  readRecord,
  readText,
} from './envelope-fields.ts'
import { envelopeBytesOf } from './size.ts'

/** The kinds of call in the tracking specification that Segment and RudderStack SDKs use. */
export const callTypes = ['track', 'page', 'screen', 'identify', 'group', 'alias'] as const
export type CallType = (typeof callTypes)[number]

export type TrackOptions = EnvelopeOptions & {
  /** The type of the endpoint (`/v1/page` is `page`), if the item has none. */
  type?: CallType
}

// Our own spelling first, then that of the tracking specification.
export const trackSpellings: Spellings = {
  eventId: ['event_id', 'messageId', 'eventId'],
  anonymousId: ['anonymous_id', 'anonymousId'],
  userId: ['user_id', 'userId'],
  personId: ['person_id', 'personId'],
  sessionId: ['session_id', 'sessionId'],
  siteId: ['site_id', 'siteId'],
  // RudderStack's SDKs write the time of the call to `originalTimestamp`, and the caller's time to
  // `timestamp`.
  tsClient: ['ts', 'occurred_at', 'timestamp', 'originalTimestamp'],
  sentAt: ['sent_at', 'sentAt'],
  contractVersion: ['contract_version', 'contractVersion'],
}

/** A relay adds its own time and corrects `timestamp`; the device's clock is then in `originalTimestamp`. */
const relayedSpellings: Spellings = {
  ...trackSpellings,
  tsClient: ['ts', 'occurred_at', 'originalTimestamp', 'timestamp'],
}

/**
 * Reads one item of `/v1/track`, `/v1/batch` and their aliases. Total: it returns a reading for any input.
 */
export function readTrack(input: unknown, options: TrackOptions = {}): Reading {
  if (!isRecord(input)) {
    return {
      kind: 'unreadable',
      findings: [malformed('', 'Send the event as a JSON object.', 'object', input)],
    }
  }
  const findings: Finding[] = []
  const type = callTypeOf(input, options)
  if (type === 'alias') return { kind: 'alias', alias: readAlias(input, findings) }
  const properties = readRecord(input, 'properties')
  const sent = nameOf(input, type)
  const isRelayed = input.receivedAt !== undefined
  const envelope = readEnvelope(input, isRelayed ? relayedSpellings : trackSpellings, options, findings)
  const name = sent === undefined ? undefined : readName('event', sent, findings)
  if (properties === undefined || name === undefined) {
    if (namesNobody(envelope)) findings.push(missingIdentifier)
    return { kind: 'unreadable', findings: [...unreadable(input, properties, name), ...findings] }
  }
  const call = readCall(type, name, input, properties, envelope, findings)
  const envelopeBytes = envelopeBytesOf(input, call.traits === undefined ? isOfTrack : isOfTraits)
  return {
    kind: 'event',
    event: eventOf(name, envelope, call, envelopeBytes, findings),
  }
}

/** Member by member: this is made for every event, and copying whole objects into one takes longer. */
function eventOf(
  name: string,
  envelope: Envelope,
  call: Call,
  envelopeBytes: number,
  findings: readonly Finding[],
): RawEvent {
  return {
    name,
    standardName: undefined,
    eventId: envelope.eventId,
    anonymousId: envelope.anonymousId,
    isAnonymousIdDerived: envelope.isAnonymousIdDerived,
    userId: envelope.userId,
    personId: envelope.personId,
    sessionId: envelope.sessionId,
    siteId: envelope.siteId,
    tsClient: envelope.tsClient,
    sentAt: envelope.sentAt,
    context: envelope.context,
    contractVersion: envelope.contractVersion,
    isHistorical: envelope.isHistorical,
    sizeBytes: envelope.sizeBytes,
    properties: call.properties,
    traits: call.traits,
    page: call.page,
    envelopeBytes,
    findings,
  }
}

/** Members of the properties or the context are measured there. */
const isOfTrack = (member: string) => member === 'properties' || member === 'context'
const isOfTraits = (member: string) => isOfTrack(member) || member === 'traits'

function callTypeOf(input: Properties, options: TrackOptions): CallType {
  const said = callTypes.find((type) => type === input.type)
  return said ?? options.type ?? 'track'
}

function readAlias(input: Properties, findings: Finding[]): Alias {
  return {
    previousId: readIdentifier(input, ['previous_id', 'previousId', 'from'], findings),
    userId: readIdentifier(input, ['user_id', 'userId', 'to'], findings),
    eventId: readIdentifier(input, trackSpellings.eventId, findings, eventIdCharactersMax),
    findings,
  }
}

function nameOf(input: Properties, type: CallType): string | undefined {
  if (type === 'page' || type === 'screen') return '$pageview'
  if (type === 'identify') return '$identify'
  if (type === 'group') return 'group'
  const found = firstOf(input, ['event', 'event_key'])
  return typeof found?.value === 'string' && found.value.trim() !== '' ? found.value : undefined
}

function unreadable(
  input: Properties,
  properties: Properties | undefined,
  name: string | undefined,
): Finding[] {
  const findings: Finding[] = []
  if (name === undefined) {
    const sent = firstOf(input, ['event', 'event_key'])?.value
    findings.push(
      malformed('event', 'Name the event: send event as a non-empty string.', 'string', sent ?? null),
    )
  }
  if (properties === undefined) {
    findings.push(malformed('properties', 'Send properties as a JSON object.', 'object', input.properties))
  }
  return findings
}

type Call = { properties: Properties; traits: Properties | undefined; page: Page }

function readCall(
  type: CallType,
  name: string,
  input: Properties,
  properties: Properties,
  { context, userId }: Envelope,
  findings: Finding[],
): Call {
  const contextPage = isRecord(context.page) ? context.page : undefined
  const page = readPage(properties, contextPage)
  if (type === 'identify') return readIdentify(input, properties, userId, page, findings)
  if (type === 'group') return readGroup(input, properties, page, findings)
  if (type === 'page' || type === 'screen') return readPageCall(type, input, properties, page, findings)
  return {
    properties: name === '$pageview' ? withPage(properties, page) : properties,
    traits: undefined,
    page,
  }
}

/** A `$pageview` sent by a track call must bring its own title, at least in the context. */
function withPage(properties: Properties, page: Page): Properties {
  const filled: Record<string, unknown> = { ...properties }
  for (const member of ['url', 'title', 'referrer'] as const) {
    if (page[member] !== undefined) filled[member] ??= page[member]
  }
  return filled
}

function readPageCall(
  type: 'page' | 'screen',
  input: Properties,
  properties: Properties,
  page: Page,
  findings: Finding[],
): Call {
  const name = readText(input, ['name'], findings)
  const category = readText(input, ['category'], findings)
  // A screen has no URL: its name says where the person was.
  page.url ??= page.path ?? (type === 'screen' ? name : undefined)
  page.path ??= page.url
  page.title ??= name
  const filled: Record<string, unknown> = { ...properties }
  fillPage(filled, page, findings)
  if (name !== undefined) filled.name ??= name
  if (category !== undefined) filled.category ??= category
  return { properties: filled, traits: undefined, page }
}

function readTraits(input: Properties, findings: Finding[]): Properties {
  const traits = readRecord(input, 'traits')
  if (traits === undefined) {
    findings.push(malformed('traits', 'Send traits as a JSON object.', 'object', input.traits))
  }
  return traits ?? noProperties
}

/**
 * Traits are the properties of `$identify`, so that e-mail, name and plan are where the catalog expects them.
 */
function readIdentify(
  input: Properties,
  properties: Properties,
  userId: string | undefined,
  page: Page,
  findings: Finding[],
): Call {
  const traits = readTraits(input, findings)
  const filled: Record<string, unknown> = { ...properties, ...traits }
  if (userId !== undefined) filled.user_id = userId
  return { properties: filled, traits, page }
}

function readGroup(input: Properties, properties: Properties, page: Page, findings: Finding[]): Call {
  const traits = readTraits(input, findings)
  const groupId = readIdentifier(input, ['group_id', 'groupId'], findings)
  const filled: Record<string, unknown> = { ...properties, traits }
  if (groupId !== undefined) filled.group_id = groupId
  return { properties: filled, traits, page }
}
