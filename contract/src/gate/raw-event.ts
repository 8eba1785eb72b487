import type { Finding } from './issues.ts'

export type Properties = Readonly<Record<string, unknown>>

/** Where it happened, as far as the sender says. */
export type Page = {
  url: string | undefined
  path: string | undefined
  title: string | undefined
  referrer: string | undefined
}

/** One event as sent, in our own words, whatever door and dialect it came by. Nothing in it is judged yet. */
export type RawEvent = {
  /** The name as sent. */
  name: string
  /** What this door reads the bare name as (`pageview` at /api/ingest is `$pageview`); a custom rule outranks it. */
  standardName: string | undefined
  eventId: string | undefined
  anonymousId: string | undefined
  /** The anonymous id was made by the door, not sent: it must not be used to link a person. */
  isAnonymousIdDerived: boolean
  userId: string | undefined
  personId: string | undefined
  sessionId: string | undefined
  siteId: string | undefined
  /** The sender's clock at the event, in ms. */
  tsClient: number | undefined
  /** The sender's clock at sending, in ms. */
  sentAt: number | undefined
  properties: Properties
  context: Properties
  /** What an identify or group call says of the person or group. */
  traits: Properties | undefined
  page: Page
  contractVersion: string | undefined
  isHistorical: boolean
  /** Of everything in the item beside properties and context, as it was sent. */
  envelopeBytes: number
  /** Size on the wire, where the door knows it. */
  sizeBytes: number | undefined
  /** What the envelope itself gave rise to. */
  findings: readonly Finding[]
}

/** Merges two identities; it is a command to identity resolution and never an event. */
export type Alias = {
  previousId: string | undefined
  userId: string | undefined
  eventId: string | undefined
  /** Why an identifier is missing here that was sent. */
  findings: readonly Finding[]
}

export type Reading =
  | { kind: 'event'; event: RawEvent }
  | { kind: 'alias'; alias: Alias }
  | { kind: 'unreadable'; findings: readonly Finding[] }

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Writes an own member even under the name `__proto__`, which plain assignment would turn into a prototype. */
export function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })
  } else {
    target[key] = value
  }
}
