import { setTimeout as wait } from 'node:timers/promises'
import { isRecord } from '@assay/contract'
import { ClickHouseError } from '@clickhouse/client'
import type { Control } from '../../store/control.ts'
import type { Events } from '../../store/events.ts'
import { probeControl } from '../dead-letters/store.ts'
import { LoadFailure, type LoadStep } from './segment-load.ts'
import { probeEvents } from './verdict-store.ts'

/** Decides whether a failed load says something about the data, or about the stores. */
export type StoreHealth = {
  /** Resolves when healthy stores refused the data; rejects with the failure otherwise. */
  requireRefusal: (failure: Error) => Promise<void>
  /** A load succeeded. */
  reset: () => void
}

type StoreHealthOptions = {
  control: Control
  events: Events
  staging: string
  nodeId: string
  /** The events store is a server: a statement without an answer may still run there. */
  isShared: boolean
}

/** Loads in a row without an answer, from a store that answers probes, until the data is suspected. */
const unansweredMax = 8
/** Longer than a server works on a statement that its client has given up: the client waits 60 s. */
const unansweredMsMin = 65_000
/** Steps that write to the control store. */
const controlSteps: ReadonlySet<LoadStep> = new Set(['identity', 'destinations'])
/** A probe is a few statements on almost no rows. */
const probeMsMax = 20_000

/** Decides by what the stores do with known good data, never by error messages. */
export function createStoreHealth(options: StoreHealthOptions): StoreHealth {
  const { control, events, staging, nodeId, isShared } = options
  const unanswered = { count: 0, sinceMs: 0 }

  function isPatient(failure: Error): boolean {
    // An engine in this process has ended its statement when it fails.
    const isOfEngine = failure instanceof LoadFailure && !controlSteps.has(failure.step)
    if (isAnswer(failure) || (!isShared && isOfEngine)) return false
    if (unanswered.count === 0) unanswered.sinceMs = performance.now()
    unanswered.count += 1
    const isOver = !isShared || performance.now() - unanswered.sinceMs > unansweredMsMin
    return unanswered.count < unansweredMax || !isOver
  }

  return {
    async requireRefusal(failure) {
      if (isPatient(failure)) throw failure
      const probes = Promise.all([probeEvents(events, staging), probeControl(control, nodeId)])
      const isWell = await Promise.race([
        probes.then(
          () => true,
          () => false,
        ),
        wait(probeMsMax, false, { ref: false }),
      ])
      if (!isWell) throw failure
    },
    reset() {
      unanswered.count = 0
    },
  }
}

/** Five letters and digits: Postgres sets this on every refusal, and nothing else does. */
const sqlState = /^[0-9A-Z]{5}$/

/** Whether a store, or our own code, rejected the data; a broken connection says nothing. */
function isAnswer(failure: unknown): boolean {
  if (failure instanceof ClickHouseError) return true
  if (failure instanceof SyntaxError || failure instanceof TypeError || failure instanceof RangeError)
    return true
  if (isRecord(failure) && typeof failure.code === 'string' && sqlState.test(failure.code)) return true
  return failure instanceof Error && failure.cause !== undefined && isAnswer(failure.cause)
}
