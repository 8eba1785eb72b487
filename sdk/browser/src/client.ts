import { captureClicks, captureRageClicks } from './capture/clicks.ts'
import type { Definition } from './capture/definition.ts'
import { captureDefinitions } from './capture/definitions.ts'
import { captureErrors } from './capture/errors.ts'
import { captureForms } from './capture/forms.ts'
import { capturePageViews } from './capture/page-views.ts'
import { captureScroll } from './capture/scroll.ts'
import { captureVitals } from './capture/vitals.ts'
import { now } from './clock.ts'
import type { ConsentInput } from './consent.ts'
import { type Budget, requestsReserved } from './delivery/budget.ts'
import type { ReportError } from './error-report.ts'
import type { Properties } from './event.ts'
import type { Options, Signal } from './options.ts'
import { createPageCore, type PageCore } from './page/page.ts'
import type { AnyEvents, Arguments } from './typed-events.ts'
import type { Ids } from './visitor.ts'
import { newId } from './world.ts'

export type { Options, Signal } from './options.ts'

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

export function init<Events = AnyEvents>(key: string, options: Options = {}): Client<Events> {
  const { capture = {} } = options
  const isOn = (signal: Signal): boolean => capture[signal] !== false
  const core = createPageCore(String(key), options, isOn('sessions'))
  const reportError = captureErrors(core, isOn('errors'))
  const start = core.guard(() => {
    core.follow()
    startCapture(core, isOn)
  })
  if (core.isUnseen()) document.addEventListener('prerenderingchange', start, { once: true })
  else start()
  if (isOn('definitions')) fetchDefinitions(core)
  addEventListener('online', core.queue.flush)
  return createClient<Events>(core, reportError)
}

function startCapture(core: PageCore, isOn: (signal: Signal) => boolean): void {
  const begin = (signal: Signal, start: (core: PageCore) => void): void => {
    if (isOn(signal)) core.guard(start)(core)
  }
  begin('pageViews', capturePageViews)
  begin('clicks', captureClicks)
  begin('rageClicks', captureRageClicks)
  begin('forms', captureForms)
  begin('scroll', captureScroll)
  begin('vitals', captureVitals)
}

/** If the request fails, there are no defined events; everything else works. */
function fetchDefinitions(core: PageCore): void {
  const { key, host, budget } = core
  if (!budget.take(requestsReserved)) return
  fetch(`${host}/v1/sdk/config`, { headers: { authorization: `Bearer ${key}` }, credentials: 'omit' })
    .then((answer) => {
      budget.note(answer.status)
      return answer.json()
    })
    .then(
      core.guard(({ definitions }: { definitions?: Definition[] }) => {
        if (definitions?.[0]) captureDefinitions(core, definitions)
      }),
      () => {},
    )
}

function createClient<Events>(core: PageCore, reportError: ReportError): Client<Events> {
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
      call('/v1/identify', () => ({
        anonymous_id: core.ids()?.anonymous_id,
        user_id: userId,
        traits,
        event_id: newId(),
        ts: now(),
      }))
    }),
    alias: guard((userId, previousId) => {
      call('/v1/alias', () => ({
        previous_id: previousId ?? core.ids()?.anonymous_id,
        user_id: userId,
        ts: now(),
      }))
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
