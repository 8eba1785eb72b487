import { type Consent, type ConsentInput, createConsent } from './consent.ts'
import { type Guard, guardWith } from './delivery/losses.ts'
import type { Queue, QueueSettings } from './delivery/queue.ts'
import { createTracker, hasIds, type Tracker, type TrackerParts } from './tracker.ts'
import { createVisitor, type Ids, type Visitor } from './visitor.ts'

/** What a page and an app do differently: where they store, how they send, what they show. */
type Place<Pages> = Omit<QueueSettings, 'lossBody'> & {
  /** Consent until the visitor chooses. */
  presumed: ConsentInput
  hasSignal: boolean
  hasSessionEvents: boolean
  /** Name and version of the SDK, for reports of losses. */
  sdkName: string
  createQueue: (settings: QueueSettings) => Queue
  /** Follows what is shown; `leave` is for the moment when it may be gone. */
  watchPages: (guard: Guard, leave: () => void) => Pages
  /** Whether nothing may be sent yet, whatever the consent. */
  isUnseen: () => boolean
}

type Parts<Pages> = Place<Pages> & {
  queue: Queue
  pages: Pages
  consent: Consent
  visitor: Visitor
}

export type Core<Pages> = Parts<Pages> &
  Tracker & {
    /** Ids of the visitor, where they may be recognised at all. */
    ids: () => Ids | undefined
    guard: Guard
    /** After a reset the consent applies to a visitor whom the server does not know yet. */
    follow: () => void
  }

/** Connects visitor, page, consent and delivery. */
export function createCore<Pages extends TrackerParts['pages']>(place: Place<Pages>): Core<Pages> {
  const { device } = place
  const guard = guardWith(place.losses)
  const queue = place.createQueue({ ...place, lossBody: (loss) => tracker.lossBody(loss) })
  const pages = place.watchPages(guard, queue.leave)
  const consent = createConsent(place.presumed, place.hasSignal, () => follow())
  const visitor = createVisitor(place, device, (change) => {
    if (place.hasSessionEvents) tracker.tellSession(change)
  })
  const parts = { ...place, queue, pages, consent, visitor }
  const tracker = createTracker(parts)
  const follow = (): void => followConsent(parts)

  guard(() => {
    const { c } = device.read()
    if (c) consent.choose(JSON.parse(c))
  })()

  return {
    ...parts,
    ...tracker,
    ids: () => (hasIds(device, consent) ? visitor.ids(true) : undefined),
    guard,
    follow,
  }
}

/** Sends, keeps or drops events according to the consent. */
function followConsent(parts: TrackerParts & { isUnseen: () => boolean }): void {
  const { consent, device, queue, visitor } = parts
  const state = consent.state()
  if (state === 'granted') {
    device.allow()
    // Stored immediately, so that a second tab uses the same visitor.
    if (device.isKept()) visitor.ids(true)
    queue.adopt()
    sendConsent(parts)
  }
  if (state === 'denied') {
    queue.clear()
    // A known visitor withdraws; an unknown one stays unknown.
    if (device.isKept()) sendConsent(parts)
    device.forbid()
  }
  queue.hold(state === 'pending' || parts.isUnseen())
}

/** Sent in front of the events that need it, because the server must know the consent before they arrive. */
function sendConsent({ now, consent, device, queue, visitor }: TrackerParts): void {
  const categories = consent.choices()
  const current = JSON.stringify(categories)
  const isSaid = consent.isChosen() || consent.hasSignal
  if (!isSaid || device.read().c === current || !hasIds(device, consent)) return
  const { anonymous_id } = visitor.ids(true)
  device.write({ ...device.read(), c: current })
  const source = consent.isChosen() ? 'browser_sdk' : 'gpc'
  const effective_at = new Date(now()).toISOString()
  const record = { anonymous_id, categories, source, gpc: consent.hasSignal, effective_at }
  queue.add({ path: '/v1/consent', body: JSON.stringify(record) }, true)
}
