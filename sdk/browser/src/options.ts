import type { ConsentInput } from './consent.ts'
import type { Loss } from './delivery/losses.ts'

/** Signals captured automatically. Each is on unless switched off. */
export type Signal =
  | 'pageViews'
  | 'clicks'
  | 'rageClicks'
  | 'forms'
  | 'scroll'
  | 'errors'
  | 'vitals'
  | 'sessions'
  | 'definitions'

export type Options = {
  /** Base URL of the server. Default: where this script was loaded from, or the page itself. */
  host?: string
  /** Consent until the visitor chooses. Default `granted`; use `denied` where the law requires opt-in. */
  consent?: ConsentInput
  /** `none` stores nothing on the device: the server then recognises visitors for a day. */
  storage?: 'local' | 'none'
  /**
   * Name of Google's data layer, to follow the consent that a banner records there. Default: `dataLayer` if
   * it exists.
   */
  dataLayer?: string
  /** Version of your application. */
  release?: string
  capture?: Partial<Record<Signal, boolean>>
  /** How long events wait to be batched. */
  flushMs?: number
  /** Called for everything that could not be delivered. */
  onError?: (loss: Loss) => void
}
