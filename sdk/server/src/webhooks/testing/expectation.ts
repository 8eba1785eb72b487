import type { Provider, UnmappedReason } from '../webhooks.ts'

/** What one delivery should become. */
export type Expectation = {
  provider: Provider
  about: string
  headers?: Record<string, string>
  body: unknown
  /** In order; each is compared by the members it has. */
  events?: readonly ExpectedEvent[]
  left?: UnmappedReason | 'test' | 'handshake'
  /** Left by the SDK alone: the product remembers other deliveries, and makes an event of it. */
  needsMemory?: true
}

type ExpectedEvent = {
  event: string
  event_id?: string
  user_id?: string
  anonymous_id?: string
  ts?: string
  properties?: Readonly<Record<string, unknown>>
  context?: Readonly<Record<string, unknown>>
  /** Members that must be absent from the event or its properties. */
  lacks?: readonly string[]
}
