import { standardByKey } from '../../registry/catalog.ts'
import type { Finding } from '../issues.ts'
import { toSnakeCase } from '../names/names.ts'
import type { Properties, Reading } from '../raw-event.ts'
import { isRecord, setOwn } from '../raw-event.ts'
import type { EnvelopeOptions, Spellings } from './envelope.ts'
import { namesNobody, readEnvelope } from './envelope.ts'
import { fillPage, malformed, missingIdentifier, readName, readPage } from './envelope-fields.ts'
import { envelopeBytesOf } from './size.ts'

const spellings: Spellings = {
  eventId: ['eventId', 'event_id', 'messageId'],
  anonymousId: ['anonymousId', 'anonymous_id', 'visitorId', 'visitor_id'],
  userId: ['userId', 'user_id'],
  personId: ['personId', 'person_id'],
  sessionId: ['sessionId', 'session_id'],
  siteId: ['siteId', 'site_id'],
  tsClient: ['ts'],
  sentAt: ['sentAt', 'sent_at'],
  contractVersion: ['contractVersion', 'contract_version'],
}

/** Members that belong to the envelope; every other one is a property of the event. */
const envelopeNames: ReadonlySet<string> = new Set([
  'type',
  'context',
  'historical',
  ...Object.values(spellings).flat(),
])

/** Properties and context are measured separately. */
const isOfIngest = (member: string) => member === 'context' || !envelopeNames.has(member)

/** Reads one item of `/api/ingest`: `{type, url, ts, …}`. Total: it returns a reading for any input. */
export function readIngest(input: unknown, options: EnvelopeOptions = {}): Reading {
  if (!isRecord(input)) {
    return {
      kind: 'unreadable',
      findings: [malformed('', 'Send the event as a JSON object.', 'object', input)],
    }
  }
  const findings: Finding[] = []
  const envelope = readEnvelope(input, spellings, options, findings)
  const sent = input.type
  if (typeof sent !== 'string' || sent.trim() === '') {
    if (namesNobody(envelope)) findings.push(missingIdentifier)
    const nameless = malformed(
      'type',
      'Name the event: send type as a non-empty string.',
      'string',
      sent ?? null,
    )
    return { kind: 'unreadable', findings: [nameless, ...findings] }
  }
  const name = readName('type', sent, findings)
  const standardName = standardByKey.get(toSnakeCase(name))?.name
  const properties = readProperties(input)
  const page = readPage(properties, isRecord(envelope.context.page) ? envelope.context.page : undefined)
  const envelopeBytes = envelopeBytesOf(input, isOfIngest)
  if ((standardName ?? name) === '$pageview') fillPage(properties, page, findings)
  return {
    kind: 'event',
    event: { name, standardName, ...envelope, properties, traits: undefined, page, envelopeBytes, findings },
  }
}

/** A `properties` object is unfolded; a member outside it overrides one inside it. */
function readProperties(input: Properties): Record<string, unknown> {
  const folded = isRecord(input.properties) ? input.properties : undefined
  const properties: Record<string, unknown> = { ...folded }
  for (const key of Object.keys(input)) {
    if (envelopeNames.has(key) || (key === 'properties' && folded !== undefined)) continue
    setOwn(properties, key, input[key])
  }
  return properties
}
