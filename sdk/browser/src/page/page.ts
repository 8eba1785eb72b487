import { now } from '../clock.ts'
import { followDataLayer, type LayerEntry } from '../consent.ts'
import { type Core, createCore } from '../core.ts'
import { createBudget } from '../delivery/budget.ts'
import { countLosses } from '../delivery/losses.ts'
import { createQueue } from '../delivery/queue.ts'
import { network } from '../delivery/transport.ts'
import { openDevice } from '../device.ts'
import type { Properties } from '../event.ts'
import type { Options } from '../options.ts'
import { advise, newId } from '../world.ts'
import { type Pages, watchPages } from './pages.ts'

declare const __VERSION__: string

export type PageCore = Core<Pages>

/** Long enough to batch events, short enough for a live view. */
const usualFlushMs = 2_000

/** The core with what a browser offers: local storage, beacons, history, the privacy signal. */
export function createPageCore(key: string, options: Options, hasSessionEvents: boolean): PageCore {
  const { dataLayer = 'dataLayer' in window ? 'dataLayer' : undefined } = options
  const device = openDevice(`assay.${key.slice(-12)}`, newId(), options.storage !== 'none')
  const core = createCore({
    ...network,
    key,
    host: (options.host ?? location.origin).replace(/\/$/, ''),
    now,
    newId,
    advise,
    device,
    losses: countLosses(options.onError),
    budget: createBudget(device, { now, advise }),
    flushMs: options.flushMs ?? usualFlushMs,
    presumed: options.consent ?? 'granted',
    hasSignal: 'globalPrivacyControl' in navigator && navigator.globalPrivacyControl === true,
    hasSessionEvents,
    sdkName: `browser ${__VERSION__}`,
    context: () => JSON.stringify(readContext(options.release)),
    createQueue,
    watchPages,
    isUnseen,
  })
  if (dataLayer) core.guard(() => followDataLayer(layerOf(dataLayer), core.consent, core.guard))()
  return core
}

/** A page that the browser prerenders: most are never viewed. */
export const isUnseen = (): boolean => 'prerendering' in document && document.prerendering === true

/** The page's data layer, created if missing: the banner that fills it may load after us. */
function layerOf(name: string): LayerEntry[] {
  // boundary: by convention an array under this name, and `window` has no type for names of others.
  const globals = window as unknown as Record<string, LayerEntry[]>
  globals[name] ??= []
  return globals[name]
}

function readContext(release: string | undefined): Properties {
  return {
    library: { name: '@assay/browser', version: __VERSION__ },
    locale: navigator.language,
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    screen: { width: screen.width, height: screen.height },
    app: release && { version: release },
  }
}
