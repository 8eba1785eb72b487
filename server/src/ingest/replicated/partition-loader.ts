import { setTimeout as wait } from 'node:timers/promises'
import type { Control } from '../../store/control.ts'
import type { Writer } from '../loader/loader.ts'
import { SegmentLoads, type SegmentLoadsOptions } from '../loader/segment-loads.ts'
import { createStaging } from '../loader/staged-store.ts'
import { createProbe } from '../loader/verdict-store.ts'
import type { Segment } from '../wal/segment.ts'
import { fencedEvents } from './fenced-events.ts'
import { LeaseLost, Leases } from './leases.ts'
import { deleteDoneErasures, type HeldPartition, selectLoaded, selectNodes } from './partition-store.ts'
import { loadRange, PartitionTaken, type RangeOptions } from './range-load.ts'
import { createIdTable } from './repeat-store.ts'
import type { ReplicatedLog } from './replicated-log.ts'
import type { Streams } from './streams.ts'

type PartitionLoaderOptions = Omit<SegmentLoadsOptions, 'isShared'> & {
  control: Control
  streams: Streams
  log: ReplicatedLog
  /** Unique to this process. */
  runId: string
  logId: string
  spoolDir: string
  rangeBytesMax: number
  /** How long messages wait for more before they are loaded. */
  ageMsMax: number
  loadShare: number
  /** False where other nodes load: this one only asks how far they are. */
  loads: boolean
  onFailure: (error: Error, partition: number) => void
  onLoaded: () => void
  leaseMs?: number
}

/** After this another node takes over the partitions of a dead one. */
const leaseMsUsual = 15_000
const renewsPerLease = 4
/** Maximum delay of acknowledged events caused by pauses between expensive loads. */
const holdMsMax = 5_000
const retryMsFirst = 100
const retryMsMax = 5_000
/** While someone waits, how often it is asked how far other nodes are. */
const positionMs = 50
const loadedChannel = 'assay_log_loaded'
const wantedChannel = 'assay_log_wanted'

/** Loads the partitions that this node holds, one range at a time; other nodes load the others meanwhile. */
export async function startPartitionLoader(options: PartitionLoaderOptions): Promise<PartitionLoader> {
  const { events, staging, control, loads } = options
  if (loads) {
    await createStaging(events, staging)
    await createProbe(events, staging)
    await createIdTable(events, idTableOf(staging))
  }
  const loader = new PartitionLoader(options)
  const refresh = () => void loader.refreshLoaded().catch(() => {})
  await control.listen(loadedChannel, refresh, refresh)
  if (loads) {
    await control.listen(
      wantedChannel,
      () => loader.want(),
      () => {},
    )
  }
  await loader.start()
  return loader
}

const idTableOf = (staging: string) => `${staging}_ids`

type Attempt = { failures: number; notBeforeMs: number }

export class PartitionLoader implements Writer {
  failure: Error | null = null
  loadedSegments = 0
  loadedLines = 0
  readonly holdMs = 0
  readonly #options: PartitionLoaderOptions
  readonly #leases: Leases
  readonly #loads: SegmentLoads
  readonly #stopping = new AbortController()
  /** The partition that is being loaded; every statement of a load asks whether it is still ours. */
  #loading: HeldPartition | null = null
  #heldUntilMs = 0
  #isWanted = false
  #isRenewing = false
  #pauses = 0
  #loaded: readonly number[] = []
  #running: Promise<void> = Promise.resolve()
  #renewal: NodeJS.Timeout | undefined
  // bounded: by the partitions of the log.
  readonly #attempts = new Map<number, Attempt>()
  // bounded: by the requests that wait for a load, and the loops of this class.
  #watchers = new Set<() => void>()

  constructor(options: PartitionLoaderOptions) {
    this.#options = options
    const { control, runId, leaseMs = leaseMsUsual } = options
    this.#leases = new Leases({ sql: control, holder: runId, leaseMs })
    const events = fencedEvents(options.events, () => this.#requireLease())
    this.#loads = new SegmentLoads({ ...options, events, isShared: true })
  }

  get refusedLines(): number {
    return this.#loads.refusedLines
  }

  async start(): Promise<void> {
    const { leaseMs = leaseMsUsual, loads } = this.#options
    await this.refreshLoaded()
    if (loads) await this.#balance()
    this.#renewal = setInterval(() => void this.#keepLeases(), leaseMs / renewsPerLease).unref()
    if (loads) this.#running = this.#run()
  }

  /** Something may be loaded: a message was appended here. */
  wake(): void {
    this.#notifyWatchers()
  }

  /** Someone waits for what is in the log now. */
  want(): void {
    this.#isWanted = true
    this.#notifyWatchers()
  }

  async refreshLoaded(): Promise<void> {
    this.#loaded = await selectLoaded(this.#options.control)
    this.#options.log.setLoaded(this.#loaded)
    this.#notifyWatchers()
  }

  /**
   * A log or a control store that is away for a moment ends no wait that has an end of its own: what is acknowledged is
   * loaded later.
   */
  async flush(timeoutMs?: number): Promise<boolean> {
    const timeout = timeoutMs === undefined ? null : AbortSignal.timeout(timeoutMs)
    const isOver = () => timeout?.aborted === true || this.#stopping.signal.aborted
    for (let isReported = false; ; isReported = true) {
      try {
        return await this.#reachEnd(isOver)
      } catch (error) {
        if (!isReported) this.#report(error, -1)
        if (timeout === null || isOver()) return false
        await Promise.race([this.#change(), wait(positionMs, undefined, { ref: false })])
      }
    }
  }

  /** Until what is in the log now is loaded, by whichever node; false if the time is over before. */
  async #reachEnd(isOver: () => boolean): Promise<boolean> {
    const { streams, control } = this.#options
    const each = Array.from({ length: streams.partitions }, (_, partition) => streams.state(partition))
    const wanted = (await Promise.all(each)).map(({ lastSeq }) => lastSeq)
    await this.refreshLoaded()
    const isLoaded = () => wanted.every((seq, partition) => seq <= (this.#loaded[partition] ?? 0))
    if (isLoaded()) return true
    await control.notify(wantedChannel, '')
    while (!isLoaded()) {
      if (isOver()) return false
      this.want()
      await Promise.race([this.#change(), wait(positionMs, undefined, { ref: false })])
      await this.refreshLoaded()
    }
    return true
  }

  async withoutLoads<T>(work: () => Promise<T>): Promise<T> {
    this.#pauses++
    try {
      while (this.#loading !== null) await this.#change()
      return await work()
    } finally {
      this.#pauses--
      this.#notifyWatchers()
    }
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    clearInterval(this.#renewal)
    this.#notifyWatchers()
    await this.#running
    await this.#loads.close()
    await this.#leases.releaseAll().catch(() => {})
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      this.#isWanted = false
      let hasMore = false
      for (const held of this.#leases.list()) {
        if (this.#pauses > 0 || this.#stopping.signal.aborted) break
        if (!this.#isDue(held.partition)) continue
        if (await this.#carry(held)) hasMore = true
      }
      if (!hasMore) await this.#idle()
    }
  }

  #isDue(partition: number): boolean {
    return (this.#attempts.get(partition)?.notBeforeMs ?? 0) <= performance.now()
  }

  /** Until messages had time to gather, and loads had their share of it; at once when someone waits. */
  async #idle(): Promise<void> {
    const { ageMsMax } = this.#options
    const endMs = Math.max(performance.now() + ageMsMax, this.#heldUntilMs)
    while (!this.#isWanted && !this.#stopping.signal.aborted) {
      const leftMs = endMs - performance.now()
      if (leftMs <= 0) return
      await Promise.race([this.#change(), wait(leftMs, undefined, { ref: false })])
    }
  }

  /** True if more can be loaded at once. A partition that fails waits; the others continue. */
  async #carry(held: HeldPartition): Promise<boolean> {
    const beganMs = performance.now()
    this.#loading = held
    try {
      const done = await loadRange(this.#rangeOptions(), held)
      this.#attempts.delete(held.partition)
      if (this.#attempts.size === 0) this.#recover()
      if (done === null) return false
      this.#leases.advance(held, done.lastSeq)
      this.loadedSegments++
      this.loadedLines += done.lines
      await this.#announce(held.partition, done.lastSeq)
      const tookMs = performance.now() - beganMs
      this.#heldUntilMs = performance.now() + Math.min(tookMs * (1 / this.#options.loadShare - 1), holdMsMax)
      return done.hasMore
    } catch (error) {
      if (!this.#stopping.signal.aborted) this.#putOff(held, error)
      return false
    } finally {
      this.#loading = null
      this.#notifyWatchers()
    }
  }

  #rangeOptions(): RangeOptions {
    const { streams, control, staging, logId, spoolDir, rangeBytesMax, tracer } = this.#options
    const load = (segment: Segment, isAgain: boolean) =>
      this.#loads.load(segment, isAgain, this.#stopping.signal)
    const events = fencedEvents(this.#options.events, () => this.#requireLease())
    return {
      streams,
      sql: control,
      events,
      idTable: idTableOf(staging),
      logId,
      spoolDir,
      rangeBytesMax,
      load,
      tracer,
    }
  }

  #requireLease(): void {
    if (this.#loading !== null) this.#leases.require(this.#loading)
  }

  #putOff(held: HeldPartition, error: unknown): void {
    const isTaken = error instanceof PartitionTaken || isLeaseLost(error)
    if (isTaken) {
      this.#attempts.delete(held.partition)
      this.#leases.drop(held)
      return
    }
    const failures = (this.#attempts.get(held.partition)?.failures ?? 0) + 1
    const delayMs = Math.min(retryMsFirst * 2 ** (failures - 1), retryMsMax)
    this.#attempts.set(held.partition, { failures, notBeforeMs: performance.now() + delayMs })
    this.#report(error, held.partition)
  }

  #report(error: unknown, partition: number): void {
    this.failure = error instanceof Error ? error : new Error(String(error))
    this.#options.onFailure(this.failure, partition)
  }

  #recover(): void {
    if (this.failure === null) return
    this.failure = null
    this.#options.onLoaded()
  }

  /** Loaded messages are not needed any more; what stays because this fails goes with the next load. */
  async #announce(partition: number, lastSeq: number): Promise<void> {
    const { streams, control } = this.#options
    try {
      await deleteDoneErasures(control)
      await this.refreshLoaded()
      await control.notify(loadedChannel, String(partition))
      await streams.purge(partition, lastSeq)
    } catch (error) {
      this.#report(error, partition)
    }
  }

  /** One at a time: a control store that hangs must not be asked again and again. */
  async #keepLeases(): Promise<void> {
    if (this.#isRenewing) return
    this.#isRenewing = true
    try {
      if (this.#options.loads) {
        await this.#leases.renew()
        await this.#balance()
      }
      if (this.#options.log.pendingEvents > 0) await this.refreshLoaded()
      if (this.#attempts.size === 0) this.#recover()
    } catch (error) {
      this.#report(error, -1)
    } finally {
      this.#isRenewing = false
    }
  }

  async #balance(): Promise<void> {
    const { control, streams } = this.#options
    const nodes = await selectNodes(control)
    const loaders = nodes.filter(({ isSeen, kind, loads }) => isSeen && kind === 'nats' && loads)
    const share = Math.ceil(streams.partitions / Math.max(1, loaders.length))
    await this.#leases.balance(share, (partition) => this.#loading?.partition === partition)
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#watchers.add(resolve)
    })
  }

  #notifyWatchers(): void {
    const watchers = this.#watchers
    this.#watchers = new Set()
    for (const tell of watchers) tell()
  }
}

function isLeaseLost(error: unknown): boolean {
  if (error instanceof LeaseLost) return true
  return error instanceof Error && error.cause !== undefined && isLeaseLost(error.cause)
}
