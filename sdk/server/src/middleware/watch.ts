import type { AnyEvents, Standing, Tracker } from '../client.ts'
import { type Clock, systemClock } from '../clock.ts'
import {
  type Answered,
  type MiddlewareOptions,
  reportError,
  standingOf,
  trackResponse,
  type Visit,
} from './visit.ts'

/** Shared by all middleware: identifies the visitor once per request, and tracks the response. */
type Watch<Request extends object> = {
  begin: (request: Request, visit: Visit) => Promise<void>
  answered: (request: Request, answered: Omit<Answered, 'durationMs'>) => void
  failed: (request: Request, error: unknown, route: string | undefined) => void
}

/** Any client, whatever events its types know: the middleware sends standard events. */
type AnyClient = { with: (standing: Standing) => object }

export type WatchOptions<Request> = MiddlewareOptions<Request> & {
  client: AnyClient
  /**
   * Secret of the daily visitor hash: any text that others do not know. Use the same for all processes of one
   * site; without it each process has its own.
   */
  visitorSecret?: string
  now?: Clock
}

type Watched = { visit: Visit; tracker: Tracker; beganMs: number }

const watched = new WeakMap<object, Watched>()

/**
 * The tracker of the current request: it has its visitor, page and consent. Undefined for requests that are
 * not tracked. `trackerOf<Events>(request)` has the types of your registry.
 */
export function trackerOf<Events extends AnyEvents = AnyEvents>(
  request: object,
): Tracker<Events> | undefined {
  // boundary: the types of events exist at compile time only; the tracker takes all of them.
  return watched.get(request)?.tracker as Tracker<Events> | undefined
}

export function createWatch<Request extends object>(options: WatchOptions<Request>): Watch<Request> {
  const { client, now = systemClock, ignore = () => false, errors = true } = options
  const visitorSecret = options.visitorSecret ?? crypto.randomUUID()
  return {
    async begin(request, visit) {
      if (ignore(visit.path)) return
      const beganMs = now()
      const standing = await standingOf(visit, request, options, visitorSecret, beganMs)
      // boundary: as above; every client makes trackers.
      const tracker = client.with(standing) as Tracker
      watched.set(request, { visit, tracker, beganMs })
    },
    answered(request, answered) {
      const known = watched.get(request)
      if (known === undefined) return
      const durationMs = now() - known.beganMs
      trackResponse(known.tracker, known.visit, request, { ...answered, durationMs }, options)
    },
    failed(request, error, route) {
      const known = watched.get(request)
      if (known !== undefined && errors) reportError(known.tracker, known.visit, error, route)
    },
  }
}
