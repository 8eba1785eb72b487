import { eventsPath } from './backlog.ts'
import { type Properties, passive, type TrackOptions } from './capture/capture.ts'
import type { Consent } from './consent.ts'
import type { Device } from './device.ts'
import { describeElement } from './element.ts'
import type { Loss } from './losses.ts'
import type { Pages } from './pages.ts'
import type { Queue } from './queue.ts'
import type { Ids, SessionChange, Visitor } from './visitor.ts'
import type { World } from './world.ts'

declare const __VERSION__: string

export type TrackerParts = {
  world: World
  device: Device
  queue: Queue
  pages: Pages
  consent: Consent
  visitor: Visitor
}

export type Tracker = {
  track: (event: string, properties: Properties, options?: TrackOptions) => void
  tellSession: (change: SessionChange) => void
  /** The event that reports a loss. It is never sent alone, so it is not queued. */
  lossBody: (loss: Loss) => string
}

/** Turns an action into an event with id, time, visitor, session and page. */
export function createTracker({ world, device, queue, pages, consent, visitor }: TrackerParts): Tracker {
  function bodyOf(event: string, properties: Properties, options: TrackOptions): string {
    const { ts = world.now(), element, isPassive, sessionId, contractVersion } = options
    const ids: Ids = hasIds(device, consent) ? visitor.ids(isPassive === true) : { user_id: device.read().u }
    return JSON.stringify({
      event,
      event_id: world.newId(),
      ts,
      ...ids,
      session_id: sessionId ?? ids.session_id,
      contract_version: contractVersion,
      properties,
      context: { page: pages.current(), element: element && describeElement(element) },
    })
  }

  function track(event: string, properties: Properties, options: TrackOptions = {}): void {
    if (consent.state() !== 'denied')
      queue.add({ path: eventsPath, body: bodyOf(event, properties, options) })
  }

  return {
    track,
    tellSession({ ended, begun: [id] }) {
      if (ended) {
        const [sessionId, beganAt, ts, pageCount] = ended
        const properties = { session_id: sessionId, duration_ms: ts - beganAt, page_count: pageCount }
        track('$session_end', properties, { isPassive: true, ts, sessionId })
      }
      track('$session_start', { session_id: id, landing_page: pages.current().url }, passive)
    },
    lossBody: (loss) => bodyOf('sdk_loss', { ...loss, sdk: `browser ${__VERSION__}` }, passive),
  }
}

/** Without storage each page would be another visitor; the server recognises visitors better, for a day. */
export function hasIds(device: Device, consent: Consent): boolean {
  return device.isKept() || consent.isChosen() || consent.state() === 'pending'
}

export function readContext(release: string | undefined): Properties {
  return {
    library: { name: '@assay/browser', version: __VERSION__ },
    locale: navigator.language,
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    screen: { width: screen.width, height: screen.height },
    app: release && { version: release },
  }
}
