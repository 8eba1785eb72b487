import type { Guard } from '../delivery/losses.ts'
import type { Properties, TrackOptions } from '../event.ts'
import type { Pages } from '../page/pages.ts'

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
