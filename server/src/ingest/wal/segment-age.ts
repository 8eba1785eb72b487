import type { LogOptions } from './segment-log.ts'

/** setTimeout takes 31 bits; a longer age is reached by several timers. */
const timerMsMax = 2_147_483_647

/** How long a segment may take appends, counted from its first. */
export class SegmentAge {
  readonly #options: Pick<LogOptions, 'segmentAgeMsMax' | 'now' | 'holdMs'>
  #timer: NodeJS.Timeout | undefined

  constructor(options: Pick<LogOptions, 'segmentAgeMsMax' | 'now' | 'holdMs'>) {
    this.#options = options
  }

  /** After the clock was set back the age is unknown, so the segment is closed rather than kept for long. */
  isOver(firstAppendMs: number): boolean {
    const ageMs = this.#options.now() - firstAppendMs
    return ageMs < 0 || (ageMs >= this.#options.segmentAgeMsMax && this.#holdMs() <= 0)
  }

  /** A clock that was set back makes nothing wait for longer than the age. */
  leftMs(firstAppendMs: number): number {
    const { segmentAgeMsMax, now } = this.#options
    const leftMs = firstAppendMs + segmentAgeMsMax - now()
    return Math.max(Math.min(leftMs, segmentAgeMsMax), this.#holdMs())
  }

  #holdMs(): number {
    return this.#options.holdMs?.() ?? 0
  }

  /** One timer per segment: without it the last events before a quiet period would never reach the store. */
  arm(delayMs: number, onEnd: () => void): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(onEnd, Math.min(delayMs, timerMsMax)).unref()
  }

  disarm(): void {
    clearTimeout(this.#timer)
  }
}
