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

/** What is told without a line of code. Everything is on unless switched off. */
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
  /** Where the product is reached. Default: where this script came from, or the page itself. */
  host?: string
  /** What holds until the visitor chooses. Default `granted`; where a law wants a question first, `denied`. */
  consent?: ConsentInput
  /** `none` keeps nothing on the device: the server tells visitors apart, for a day. */
  storage?: 'local' | 'none'
  /** Google's data layer, to follow the consent that a banner notes there. Default: `dataLayer` if it exists. */
  dataLayer?: string
  /** Version of your application. */
  release?: string
  capture?: Partial<Record<Signal, boolean>>
  /** How long events wait for company. */
  flushMs?: number
  /** Told of everything that could not be delivered. */
  onError?: (loss: Loss) => void
}

type AnyEvents = { [name: string]: Properties }
/** Properties may be left out where none is required. */
type Arguments<P> = Record<never, never> extends P ? [properties?: P] : [properties: P]

export type Client<Events = AnyEvents> = {
  track: <Name extends keyof Events & string>(event: Name, ...properties: Arguments<Events[Name]>) => void
  /** For generated code: `createEvents(client.send)`. `ts` says when, if not now. */
  send: (event: { event: string; properties: object; contract_version?: string; ts?: number }) => void
  identify: (userId: string, traits?: Properties) => void
  alias: (userId: string, previousId?: string) => void
  consent: (choice: ConsentInput) => void
  /** Tells of an error that you caught. */
  error: ReportError
  /** Who is here, for your own server or a recording; nothing where nothing may be kept. */
  ids: () => Ids | undefined
  /** The next person on this device: new visitor, new session. */
  reset: () => void
  flush: () => Promise<{ sent: number; dropped: number }>
  /** For the recorder, which sends within the same bounds. */
  budget: Budget
}

/** Long enough to gather what happens together, short enough for a live view. */
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

/** Without an answer there are no such events; everything else goes on. */
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
    // boundary: the types of events only narrow what callers may write; anything that is written is judged anyway.
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
