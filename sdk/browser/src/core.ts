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
  /** A call that is no event, such as to identify; nothing where the visitor has refused. */
  call: (path: string, body: Properties) => void
  /** Of the visitor, where one may be told apart at all. */
  ids: () => Ids | undefined
  consent: Consent
  visitor: Visitor
  queue: Queue
  budget: Budget
  pages: Pages
  guard: Guard
  /** After a reset the consent holds for a visitor whom the server does not know yet. */
  follow: () => void
}

/** Ties together who, where, whether it may be told, and how it travels. */
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

/** A page that the browser loads on suspicion: most are never looked at. */
export const isUnseen = (): boolean => 'prerendering' in document && document.prerendering === true

/** Lets events go, wait or vanish, as the visitor wants it. */
function followConsent(parts: TrackerParts): void {
  const { consent, device, queue, visitor } = parts
  const state = consent.state()
  if (state === 'granted') {
    device.allow()
    // Noted at once, so that a second tab finds a visitor and does not make another.
    if (device.isKept()) visitor.ids(true)
    queue.adopt()
    tellConsent(parts)
  }
  if (state === 'denied') {
    queue.clear()
    // Whoever was known here withdraws; whoever never was stays unknown.
    if (device.isKept()) tellConsent(parts)
    device.forbid()
  }
  queue.hold(state === 'pending' || isUnseen())
}

/** The server must know of a consent before the events that need it arrive; hence in front of them. */
function tellConsent({ world, consent, device, queue, visitor }: TrackerParts): void {
  const categories = consent.choices()
  const told = JSON.stringify(categories)
  const isSaid = consent.isChosen() || consent.hasSignal
  if (!isSaid || device.read().c === told || !hasIds(device, consent)) return
  const { anonymous_id } = visitor.ids(true)
  device.write({ ...device.read(), c: told })
  const source = consent.isChosen() ? 'browser_sdk' : 'gpc'
  const effective_at = new Date(world.now()).toISOString()
  const record = { anonymous_id, categories, source, gpc: consent.hasSignal, effective_at }
  queue.add({ path: '/v1/consent', body: JSON.stringify(record) }, true)
}

/** The page's layer, made if it is not there yet: the banner that fills it may load after us. */
function layerOf(name: string): LayerEntry[] {
  // boundary: by convention a list under this name, and `window` has no type for names of others.
  const globals = window as unknown as Record<string, LayerEntry[]>
  globals[name] ??= []
  return globals[name]
}
