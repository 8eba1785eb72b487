import { type Budget, requestsReserved } from './budget.ts'
import type { Capture, Properties } from './capture/capture.ts'
import { captureClicks, captureRageClicks } from './capture/clicks.ts'
import type { Definition } from './capture/definition.ts'
import { captureDefinitions } from './capture/definitions.ts'
import { captureErrors, type ReportError } from './capture/errors.ts'
import { captureForms } from './capture/forms.ts'
import { capturePageViews } from './capture/page-views.ts'
import { captureScroll } from './capture/scroll.ts'
import { captureVitals } from './capture/vitals.ts'
import { now } from './clock.ts'
import type { ConsentInput } from './consent.ts'
import { type Core, createCore, isUnseen } from './core.ts'
import type { Loss } from './losses.ts'
import type { Ids } from './visitor.ts'
import { advise, newId } from './world.ts'

/** Signals captured automatically. Each is on unless switched off. */
export type Signal =
  | 'pageViews'
  | 'clicks'
  | 'rageClicks'
  | 'forms'
  | 'scroll'
  | 'errors'
  | 'vitals'
  | 'sessions'
  | 'definitions'

export type Options = {
  /** Base URL of the server. Default: where this script was loaded from, or the page itself. */
  host?: string
  /** Consent until the visitor chooses. Default `granted`; use `denied` where the law requires opt-in. */
  consent?: ConsentInput
  /** `none` stores nothing on the device: the server then recognises visitors for a day. */
  storage?: 'local' | 'none'
  /**
   * Name of Google's data layer, to follow the consent that a banner records there. Default: `dataLayer` if
   * it exists.
   */
  dataLayer?: string
  /** Version of your application. */
  release?: string
  capture?: Partial<Record<Signal, boolean>>
  /** How long events wait to be batched. */
  flushMs?: number
  /** Called for everything that could not be delivered. */
  onError?: (loss: Loss) => void
}

type AnyEvents = { [name: string]: Properties }
/** Properties may be omitted if none is required. */
type Arguments<P> = Record<never, never> extends P ? [properties?: P] : [properties: P]

export type Client<Events = AnyEvents> = {
  track: <Name extends keyof Events & string>(event: Name, ...properties: Arguments<Events[Name]>) => void
  /** For generated code: `createEvents(client.send)`. `ts` is the time of the event, by default now. */
  send: (event: { event: string; properties: object; contract_version?: string; ts?: number }) => void
  identify: (userId: string, traits?: Properties) => void
  alias: (userId: string, previousId?: string) => void
  consent: (choice: ConsentInput) => void
  /** Reports an error that you caught. */
  error: ReportError
  /** Ids of the visitor, for your own server or a recording; undefined without consent or storage. */
  ids: () => Ids | undefined
  /** Starts with a new visitor and session, for the next person on this device. */
  reset: () => void
  flush: () => Promise<{ sent: number; dropped: number }>
  /** For the recorder, which shares the request budget. */
  budget: Budget
}

/** Long enough to batch events, short enough for a live view. */
const usualFlushMs = 2_000

export function init<Events = AnyEvents>(key: string, options: Options = {}): Client<Events> {
  const { capture = {}, dataLayer = 'dataLayer' in window ? 'dataLayer' : undefined } = options
  const isOn = (signal: Signal): boolean => capture[signal] !== false
  const host = (options.host ?? location.origin).replace(/\/$/, '')
  const core = createCore(
    {
      key: String(key),
      host,
      flushMs: options.flushMs ?? usualFlushMs,
      consent: options.consent ?? 'granted',
      keepsOnDevice: options.storage !== 'none',
      release: options.release,
      dataLayer,
      hasSessionEvents: isOn('sessions'),
      onError: options.onError,
    },
    { now, newId, advise },
  )
  const source: Capture = { ...core, now }
  const reportError = captureErrors(source, isOn('errors'))
  const start = core.guard(() => {
    core.follow()
    startCapture(source, core, isOn)
  })
  if (isUnseen()) document.addEventListener('prerenderingchange', start, { once: true })
  else start()
  if (isOn('definitions')) fetchDefinitions(key, host, core, source)
  addEventListener('online', core.queue.flush)
  return createClient<Events>(core, reportError)
}

function startCapture(source: Capture, core: Core, isOn: (signal: Signal) => boolean): void {
  const begin = (signal: Signal, start: (source: Capture, countPage: () => void) => void): void => {
    if (isOn(signal)) source.guard(start)(source, core.visitor.countPage)
  }
  begin('pageViews', capturePageViews)
  begin('clicks', captureClicks)
  begin('rageClicks', captureRageClicks)
  begin('forms', captureForms)
  begin('scroll', captureScroll)
  begin('vitals', captureVitals)
}

/** If the request fails, there are no defined events; everything else works. */
function fetchDefinitions(key: string, host: string, { budget }: Core, source: Capture): void {
  if (!budget.take(requestsReserved)) return
  fetch(`${host}/v1/sdk/config`, { headers: { authorization: `Bearer ${key}` }, credentials: 'omit' })
    .then((answer) => {
      budget.note(answer.status)
      return answer.json()
    })
    .then(
      source.guard(({ definitions }: { definitions?: Definition[] }) => {
        if (definitions?.[0]) captureDefinitions(source, definitions)
      }),
      () => {},
    )
}

function createClient<Events>(core: Core, reportError: ReportError): Client<Events> {
  const { guard, track, visitor, call } = core
  return {
    // boundary: the types of events only narrow what callers may write; the server validates everything
    // anyway.
    track: guard((event: string, properties?: Properties) =>
      track(event, properties ?? {}),
    ) as Client<Events>['track'],
    send: guard(({ event, properties, contract_version, ts }) =>
      track(event, { ...properties }, { contractVersion: contract_version, ts }),
    ),
    identify: guard((userId, traits = {}) => {
      visitor.identify(userId)
      call('/v1/identify', {
        anonymous_id: core.ids()?.anonymous_id,
        user_id: userId,
        traits,
        event_id: newId(),
        ts: now(),
      })
    }),
    alias: guard((userId, previousId) => {
      call('/v1/alias', { previous_id: previousId ?? core.ids()?.anonymous_id, user_id: userId, ts: now() })
    }),
    consent: guard((choice) => core.consent.choose(choice)),
    error: guard(reportError),
    ids: () => (core.consent.state() === 'granted' ? core.ids() : undefined),
    reset: guard(() => {
      visitor.reset()
      core.follow()
    }),
    flush: core.queue.flush,
    budget: core.budget,
  }
}
