import type { People } from '../identity/people.ts'
import type { Clock, NewId } from '../platform/clock.ts'
import { createTurns } from '../platform/concurrency/turns.ts'
import type { Failures } from '../platform/logging/failures.ts'
import type { SendNotice } from '../platform/notices.ts'
import type { WakeUpNeeds } from '../platform/wake-up.ts'
import type { Overlays } from '../registry/backfills/overlays.ts'
import type { Superseded } from '../registry/backfills/superseded-sites.ts'
import type { Rates } from '../sites/exchange-rates.ts'
import type { SiteRow } from '../sites/sites.ts'
import type { Control } from '../store/control.ts'
import type { Events } from '../store/events.ts'
import { locks } from '../store/locks.ts'
import type { Classify } from './paths/touch.ts'

/** What attribution works with. */
export type Context = {
  control: Control
  events: Events
  overlays: Overlays
  superseded: Pick<Superseded, 'of'>
  rates: Rates
  people: People
  sitesOf: (workspaceId: string) => Promise<SiteRow[]>
  classify: Classify
  /** The key of a stored event. */
  locate: (workspaceId: string, eventId: string) => Promise<{ siteId: string; tsMs: number } | null>
  /** Loads what was acknowledged into the store. */
  flush: () => Promise<unknown>
  /** Everything acknowledged before this is in what is read from now on. */
  dataUntilMs: (workspaceId: string) => number
  /** Runs exclusively among all changes to the computed data of a workspace, on every node. */
  alone: <T>(workspaceId: string, work: () => Promise<T>) => Promise<T>
  config: WakeUpNeeds['config']
  nodeId: string
  now: Clock
  newId: NewId
  failures: Pick<Failures, 'report'>
  sendNotice: SendNotice
}

const lockSpan = 100_000

export function createContext(options: Omit<Context, 'alone'>): Context {
  const inTurn = createTurns()
  const alone: Context['alone'] = (workspaceId, work) =>
    inTurn(workspaceId, () =>
      options.control.exclusively(locks.computingOfAttribution + numberOf(workspaceId), work),
    )
  return { ...options, alone }
}

function numberOf(text: string): number {
  let number = 0
  for (const character of text) number = (number * 31 + character.charCodeAt(0)) % lockSpan
  return number
}
