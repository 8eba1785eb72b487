import { setTimeout as wait } from 'node:timers/promises'
import type { Events } from '../store/events.ts'
import type { EventLog } from './log.ts'
import type { Segment } from './segment.ts'
import {
  clearStaging,
  createStaging,
  insertEventIds,
  insertEvents,
  insertQuarantine,
  insertVerdicts,
  stageSegment,
} from './store.ts'

export type Writer = {
  /** Resolves when everything acknowledged before the call can be read; false when that took longer than allowed. */
  flush: (timeoutMs?: number) => Promise<boolean>
  /** Why the last load failed, while it is being tried again. */
  readonly failure: Error | null
  readonly loadedSegments: number
  readonly loadedEvents: number
  stop: () => Promise<void>
}

export type WriterOptions = {
  log: EventLog
  events: Events
  /** Staging table of this node. */
  staging: string
  /** With several nodes on one store, loads look whether an id came by another node already. */
  guarded: boolean
  onFailure?: (error: Error, segment: Segment) => void
}

/** Waits between tries while the store refuses: short at first, since most refusals are short. */
const retryMsFirst = 100
const retryMsMax = 5_000

/** Carries closed segments into the events store, oldest first, one at a time, each exactly once. */
export async function startWriter(options: WriterOptions): Promise<Writer> {
  const { log, events, staging } = options
  await createStaging(events, staging)
  const stopping = new AbortController()
  const state = { failure: null as Error | null, loadedSegments: 0, loadedEvents: 0 }
  let wake = () => {}
  let passed = new Set<() => void>()
  const unsubscribe = log.onClosed(() => wake())

  async function carry(segment: Segment): Promise<void> {
    for (let delayMs = retryMsFirst; !stopping.signal.aborted; delayMs = Math.min(delayMs * 2, retryMsMax)) {
      try {
        await loadSegment(options, segment)
        await log.remove(segment)
        state.failure = null
        state.loadedSegments++
        state.loadedEvents += segment.events
        return
      } catch (error) {
        state.failure = error instanceof Error ? error : new Error(String(error))
        options.onFailure?.(state.failure, segment)
        await wait(delayMs, undefined, { signal: stopping.signal }).catch(() => {})
      }
    }
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      const [oldest] = log.closed()
      if (oldest) {
        await carry(oldest)
        const waiting = passed
        passed = new Set()
        for (const look of waiting) look()
        continue
      }
      await new Promise<void>((resolve) => {
        wake = resolve
        if (log.closed().length > 0 || stopping.signal.aborted) resolve()
      })
    }
  }

  const running = run()
  return {
    get failure() {
      return state.failure
    },
    get loadedSegments() {
      return state.loadedSegments
    },
    get loadedEvents() {
      return state.loadedEvents
    },
    async flush(timeoutMs) {
      await log.rotate()
      const awaited = log.closed().map((segment) => segment.name)
      const timeout = timeoutMs === undefined ? new AbortController().signal : AbortSignal.timeout(timeoutMs)
      while (log.closed().some((segment) => awaited.includes(segment.name))) {
        if (timeout.aborted || stopping.signal.aborted) return false
        await new Promise<void>((resolve) => {
          passed.add(resolve)
          timeout.addEventListener('abort', () => resolve(), { once: true })
        })
      }
      return true
    },
    async stop() {
      unsubscribe()
      stopping.abort()
      wake()
      for (const look of passed) look()
      await running
    },
  }
}

async function loadSegment({ events, staging, guarded }: WriterOptions, segment: Segment): Promise<void> {
  await stageSegment(events, staging, segment.path)
  await insertEvents(events, staging, segment.name, guarded)
  await insertQuarantine(events, staging, segment.name)
  await insertEventIds(events, staging, segment.name)
  await insertVerdicts(events, staging, segment.name)
  await clearStaging(events, staging)
}
