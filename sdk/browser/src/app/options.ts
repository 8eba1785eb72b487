import type { ConsentInput } from '../consent.ts'
import type { Loss } from '../delivery/losses.ts'
import type { AppFetch } from './app-transport.ts'
import type { AppStorage } from './storage.ts'

/** Options of an app, whichever framework it uses. */
export type AppOptions = {
  /** Base URL of the server. */
  host: string
  /** Name and version of your app; the version is the release in reports. */
  app?: { name?: string; version?: string }
  /** Consent until the person chooses. Default `granted`; use `denied` where the law requires opt-in. */
  consent?: ConsentInput
  /** Whether `$session_start` and `$session_end` are sent. Default true. */
  sessions?: boolean
  /** How long events wait to be batched. */
  flushMs?: number
  /** Bounds of the queue; beyond them the oldest events are dropped, and counted. */
  queue?: { eventsMax?: number; charactersMax?: number }
  /** False while the device has no network: nothing is tried then. Call `flush` when it is back. */
  isOnline?: () => boolean
  /** Called for everything that could not be delivered. */
  onError?: (loss: Loss) => void
  /** In place of the global one. */
  fetch?: AppFetch
  /** The time in milliseconds, for tests. */
  now?: () => number
}

/** What a framework passes on. */
export type AppPlace = {
  /** Such as `@assay/browser/react-native`. */
  library: string
  storage: AppStorage | undefined
  /** The system, as in `iOS` and `Android`. */
  os: { name: string; version?: string | undefined }
  /** Calls back with true when the app comes to the front and with false when it leaves it. */
  watchFront: (onChange: (isInFront: boolean) => void) => void
}
