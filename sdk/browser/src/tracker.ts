import type { Consent } from './consent.ts'
import { eventsPath } from './delivery/item.ts'
import type { Loss } from './delivery/losses.ts'
import type { Queue } from './delivery/queue.ts'
import type { Device } from './device.ts'
import { type Properties, passive, type TrackOptions } from './event.ts'
import type { Ids, SessionChange, Visitor } from './visitor.ts'
import type { World } from './world.ts'

export type TrackerParts = World & {
  device: Device
  queue: Queue
  pages: { current: () => { url?: string } }
  consent: Consent
  visitor: Visitor
  /** Name and version of the SDK, for reports of losses. */
  sdkName: string
}

export type Tracker = {
  track: (event: string, properties: Properties, options?: TrackOptions) => void
  /** A call that is not an event, such as identify. Without consent the body is not even made. */
  call: (path: string, makeBody: () => Properties) => void
  tellSession: (change: SessionChange) => void
  /** The event that reports a loss. It is never sent alone, so it is not queued. */
  lossBody: (loss: Loss) => string
}

/** Turns an action into an event with id, time, visitor, session and page. */
export function createTracker(parts: TrackerParts): Tracker {
  const { now, newId, device, queue, pages, consent, visitor } = parts

  function bodyOf(event: string, properties: Properties, options: TrackOptions): Properties {
    const { ts = now(), element, isPassive, sessionId, contractVersion } = options
    const ids: Ids = hasIds(device, consent) ? visitor.ids(isPassive === true) : { user_id: device.read().u }
    return {
      event,
      event_id: newId(),
      ts,
      ...ids,
      session_id: sessionId ?? ids.session_id,
      contract_version: contractVersion,
      properties,
      context: { page: pages.current(), element },
    }
  }

  function call(path: string, makeBody: () => Properties): void {
    if (consent.state() !== 'denied') queue.add({ path, body: JSON.stringify(makeBody()) })
  }

  function track(event: string, properties: Properties, options: TrackOptions = {}): void {
    call(eventsPath, () => bodyOf(event, properties, options))
  }

  return {
    track,
    call,
    tellSession({ ended, begun: [id] }) {
      if (ended) {
        const [sessionId, beganAt, ts, pageCount] = ended
        const properties = { session_id: sessionId, duration_ms: ts - beganAt, page_count: pageCount }
        track('$session_end', properties, { isPassive: true, ts, sessionId })
      }
      track('$session_start', { session_id: id, landing_page: pages.current().url }, passive)
    },
    lossBody: (loss) => JSON.stringify(bodyOf('sdk_loss', { ...loss, sdk: parts.sdkName }, passive)),
  }
}

/** Without storage each page would be another visitor; the server recognises visitors better, for a day. */
export function hasIds(device: Device, consent: Consent): boolean {
  return device.isKept() || consent.isChosen() || consent.state() === 'pending'
}
