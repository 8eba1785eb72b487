import { setTimeout as wait } from 'node:timers/promises'
import { ChangeSignal } from '../../platform/concurrency/change-signal.ts'
import { parseSegmentName, type Segment } from '../wal/segment.ts'
import type { SegmentLog } from '../wal/segment-log.ts'
import { SegmentLoads, type SegmentLoadsOptions } from './segment-loads.ts'
import { createStaging } from './staged-store.ts'
import { createProbe } from './verdict-store.ts'

export type Writer = {
  /** Resolves when everything acknowledged before the call can be read; false on time-out. */
  flush: (timeoutMs?: number) => Promise<boolean>
  /** Why the last load failed, while it is being retried. */
  readonly failure: Error | null
  /** Lines that no store took, since start. */
  readonly refusedLines: number
  readonly loadedSegments: number
  readonly loadedLines: number
  /** How much longer the next segment should grow, so that loads keep to their share of the time. */
  readonly holdMs: number
  /** Nothing is loaded while this runs; what is acknowledged meanwhile waits in the log. */
  withoutLoads: <T>(work: () => Promise<T>) => Promise<T>
  stop: () => Promise<void>
}

type WriterOptions = SegmentLoadsOptions & {
  log: SegmentLog
  /** Above 0; at 1 loads follow each other without a pause. */
  loadShare: number
  onFailure?: (error: Error, segment: Segment) => void
  onLoaded?: (segment: Segment) => void
}

/**
 * Maximum delay of acknowledged events caused by pauses between expensive loads. With longer ones more gathers, and the
 * next load is the more expensive: at 2,000 events a second with 5 s the slowest answers took twice as long.
 */
export const holdMsMax = 1_000
/** While a load runs, the time until the log checks again. */
const askAgainMs = 50

/** Delay between attempts while the store refuses: short at first, since most refusals are short. */
const retryMsFirst = 100
const retryMsMax = 5_000

/** Loads closed segments into the events store, oldest first, one at a time, each exactly once. */
export async function startWriter(options: WriterOptions): Promise<Writer> {
  await createStaging(options.events, options.staging)
  await createProbe(options.events, options.staging)
  return new SegmentWriter(options)
}

class SegmentWriter implements Writer {
  failure: Error | null = null
  loadedSegments = 0
  loadedLines = 0
  /** Null while a load runs. */
  #heldUntilMs: number | null = 0
  #isLoading = false
  /** Number of callers that require a pause. */
  #pauses = 0
  readonly #options: WriterOptions
  readonly #stopping = new AbortController()
  readonly #running: Promise<void>
  readonly #loads: SegmentLoads
  readonly #unsubscribe: () => void
  // bounded: by the segments of the log, which has a maximum of bytes.
  /** Segments whose load was started and may have got anywhere. */
  readonly #tried: Set<string>
  /** A segment is closed, or loaded. */
  readonly #changes = new ChangeSignal()

  constructor(options: WriterOptions) {
    this.#options = options
    this.#loads = new SegmentLoads(options)
    // An earlier run may have been interrupted in the middle of any of them.
    this.#tried = new Set(options.log.closed().map((segment) => segment.name))
    this.#unsubscribe = options.log.onClosed(() => this.#changes.notify())
    this.#running = this.#run()
  }

  get refusedLines(): number {
    return this.#loads.refusedLines
  }

  get holdMs(): number {
    return this.#heldUntilMs === null ? askAgainMs : Math.max(0, this.#heldUntilMs - performance.now())
  }

  async flush(timeoutMs?: number): Promise<boolean> {
    const { log } = this.#options
    await log.rotate()
    const awaited = new Set(log.closed().map((segment) => segment.name))
    const timeout = timeoutMs === undefined ? null : AbortSignal.timeout(timeoutMs)
    // One listener for the whole wait, in which many segments may be loaded.
    const over = new Promise<void>((resolve) => timeout?.addEventListener('abort', () => resolve()))
    while (log.closed().some((segment) => awaited.has(segment.name))) {
      if (timeout?.aborted || this.#stopping.signal.aborted) return false
      await Promise.race([this.#changes.next(), over])
    }
    return true
  }

  async withoutLoads<T>(work: () => Promise<T>): Promise<T> {
    this.#pauses++
    try {
      while (this.#isLoading) await this.#changes.next()
      return await work()
    } finally {
      this.#pauses--
      this.#changes.notify()
    }
  }

  async stop(): Promise<void> {
    this.#unsubscribe()
    this.#stopping.abort()
    this.#changes.notify()
    await this.#running
    await this.#loads.close()
  }

  async #run(): Promise<void> {
    let delayMs = retryMsFirst
    while (!this.#stopping.signal.aborted) {
      // Read again each time: while loads fail, a segment may be replaced by a rewritten one.
      const [oldest] = this.#options.log.closed()
      if (oldest === undefined || this.#pauses > 0) await this.#changes.next()
      else if (await this.#carry(oldest)) delayMs = retryMsFirst
      else delayMs = await this.#pause(delayMs)
      this.#changes.notify()
    }
  }

  /**
   * The oldest goes first and is retried until it is in the store, because it must not be overtaken or lost.
   */
  async #carry(segment: Segment): Promise<boolean> {
    const { loadShare, log, onLoaded, onFailure } = this.#options
    const beganMs = performance.now()
    this.#heldUntilMs = null
    this.#isLoading = true
    try {
      await this.#load(segment)
      await log.remove(segment)
      this.#tried.delete(segment.name)
      this.failure = null
      this.loadedSegments++
      this.loadedLines += segment.events
      onLoaded?.(segment)
      const endedMs = performance.now()
      this.#heldUntilMs = endedMs + Math.min((endedMs - beganMs) * (1 / loadShare - 1), holdMsMax)
      return true
    } catch (error) {
      if (this.#stopping.signal.aborted) return false
      // Its file is gone because an erasure rewrote it: the next to load is what it left.
      if (!log.closed().includes(segment)) return true
      this.failure = error instanceof Error ? error : new Error(String(error))
      onFailure?.(this.failure, segment)
      return false
    } finally {
      this.#isLoading = false
    }
  }

  #load(segment: Segment): Promise<void> {
    const isAgain = this.#tried.has(segment.name) || isRevised(segment)
    this.#tried.add(segment.name)
    const load = () => this.#loads.load(segment, isAgain, this.#stopping.signal)
    const { tracer } = this.#options
    if (!tracer) return load()
    const attributes = { 'assay.lines': segment.events, 'assay.bytes': segment.bytes }
    return tracer.run({ name: 'load', attributes, links: segment.traces }, load)
  }

  async #pause(delayMs: number): Promise<number> {
    await wait(delayMs, undefined, { signal: this.#stopping.signal }).catch(() => {})
    return Math.min(delayMs * 2, retryMsMax)
  }
}

/** A rewritten segment may contain lines that were loaded under its earlier name. */
function isRevised({ name }: Segment): boolean {
  return (parseSegmentName(name)?.revision ?? 0) > 0
}
