import { type Budget, createBudget } from './budget.ts'
import type { Properties } from './capture/capture.ts'
import {
  type Consent,
  type ConsentInput,
  createConsent,
  followDataLayer,
  type LayerEntry,
} from './consent.ts'
import { openDevice } from './device.ts'
import { countLosses, type Guard, guardWith, type Loss } from './losses.ts'
import { type Pages, watchPages } from './pages.ts'
import { createQueue, type Queue } from './queue.ts'
import { createTracker, hasIds, readContext, type Tracker, type TrackerParts } from './tracker.ts'
import { network } from './transport.ts'
import { createVisitor, type Ids, type Visitor } from './visitor.ts'
import type { World } from './world.ts'

export type CoreSettings = {
  key: string
  host: string
  flushMs: number
  consent: ConsentInput
  keepsOnDevice: boolean
  release: string | undefined
  dataLayer: string | undefined
  hasSessionEvents: boolean
  onError: ((loss: Loss) => void) | undefined
}

export type Core = {
  track: Tracker['track']
  /** A call that is not an event, such as identify; ignored if the visitor refused consent. */
  call: (path: string, body: Properties) => void
  /** Ids of the visitor, where they may be recognised at all. */
  ids: () => Ids | undefined
  consent: Consent
  visitor: Visitor
  queue: Queue
  budget: Budget
  pages: Pages
  guard: Guard
  /** After a reset the consent applies to a visitor whom the server does not know yet. */
  follow: () => void
}

/** Connects visitor, page, consent and delivery. */
export function createCore(settings: CoreSettings, world: World): Core {
  const losses = countLosses(settings.onError)
  const guard = guardWith(losses)
  const device = openDevice(`assay.${settings.key.slice(-12)}`, world.newId(), settings.keepsOnDevice)
  const budget = createBudget(device, world)
  const queue = createQueue({
    ...world,
    ...settings,
    ...network,
    context: () => JSON.stringify(readContext(settings.release)),
    device,
    losses,
    budget,
    lossBody: (loss) => tracker.lossBody(loss),
  })
  const pages = watchPages(guard, queue.leave)
  const consent = createConsent(settings.consent, () => follow())
  const visitor = createVisitor(world, device, (change) => {
    if (settings.hasSessionEvents) tracker.tellSession(change)
  })
  const parts = { world, device, queue, pages, consent, visitor }
  const tracker = createTracker(parts)
  const follow = (): void => followConsent(parts)

  guard(() => {
    const { c } = device.read()
    if (c) consent.choose(JSON.parse(c))
    if (settings.dataLayer) followDataLayer(layerOf(settings.dataLayer), consent, guard)
  })()

  return {
    track: tracker.track,
    call(path, body) {
      if (consent.state() !== 'denied') queue.add({ path, body: JSON.stringify(body) })
    },
    ids: () => (hasIds(device, consent) ? visitor.ids(true) : undefined),
    consent,
    visitor,
    queue,
    budget,
    pages,
    guard,
    follow,
  }
}

/** A page that the browser prerenders: most are never viewed. */
export const isUnseen = (): boolean => 'prerendering' in document && document.prerendering === true

/** Sends, keeps or drops events according to the consent. */
function followConsent(parts: TrackerParts): void {
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
  queue.hold(state === 'pending' || isUnseen())
}

/** Sent in front of the events that need it, because the server must know the consent before they arrive. */
function sendConsent({ world, consent, device, queue, visitor }: TrackerParts): void {
  const categories = consent.choices()
  const current = JSON.stringify(categories)
  const isSaid = consent.isChosen() || consent.hasSignal
  if (!isSaid || device.read().c === current || !hasIds(device, consent)) return
  const { anonymous_id } = visitor.ids(true)
  device.write({ ...device.read(), c: current })
  const source = consent.isChosen() ? 'browser_sdk' : 'gpc'
  const effective_at = new Date(world.now()).toISOString()
  const record = { anonymous_id, categories, source, gpc: consent.hasSignal, effective_at }
  queue.add({ path: '/v1/consent', body: JSON.stringify(record) }, true)
}

/** The page's data layer, created if missing: the banner that fills it may load after us. */
function layerOf(name: string): LayerEntry[] {
  // boundary: by convention an array under this name, and `window` has no type for names of others.
  const globals = window as unknown as Record<string, LayerEntry[]>
  globals[name] ??= []
  return globals[name]
}
