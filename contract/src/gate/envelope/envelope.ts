import { eventIdCharactersMax } from '../../identity/identifier.ts'
import { contractVersionCharactersMax, siteIdCharactersMax } from '../../maxima.ts'
import type { Finding } from '../issues.ts'
import type { Properties, RawEvent } from '../raw-event.ts'
import { isRecord } from '../raw-event.ts'
import {
  instantOf,
  noProperties,
  readIdentifier,
  readInstant,
  readRecord,
  readText,
  typeName,
} from './envelope-fields.ts'

export type EnvelopeOptions = {
  /**
   * Makes the cookieless visitor id at endpoints that anyone may use (public key, site token). Without it, as
   * with secret keys, an event without an identifier is refused with `missing_identifier`.
   */
  fallbackAnonymousId?: () => string
  /** The batch's `sent_at`, for items without one. */
  sentAt?: unknown
  /** The batch's `context`, which each item's own overrides. */
  context?: unknown
  /** Set by the import endpoint: age is not an issue there. */
  isHistorical?: boolean
  /** Anyone can read a public key or a site token, so it may not send arbitrary dates. */
  ignoresHistorical?: boolean
  sizeBytes?: number
}

/** The spellings that an endpoint accepts for each member, the preferred one first. */
export type Spellings = Readonly<
  Record<
    | 'eventId'
    | 'anonymousId'
    | 'userId'
    | 'personId'
    | 'sessionId'
    | 'siteId'
    | 'tsClient'
    | 'sentAt'
    | 'contractVersion',
    readonly string[]
  >
>

export type Envelope = Omit<
  RawEvent,
  'name' | 'standardName' | 'properties' | 'traits' | 'page' | 'envelopeBytes' | 'findings'
>

/** Reads the members around the event that all endpoints share, in the spelling of the endpoint. */
export function readEnvelope(
  input: Properties,
  spellings: Spellings,
  options: EnvelopeOptions,
  findings: Finding[],
): Envelope {
  const anonymousId = readIdentifier(input, spellings.anonymousId, findings)
  const userId = readIdentifier(input, spellings.userId, findings)
  const personId = readIdentifier(input, spellings.personId, findings)
  const isNobody = anonymousId === undefined && userId === undefined && personId === undefined
  const derivedId = isNobody ? options.fallbackAnonymousId?.() : undefined
  return {
    eventId: readIdentifier(input, spellings.eventId, findings, eventIdCharactersMax),
    anonymousId: anonymousId ?? derivedId,
    isAnonymousIdDerived: derivedId !== undefined,
    userId,
    personId,
    sessionId: readIdentifier(input, spellings.sessionId, findings),
    siteId: readText(input, spellings.siteId, findings, siteIdCharactersMax),
    tsClient: readInstant(input, spellings.tsClient, findings),
    sentAt: readSentAt(input, spellings, options, findings),
    context: readContext(input, options, findings),
    contractVersion: readText(input, spellings.contractVersion, findings, contractVersionCharactersMax),
    isHistorical: readHistorical(input, options, findings),
    sizeBytes: options.sizeBytes,
  }
}

function readHistorical(input: Properties, options: EnvelopeOptions, findings: Finding[]): boolean {
  const isSaid = input.historical === true
  if (options.ignoresHistorical !== true) return isSaid || options.isHistorical === true
  if (isSaid) findings.push(historicalIgnored)
  return false
}

const historicalIgnored: Finding = {
  code: 'historical_ignored',
  field: 'historical',
  message: 'Send past events with a secret key from your server; with a public key historical is ignored.',
  expected: 'a secret key',
  actual: 'a public key or site token',
}

export function namesNobody(envelope: Pick<RawEvent, 'anonymousId' | 'userId' | 'personId'>): boolean {
  return (
    envelope.anonymousId === undefined && envelope.userId === undefined && envelope.personId === undefined
  )
}

function readSentAt(
  input: Properties,
  spellings: Spellings,
  options: EnvelopeOptions,
  findings: Finding[],
): number | undefined {
  const own = readInstant(input, spellings.sentAt, findings)
  if (own !== undefined || options.sentAt === undefined || options.sentAt === null) return own
  return instantOf('sent_at', options.sentAt, findings)
}

function readContext(input: Properties, options: EnvelopeOptions, findings: Finding[]): Properties {
  const own = readRecord(input, 'context')
  if (own === undefined) {
    findings.push({
      code: 'unexpected_type',
      field: 'context',
      message: 'Send context as a JSON object; this value was left out.',
      expected: 'object',
      actual: typeName(input.context),
    })
  }
  return isRecord(options.context) ? { ...options.context, ...own } : (own ?? noProperties)
}
