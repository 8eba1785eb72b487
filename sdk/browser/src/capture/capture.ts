import type { Guard } from '../losses.ts'
import type { Pages } from '../pages.ts'

export type Properties = { readonly [name: string]: unknown }

export type TrackOptions = {
  /**
   * A passive event, such as a web vital, reports a state and not an action: it does not extend the session.
   */
  isPassive?: boolean
  /** When it happened, if not now. */
  ts?: number | undefined
  /** The session, if not the current one. */
  sessionId?: string
  contractVersion?: string | undefined
  /** The element it happened to; described in the context, since the properties belong to the contract. */
  element?: Element | undefined
}

export const passive: TrackOptions = { isPassive: true }

/** What a signal needs: a way to track, and callbacks when pages are shown and left. */
export type Capture = {
  track: (event: string, properties: Properties, options?: TrackOptions) => void
  pages: Pages
  guard: Guard
  now: () => number
}

/** Capturing, because a page may stop an event, and passive, so that scrolling never waits. */
export function listen<Name extends keyof WindowEventMap>(
  { guard }: Capture,
  name: Name,
  hear: (event: WindowEventMap[Name]) => void,
): void {
  addEventListener(name, guard(hear), { capture: true, passive: true })
}
