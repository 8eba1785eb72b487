import { now } from '../clock.ts'
import type { ConsentInput } from '../consent.ts'
import { countLosses, type Guard, guardWith, type Loss, type Losses } from '../delivery/losses.ts'
import { backOffMs } from '../delivery/network.ts'
import { createErrorReport, messageOf, type ReportError } from '../error-report.ts'
import type { Properties } from '../event.ts'
import type { AnyEvents, Arguments } from '../typed-events.ts'
import type { Ids } from '../visitor.ts'
import { newAppId } from '../world.ts'
import { type AppCore, createAppCore } from './app-core.ts'
import { type AppDevice, openAppDevice } from './app-device.ts'
import type { AppOptions, AppPlace } from './options.ts'

export type AppClient<Events = AnyEvents> = {
  track: <Name extends keyof Events & string>(event: Name, ...properties: Arguments<Events[Name]>) => void
  /** For generated code: `createEvents(client.send)`. `ts` is the time of the event, by default now. */
  send: (event: { event: string; properties: object; contract_version?: string; ts?: number }) => void
  /** A page view under the name of the screen. Later events say on which screen they happened. */
  screen: (name: string, properties?: Properties) => void
  identify: (userId: string, traits?: Properties) => void
  alias: (userId: string, previousId?: string) => void
  /** The company or team of the person. */
  group: (groupId: string, traits?: Properties) => void
  consent: (choice: ConsentInput) => void
  /** Reports an error that you caught. */
  error: ReportError
  /** Ids of the visitor, for your own server; undefined without consent, or before the storage was read. */
  ids: () => Ids | undefined
  /** Starts with a new visitor and session, for the next person on this device. */
  reset: () => void
  /** Sends what can be sent now. */
  flush: () => Promise<{ sent: number; dropped: number }>
  /** How many calls wait on this device. */
  queued: () => number
  /** What could not be delivered, by reason. */
  losses: () => Record<string, number>
}

/** Calls before the storage was read; reading takes milliseconds. */
const earlyCallsMax = 1_000

/** An act on the core, and when it was asked for. */
type Act = (core: AppCore, ts: number) => void
type Early = { act: Act; ts: number }

type Waiting = { run: (act: Act) => void; core: () => AppCore | undefined; early: readonly Early[] }

export function createAppClient<Events = AnyEvents>(
  key: string,
  options: AppOptions,
  place: AppPlace,
): AppClient<Events> {
  const counts: Record<string, number> = {}
  const losses = countLosses((loss: Loss) => {
    counts[loss.reason] = (counts[loss.reason] ?? 0) + loss.count
    options.onError?.(loss)
  })
  const opened = openCore(String(key), options, place, losses)
  const waiting = holdCalls(opened, losses, options.now ?? now)
  return {
    ...(createCalls<Events>(waiting, losses) satisfies Partial<AppClient<Events>>),
    async flush() {
      return (await opened).queue.flush()
    },
    queued: () => waiting.early.length + (waiting.core()?.queue.length() ?? 0),
    losses: () => ({ ...counts }),
  }
}

/** Calls wait until the storage was read: before, neither the visitor nor their consent is known. */
function holdCalls(opened: Promise<AppCore>, losses: Losses, nowMs: () => number): Waiting {
  const guard = guardWith(losses)
  let core: AppCore | undefined
  let early: Early[] = []
  void opened.then((ready) => {
    core = ready
    const calls = early
    early = []
    for (const { act, ts } of calls) guard(act)(ready, ts)
  })
  return {
    core: () => core,
    get early() {
      return early
    },
    run(act) {
      if (core) act(core, nowMs())
      else if (early.length < earlyCallsMax) early.push({ act, ts: nowMs() })
      else losses.add('queue_full')
    },
  }
}

function createCalls<Events>(waiting: Waiting, losses: Losses) {
  const { run, core } = waiting
  const guard = guardWith(losses)
  const trackNow = (event: string, properties?: Properties): void => {
    const copy = copyFor(waiting, properties)
    run((ready, ts) => ready.track(event, copy, { ts }))
  }
  let forgetCount = (): void => {}
  const report = createErrorReport({
    track: trackNow,
    pages: {
      current: () => core()?.pages.current() ?? {},
      onView: (see) => {
        forgetCount = see
      },
    },
  })
  return {
    // boundary: the types of events only narrow what callers may write; the server validates everything anyway.
    track: guard(trackNow) as AppClient<Events>['track'],
    send: guard(({ event, properties, contract_version, ts: given }) => {
      const copy = copyFor(waiting, { ...properties })
      run((ready, ts) => ready.track(event, copy, { contractVersion: contract_version, ts: given ?? ts }))
    }) as AppClient<Events>['send'],
    screen: guard((name: string, properties?: Properties) => {
      const copy = copyFor(waiting, properties)
      forgetCount()
      run((ready, ts) => {
        ready.pages.show(String(name))
        ready.visitor.countPage()
        ready.track('$pageview', { ...copy, ...ready.pages.current() }, { ts })
      })
    }),
    ...createPeopleCalls(waiting, guard, trackNow),
    consent: guard((choice: ConsentInput) => run((ready) => ready.choose(choice))),
    error: guard((error: unknown, tags?: Record<string, string>) =>
      report(error, messageOf(error), true, tags),
    ),
    ids: (): Ids | undefined => (core()?.consent.state() === 'granted' ? core()?.ids() : undefined),
    reset: guard(() =>
      run((ready) => {
        ready.visitor.reset()
        ready.follow()
      }),
    ),
  }
}

function createPeopleCalls(
  waiting: Waiting,
  guard: Guard,
  trackNow: (event: string, properties: Properties) => void,
) {
  const { run } = waiting
  return {
    identify: guard((userId: string, traits?: Properties) => {
      const copy = copyFor(waiting, traits)
      run((ready, ts) => {
        ready.visitor.identify(userId)
        ready.call('/v1/identify', () => ({
          anonymous_id: ready.ids()?.anonymous_id,
          user_id: userId,
          traits: copy,
          event_id: newAppId(),
          ts,
        }))
      })
    }),
    alias: guard((userId: string, previousId?: string) => {
      run((ready, ts) =>
        ready.call('/v1/alias', () => ({
          previous_id: previousId ?? ready.ids()?.anonymous_id,
          user_id: userId,
          ts,
        })),
      )
    }),
    group: guard((groupId: string, traits?: Properties) =>
      trackNow('group', { group_id: groupId, ...traits }),
    ),
  }
}

/** The app may change its objects before they are read. */
function copyFor({ core }: Waiting, properties: Properties | undefined): Properties {
  return core() ? { ...properties } : JSON.parse(JSON.stringify(properties ?? {}))
}

/** A storage that cannot be read is tried again: it may hold a refusal, so nothing is sent before. */
async function openCore(key: string, options: AppOptions, place: AppPlace, losses: Losses): Promise<AppCore> {
  const name = `assay.${key.slice(-12)}`
  const open = () => openAppDevice(place.storage, name, () => losses.add('storage'))
  let device: AppDevice | undefined
  for (let failures = 1; !device; failures += 1) {
    device = await open().catch(() => undefined)
    if (!device) await new Promise((resolve) => setTimeout(resolve, backOffMs(failures, newAppId())))
  }
  return createAppCore(key, options, place, losses, device)
}
