import { setTimeout as wait } from 'node:timers/promises'
import type { ChangeSignal } from '../../../platform/concurrency/change-signal.ts'
import type { Control } from '../../../store/control.ts'
import { deleteDoneErasures, selectLoaded } from '../partition-store.ts'
import type { ReplicatedLog } from '../replicated-log.ts'
import type { Streams } from '../streams.ts'
import type { LoadFailures } from './load-failures.ts'

/** While someone waits, how often it is asked how far other nodes are. */
const positionMs = 50
export const loadedChannel = 'assay_log_loaded'
export const wantedChannel = 'assay_log_wanted'

type PositionOptions = {
  control: Control
  streams: Streams
  log: ReplicatedLog
  changes: ChangeSignal
  failures: LoadFailures
  stopping: AbortSignal
  /** Loads what is in the log now, where this node may. */
  want: () => void
}

/** How far each partition is loaded, by whichever node. */
export class LoadedPositions {
  readonly #options: PositionOptions
  #loaded: readonly number[] = []

  constructor(options: PositionOptions) {
    this.#options = options
  }

  async refresh(): Promise<void> {
    const { control, log, changes } = this.#options
    this.#loaded = await selectLoaded(control)
    log.setLoaded(this.#loaded)
    changes.notify()
  }

  /**
   * A log or a control store that is away for a moment ends no wait that has an end of its own: what is acknowledged is
   * loaded later.
   */
  async flush(timeoutMs?: number): Promise<boolean> {
    const { changes, failures, stopping } = this.#options
    const timeout = timeoutMs === undefined ? null : AbortSignal.timeout(timeoutMs)
    const isOver = () => timeout?.aborted === true || stopping.aborted
    for (let isReported = false; ; isReported = true) {
      try {
        return await this.#reachEnd(isOver)
      } catch (error) {
        if (!isReported) failures.report(error, -1)
        if (timeout === null || isOver()) return false
        await Promise.race([changes.next(), wait(positionMs, undefined, { ref: false })])
      }
    }
  }

  /** Until what is in the log now is loaded, by whichever node; false if the time is over before. */
  async #reachEnd(isOver: () => boolean): Promise<boolean> {
    const { streams, control, changes, want } = this.#options
    const each = Array.from({ length: streams.partitions }, (_, partition) => streams.state(partition))
    const wanted = (await Promise.all(each)).map(({ lastSeq }) => lastSeq)
    await this.refresh()
    const isLoaded = () => wanted.every((seq, partition) => seq <= (this.#loaded[partition] ?? 0))
    if (isLoaded()) return true
    await control.notify(wantedChannel, '')
    while (!isLoaded()) {
      if (isOver()) return false
      want()
      await Promise.race([changes.next(), wait(positionMs, undefined, { ref: false })])
      await this.refresh()
    }
    return true
  }

  /** Loaded messages are not needed any more; what stays because this fails goes with the next load. */
  async announce(partition: number, lastSeq: number): Promise<void> {
    const { streams, control, failures } = this.#options
    try {
      await deleteDoneErasures(control)
      await this.refresh()
      await control.notify(loadedChannel, String(partition))
      await streams.purge(partition, lastSeq)
    } catch (error) {
      failures.report(error, partition)
    }
  }
}
