import type { Outcome } from '@assay/contract'
import type { City } from '../cities.ts'

const siteKeys = ['shop', 'saas', 'media'] as const
export type SiteKey = (typeof siteKeys)[number]

export type Properties = Readonly<Record<string, unknown>>

/** `context` as tracking SDKs send it; one object is shared by all events of a page. */
export type WireContext = {
  readonly library: { readonly name: string; readonly version: string }
  readonly app: { readonly version: string }
  readonly userAgent?: string
  readonly locale?: string
  readonly timezone?: string
  readonly screen?: { readonly width: number; readonly height: number }
  readonly page?: {
    readonly url: string
    readonly path: string
    readonly title: string
    readonly referrer: string
  }
  readonly campaign?: Readonly<Record<string, string>>
  readonly location?: City
}

/** An item of `/v1/batch`; alone it is the body of `/v1/track`. A member that is undefined is not sent. */
export type WireEvent = {
  readonly event: string
  readonly event_id: string
  readonly anonymous_id: string | undefined
  readonly user_id: string | undefined
  readonly ts: string
  readonly session_id: string | undefined
  readonly properties: Properties
  readonly context: WireContext
}

/** What the gate must say of an event. `storedAs` is the name after mapping. */
export type Expected = {
  readonly outcome: Outcome
  readonly code: string | null
  readonly storedAs: string | null
}

export type TrafficEvent = {
  readonly site: SiteKey
  readonly isBot: boolean
  readonly tsMs: number
  /** When the event would have reached the server; a store that is filled directly can keep it. */
  readonly receivedAtMs: number
  readonly expected: Expected
  readonly wire: WireEvent
}
