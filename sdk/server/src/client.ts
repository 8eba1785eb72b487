import { type Api, createApi, everyItem } from './api/api.ts'
import type { Filter, Metric } from './api/golden/operations.ts'
import {
  type AliasCall,
  type AnyCall,
  type AnyEvents,
  type CallType,
  type Consent,
  type GroupCall,
  type IdentifyCall,
  type PageCall,
  type Properties,
  type Someone,
  type Standing,
  type TrackCall,
  toWire,
  type Who,
} from './calls.ts'
import { type Clock, systemClock } from './clock.ts'
import { createHttp, type Fetch } from './http.ts'
import { type Loss, Losses, type LossReason, type OnError } from './losses.ts'
import { type Flushed, Outbox } from './outbox.ts'
import { ApiProblem, type FieldError, type ProblemSlug } from './problem.ts'
import { version } from './version.ts'

export {
  type AliasCall,
  type AnyEvents,
  type Api,
  ApiProblem,
  type Consent,
  everyItem,
  type Fetch,
  type FieldError,
  type Filter,
  type Flushed,
  type GroupCall,
  type IdentifyCall,
  type Loss,
  type LossReason,
  type Metric,
  type PageCall,
  type ProblemSlug,
  type Properties,
  type Someone,
  type Standing,
  type TrackCall,
  type Who,
}

export type ClientOptions = {
  /**
   * A secret key (`sk_live_…`, `svc_sk_…`), or the access token of a person for reads. An environment variable
   * that is not set is a key that the server refuses: `onError` is called.
   */
  key: string | undefined
  /** Base URL of the server: `https://assay.example`. */
  url: string
  /** The same for the control plane, if it is separate. */
  controlUrl?: string
  /** The site of the events, if the key is not bound to one. */
  siteId?: string
  /** Sent with every event. */
  context?: Properties
  flushAt?: number
  /** 0 sends only when `flushAt` is reached or `flush` is called, as edge run times need it. */
  flushIntervalMs?: number
  queueEventsMax?: number
  queueBytesMax?: number
  attemptsMax?: number
  timeoutMs?: number
  /** Called for everything that is lost, with the reason. */
  onError?: OnError
  fetch?: Fetch
  now?: Clock
  newId?: () => string
  random?: () => number
}

/** Tracking calls. None of them throws or waits. `Person` is what each has to say about who it is about. */
type Calls<Events extends AnyEvents, Person> = {
  track: (call: TrackCall<Events> & Person) => void
  identify: (call: IdentifyCall & Person) => void
  alias: (call: AliasCall) => void
  page: (call: PageCall & Person) => void
  screen: (call: PageCall & Person) => void
  group: (call: GroupCall & Person) => void
  /** A tracker with defaults for every event. */
  with: (standing: Standing) => Tracker<Events>
}

/** Calls that may leave the person to the defaults. */
export type Tracker<Events extends AnyEvents = AnyEvents> = Calls<Events, unknown>

export type Client<Events extends AnyEvents = AnyEvents> = Calls<Events, Someone> & {
  /**
   * Sends these now and returns their verdicts; with `strict` all of them are stored or none. Throws
   * `ApiProblem`.
   */
  batch: (
    calls: readonly (TrackCall<Events> & Someone)[],
    options?: { strict?: boolean },
  ) => ReturnType<Api['batch']>
  /** Records a person's consent. Throws `ApiProblem`, since it must not get lost. */
  consent: (record: ConsentCall) => ReturnType<Api['recordConsent']>
  /** Sends what waits. `pending` in the result is what is still being retried. */
  flush: (options?: { timeoutMs?: number }) => Promise<Flushed>
  /** The last call: sends what waits, and accepts nothing more. */
  close: (options?: { timeoutMs?: number }) => Promise<Flushed>
  readonly losses: Readonly<Record<LossReason, number>>
  readonly pending: number
  /** Every route of the product. Throws `ApiProblem`. */
  api: Api
}

export type ConsentCall = Who &
  Someone & {
    categories: Consent
    source?: string
    policyVersion?: string
    regime?: 'gdpr' | 'kvkk' | 'ccpa'
    proof?: string | Properties
  }

/** Enough for an outage of minutes at a few events per second; about 10 MB. */
const usual = {
  flushAt: 100,
  flushIntervalMs: 1_000,
  queueEventsMax: 10_000,
  queueBytesMax: 32_000_000,
  /** With the pauses between them about four minutes. */
  attemptsMax: 12,
  timeoutMs: 10_000,
}
const flushTimeoutMs = 30_000
const closeTimeoutMs = 5_000

export function createClient<Events extends AnyEvents = AnyEvents>(options: ClientOptions): Client<Events> {
  const { key = '', url, fetch, timeoutMs = usual.timeoutMs, now = systemClock, random = chance } = options
  const newId = options.newId ?? (() => crypto.randomUUID())
  const losses = new Losses(options.onError)
  const http = createHttp({ url, key, fetch, timeoutMs })
  const sending = new AbortController()
  const outbox = new Outbox({
    flushAt: options.flushAt ?? usual.flushAt,
    flushIntervalMs: options.flushIntervalMs ?? usual.flushIntervalMs,
    queueEventsMax: options.queueEventsMax ?? usual.queueEventsMax,
    queueBytesMax: options.queueBytesMax ?? usual.queueBytesMax,
    attemptsMax: options.attemptsMax ?? usual.attemptsMax,
    http: createHttp({ url, key, fetch, timeoutMs, signal: sending.signal }),
    endCalls: () => sending.abort(),
    losses,
    now,
    random,
  })
  const controlHttp = options.controlUrl
    ? createHttp({ url: options.controlUrl, key, fetch, timeoutMs })
    : http
  const api = createApi(http, controlHttp)
  const context = { library: { name: '@assay/server', version }, ...options.context }
  const standing: Standing = { siteId: options.siteId, context }

  const say = (type: CallType, call: AnyCall, about: Standing) => {
    try {
      const eventId = call.eventId ?? newId()
      outbox.push(eventId, JSON.stringify(toWire(type, call, about, eventId, now())))
    } catch {
      // A circular reference or a big integer in the properties must not break the caller.
      losses.add({ reason: 'unserialisable', count: 1 })
    }
  }
  return {
    ...trackerFor<Events>(say, standing),
    batch: (calls, { strict = false } = {}) => {
      const items = calls.map((call) => toWire('track', call, standing, call.eventId ?? newId(), now()))
      const body = { batch: items, sent_at: new Date(now()).toISOString() }
      return strict ? api.batch({ body, headers: { prefer: 'handling=strict' } }) : api.batch({ body })
    },
    consent: ({ userId, anonymousId, personId, policyVersion, categories, ...rest }) => {
      const { gpc, ...stated } = categories
      return api.recordConsent({
        body: {
          ...rest,
          ...(userId !== undefined && { user_id: userId }),
          ...(anonymousId !== undefined && { anonymous_id: anonymousId }),
          ...(personId !== undefined && { person_id: personId }),
          ...(policyVersion !== undefined && { policy_version: policyVersion }),
          ...(gpc !== undefined && { gpc }),
          categories: stated,
        },
      })
    },
    flush: (wanted) => outbox.flush(wanted?.timeoutMs ?? flushTimeoutMs),
    close: (wanted) => outbox.close(wanted?.timeoutMs ?? closeTimeoutMs),
    losses: losses.counts,
    get pending() {
      return outbox.pending
    },
    api,
  }
}

/** Between 0 and 1, from the only random source that every run time has. */
const chance = () => (crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) / 2 ** 32

type Say = (type: CallType, call: AnyCall, about: Standing) => void

function trackerFor<Events extends AnyEvents>(say: Say, standing: Standing): Tracker<Events> {
  return {
    track: (call) => say('track', call, standing),
    identify: (call) => say('identify', call, standing),
    alias: (call) => say('alias', call, standing),
    page: (call) => say('page', call, standing),
    screen: (call) => say('screen', call, standing),
    group: (call) => say('group', call, standing),
    with: (more) =>
      trackerFor(say, {
        ...standing,
        ...more,
        context: { ...standing.context, ...more.context },
        ...((standing.consent || more.consent) && { consent: { ...standing.consent, ...more.consent } }),
      }),
  }
}
