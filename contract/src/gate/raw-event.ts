import type { Finding } from './issues.ts'

export type Properties = Readonly<Record<string, unknown>>

/** The page or screen, as far as the sender names it. */
export type Page = {
  url: string | undefined
  path: string | undefined
  title: string | undefined
  referrer: string | undefined
}

/** One event as sent, in our own format for every endpoint and dialect, before validation. */
export type RawEvent = {
  /** The name as sent. */
  name: string
  /**
   * How this endpoint reads the bare name (`pageview` at /api/ingest is `$pageview`); a custom rule takes
   * precedence.
   */
  standardName: string | undefined
  eventId: string | undefined
  anonymousId: string | undefined
  /** The anonymous id was made by the endpoint, not sent: it must not be used to link a person. */
  isAnonymousIdDerived: boolean
  userId: string | undefined
  personId: string | undefined
  sessionId: string | undefined
  siteId: string | undefined
  /** The sender's clock at the time of the event, in ms. */
  tsClient: number | undefined
  /** The sender's clock at the time of sending, in ms. */
  sentAt: number | undefined
  properties: Properties
  context: Properties
  /** Traits of the person or group in an identify or group call. */
  traits: Properties | undefined
  page: Page
  contractVersion: string | undefined
  isHistorical: boolean
  /** Size of everything in the item except properties and context, as sent. */
  envelopeBytes: number
  /** Size of the request body, if the endpoint knows it. */
  sizeBytes: number | undefined
  /** Issues of the envelope itself. */
  findings: readonly Finding[]
}

/** Merges two identities; a command to identity resolution and never an event. */
export type Alias = {
  previousId: string | undefined
  userId: string | undefined
  eventId: string | undefined
  /** Why an identifier that was sent is missing here. */
  findings: readonly Finding[]
}

export type Reading =
  | { kind: 'event'; event: RawEvent }
  | { kind: 'alias'; alias: Alias }
  | { kind: 'unreadable'; findings: readonly Finding[] }

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Sets an own member even under the name `__proto__`, which a plain assignment would turn into a prototype.
 */
export function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })
  } else {
    target[key] = value
  }
}
