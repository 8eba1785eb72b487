import type { Guard } from '../losses.ts'
import type { Pages } from '../pages.ts'

export type Properties = { readonly [name: string]: unknown }

export type TrackOptions = {
  /** A passive event tells of what was there, not of something done: it keeps no session alive. */
  isPassive?: boolean
  /** When it happened, if not now. */
  ts?: number | undefined
  /** In which session, if not in the one of now. */
  sessionId?: string
  contractVersion?: string | undefined
  /** The element it happened to; it is described in the context, since the properties belong to the contract. */
  element?: Element | undefined
}

export const passive: TrackOptions = { isPassive: true }

/** What a signal needs: a way to say what happened, and to know when pages come and go. */
export type Capture = {
  track: (event: string, properties: Properties, options?: TrackOptions) => void
  pages: Pages
  guard: Guard
  now: () => number
}

/** Listens before the page does, which may stop an event, and never makes scrolling wait. */
export function listen<Name extends keyof WindowEventMap>(
  { guard }: Capture,
  name: Name,
  hear: (event: WindowEventMap[Name]) => void,
): void {
  addEventListener(name, guard(hear), { capture: true, passive: true })
}
