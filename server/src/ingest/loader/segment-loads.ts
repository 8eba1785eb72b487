import type { Tracer } from '../../platform/tracing/tracer.ts'
import type { Events } from '../../store/events.ts'
import type { Segment } from '../wal/segment.ts'
import { type BlockWorker, createBlockWorker } from './block-worker.ts'
import { type LoadOptions, loadSegment } from './segment-load.ts'
import { loadInParts, type SplitOptions } from './segment-split.ts'
import { clearStaging, createStaging } from './staged-store.ts'
import type { StoreHealth } from './store-health.ts'
import { createProbe } from './verdict-store.ts'

export type SegmentLoadsOptions = LoadOptions & {
  /** Distinguishes refused data from unavailable stores. */
  health: StoreHealth
  /**
   * Stores refused lines; also called, with none, when a segment that was tried before is loaded completely.
   */
  setAside: SplitOptions['setAside']
  /** Null where no spans are recorded. */
  tracer?: Tracer | null
}

/** Loads segments one at a time: completely if accepted, otherwise in parts without the refused lines. */
export class SegmentLoads {
  /** Lines that no store took, since start. */
  refusedLines = 0
  /** A failed attempt may have left anything there. */
  #isStagingEmpty = true
  readonly #options: SegmentLoadsOptions
  readonly #blocks: BlockWorker = createBlockWorker()

  constructor(options: SegmentLoadsOptions) {
    this.#options = options
  }

  /** `isAgain`: an earlier attempt may have got anywhere. The signal is aborted when the product stops. */
  async load(segment: Segment, isAgain: boolean, signal: AbortSignal): Promise<void> {
    const { events, staging, setAside, health } = this.#options
    if (!this.#isStagingEmpty) await emptyStaging(events, staging)
    this.#isStagingEmpty = false
    try {
      await loadSegment({ ...this.#options, blocks: this.#blocks }, segment, isAgain)
    } catch (error) {
      if (!(error instanceof Error)) throw error
      await health.requireRefusal(error)
      const split = { ...this.#options, requireRefusal: health.requireRefusal, setAside, signal }
      this.refusedLines += await loadInParts(split, segment)
      this.#succeed()
      return
    }
    // An earlier attempt may have set lines aside that are loaded now.
    if (isAgain) await setAside(segment, [])
    this.#succeed()
  }

  #succeed(): void {
    this.#isStagingEmpty = true
    this.#options.health.reset()
  }

  close(): Promise<void> {
    return this.#blocks.close()
  }
}

/** A failure may mean that another replica of a cluster took over, which has none of the tables of this node. */
async function emptyStaging(events: Events, staging: string): Promise<void> {
  if (events.cluster === null) return clearStaging(events, staging)
  await createStaging(events, staging)
  await createProbe(events, staging)
}
