import { now } from '../clock.ts'
import type { ConsentInput } from '../consent.ts'
import { type Core, createCore } from '../core.ts'
import type { Budget } from '../delivery/budget.ts'
import type { Losses } from '../delivery/losses.ts'
import type { Properties } from '../event.ts'
import { cleanUrl } from '../page/page-address.ts'
import { advise, newAppId } from '../world.ts'
import type { AppDevice } from './app-device.ts'
import { type AppQueue, createAppQueue } from './app-queue.ts'
import { type AppFetch, createPost } from './app-transport.ts'
import type { AppOptions, AppPlace } from './options.ts'

declare const __VERSION__: string

/** The screen that is shown, in the words of a page. */
type Screens = { current: () => { url?: string; title?: string }; show: (name: string) => void }

export type AppCore = Core<Screens> & {
  queue: AppQueue
  /** What the person chose; a refusal is remembered, and nothing else of them. */
  choose: (choice: ConsentInput) => void
}

const usualFlushMs = 2_000
/** A week of a busy app. AsyncStorage on Android holds 6 MB by default, for the whole app. */
const queueEventsMax = 5_000
const queueCharactersMax = 2_000_000

export function createAppCore(
  key: string,
  options: AppOptions,
  place: AppPlace,
  losses: Losses,
  device: AppDevice,
): AppCore {
  let queue: AppQueue | undefined
  const { eventsMax = queueEventsMax, charactersMax = queueCharactersMax } = options.queue ?? {}
  const context = JSON.stringify(contextOf(options, place))
  const core = createCore<Screens>({
    key,
    host: String(options.host).replace(/\/+$/, ''),
    now: options.now ?? now,
    newId: newAppId,
    advise,
    post: createPost(options.fetch ?? globalFetch),
    beacon: () => false,
    isOnline: options.isOnline ?? (() => true),
    device,
    losses,
    budget: createAppBudget(),
    flushMs: options.flushMs ?? usualFlushMs,
    presumed: options.consent ?? 'granted',
    hasSignal: false,
    hasSessionEvents: options.sessions !== false,
    sdkName: `${place.library.replace(/^.*\//, '')} ${__VERSION__}`,
    context: () => context,
    createQueue(settings) {
      queue = createAppQueue(settings, device, { eventsMax, charactersMax })
      return queue
    },
    watchPages: createScreens,
    isUnseen: () => false,
  })
  const { consent } = core
  core.follow()
  // A withdrawal that an earlier start could not send.
  if (consent.state() === 'denied') core.queue.adopt()
  place.watchFront(core.guard((isInFront) => front(core, isInFront)))
  return {
    ...core,
    // boundary: made above, by the function that the core called.
    queue: queue as AppQueue,
    choose(choice) {
      consent.choose(choice)
      if (consent.state() === 'denied') device.rememberChoice(JSON.stringify(consent.choices()))
    },
  }
}

/** In front again: a new session begins if the last one is over. Left: the system may end the app at any time. */
function front({ consent, visitor, queue, device }: Core<Screens>, isInFront: boolean): void {
  if (isInFront && consent.state() === 'granted' && device.isKept()) visitor.ids(false)
  void queue.flush()
}

function createScreens(): Screens {
  let screen: { url?: string; title?: string } = {}
  return {
    current: () => screen,
    show(name) {
      screen = { url: cleanUrl(name.startsWith('/') ? name : `/${name}`), title: name }
    },
  }
}

/** An app runs for days, so only a refused key ends its requests; the pauses between them grow to five minutes. */
function createAppBudget(): Budget {
  let isStopped = false
  return {
    take: () => !isStopped,
    note(status) {
      if (isStopped || (status !== 401 && status !== 403)) return
      isStopped = true
      advise(`Assay stopped: key refused (${status})`)
    },
  }
}

const globalFetch: AppFetch = (url, init) => fetch(url, init)

function contextOf({ app }: AppOptions, { library, os }: AppPlace): Properties {
  return {
    library: { name: library, version: __VERSION__ },
    app: { ...app },
    os,
    ...localeOf(),
  }
}

/** Older engines of React Native have no `Intl`. */
function localeOf(): Properties {
  try {
    const { locale, timeZone } = Intl.DateTimeFormat().resolvedOptions()
    return { locale, timezone: timeZone }
  } catch {
    return {}
  }
}
