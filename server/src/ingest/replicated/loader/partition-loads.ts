import { setTimeout as wait } from 'node:timers/promises'
import type { ChangeSignal } from '../../../platform/concurrency/change-signal.ts'
import type { Control } from '../../../store/control.ts'
import { holdMsMax } from '../../loader/loader.ts'
import { SegmentLoads, type SegmentLoadsOptions } from '../../loader/segment-loads.ts'
import type { Segment } from '../../wal/segment.ts'
import type { HeldPartition } from '../partition-store.ts'
import type { Streams } from '../streams.ts'
import { fencedEvents } from './fenced-events.ts'
import { LeaseLost, type Leases } from './leases.ts'
import type { LoadFailures } from './load-failures.ts'
import type { LoadedPositions } from './loaded-positions.ts'
import { loadRange, PartitionTaken, type RangeOptions } from './range-load.ts'

export type RangeSettings = Omit<SegmentLoadsOptions, 'isShared'> & {
  control: Control
  streams: Streams
  logId: string
  spoolDir: string
  rangeBytesMax: number
  /** How long messages wait for more before they are loaded. */
  ageMsMax: number
  loadShare: number
}

type LoadsOptions = RangeSettings & {
  /** A table for ids, of this process. */
  idTable: string
  leases: Leases
  positions: LoadedPositions
  failures: LoadFailures
  changes: ChangeSignal
  stopping: AbortSignal
}

/** Loads the partitions that this node holds in turns, one range at a time. */
export class PartitionLoads {
  loadedSegments = 0
  loadedLines = 0
  readonly #options: LoadsOptions
  readonly #loads: SegmentLoads
  /** The partition that is being loaded; every statement of a load asks whether it is still ours. */
  #loading: HeldPartition | null = null
  #heldUntilMs = 0
  #isWanted = false
  #pauses = 0
  #running: Promise<void> = Promise.resolve()

  constructor(options: LoadsOptions) {
    this.#options = options
    const events = fencedEvents(options.events, () => this.#requireLease())
    this.#loads = new SegmentLoads({ ...options, events, isShared: true })
  }

  get refusedLines(): number {
    return this.#loads.refusedLines
  }

  isLoading(partition: number): boolean {
    return this.#loading?.partition === partition
  }

  start(): void {
    this.#running = this.#run()
  }

  /** Someone waits for what is in the log now. */
  want(): void {
    this.#isWanted = true
    this.#options.changes.notify()
  }

  async withoutLoads<T>(work: () => Promise<T>): Promise<T> {
    this.#pauses++
    try {
      while (this.#loading !== null) await this.#options.changes.next()
      return await work()
    } finally {
      this.#pauses--
      this.#options.changes.notify()
    }
  }

  /** Resolves once the load that is under way has ended, after `stopping`. */
  async close(): Promise<void> {
    await this.#running
    await this.#loads.close()
  }

  async #run(): Promise<void> {
    const { leases, failures, stopping } = this.#options
    while (!stopping.aborted) {
      this.#isWanted = false
      let hasMore = false
      for (const held of leases.list()) {
        if (this.#pauses > 0 || stopping.aborted) break
        if (!failures.isDue(held.partition)) continue
        if (await this.#carry(held)) hasMore = true
      }
      if (!hasMore) await this.#idle()
    }
  }

  /** Until messages had time to gather, and loads had their share of it; at once when someone waits. */
  async #idle(): Promise<void> {
    const { ageMsMax, changes, stopping } = this.#options
    const endMs = Math.max(performance.now() + ageMsMax, this.#heldUntilMs)
    while (!this.#isWanted && !stopping.aborted) {
      const leftMs = endMs - performance.now()
      if (leftMs <= 0) return
      await Promise.race([changes.next(), wait(leftMs, undefined, { ref: false })])
    }
  }

  /** True if more can be loaded at once. A partition that fails waits; the others continue. */
  async #carry(held: HeldPartition): Promise<boolean> {
    const { leases, positions, failures, changes, loadShare, stopping } = this.#options
    const beganMs = performance.now()
    this.#loading = held
    try {
      const done = await loadRange(this.#rangeOptions(), held)
      failures.forget(held.partition)
      failures.recover()
      if (done === null) return false
      leases.advance(held, done.lastSeq)
      this.loadedSegments++
      this.loadedLines += done.lines
      await positions.announce(held.partition, done.lastSeq)
      const tookMs = performance.now() - beganMs
      this.#heldUntilMs = performance.now() + Math.min(tookMs * (1 / loadShare - 1), holdMsMax)
      return done.hasMore
    } catch (error) {
      if (!stopping.aborted) this.#putOff(held, error)
      return false
    } finally {
      this.#loading = null
      changes.notify()
    }
  }

  #rangeOptions(): RangeOptions {
    const { streams, control, idTable, logId, spoolDir, rangeBytesMax, tracer } = this.#options
    const load = (segment: Segment, isAgain: boolean) =>
      this.#loads.load(segment, isAgain, this.#options.stopping)
    const events = fencedEvents(this.#options.events, () => this.#requireLease())
    return {
      streams,
      sql: control,
      events,
      idTable,
      logId,
      spoolDir,
      rangeBytesMax,
      load,
      tracer,
    }
  }

  #requireLease(): void {
    if (this.#loading !== null) this.#options.leases.require(this.#loading)
  }

  #putOff(held: HeldPartition, error: unknown): void {
    const { leases, failures } = this.#options
    const isTaken = error instanceof PartitionTaken || isLeaseLost(error)
    if (!isTaken) {
      failures.putOff(held.partition, error)
      return
    }
    failures.forget(held.partition)
    leases.drop(held)
  }
}

function isLeaseLost(error: unknown): boolean {
  if (error instanceof LeaseLost) return true
  return error instanceof Error && error.cause !== undefined && isLeaseLost(error.cause)
}
