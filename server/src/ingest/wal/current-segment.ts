import { unlink } from 'node:fs/promises'
import type { Group } from './append-queue.ts'
import { randomPart } from './closed-segments.ts'
import { OpenSegment } from './open-segment.ts'
import { type Segment, segmentName, segmentPath } from './segment.ts'
import { SegmentAge } from './segment-age.ts'
import type { CreateSegmentFile } from './segment-file.ts'
import type { LogOptions } from './segment-log.ts'

type CurrentOptions = LogOptions & {
  nodeId: string
  createFile: CreateSegmentFile
  /** Of the last segment of an earlier run. */
  lastSequence: number
  /** Gets a segment in the moment in which it stops being the current one. */
  onEnd: (segment: Segment) => void
  /** Gets it again once its file is closed. */
  onClosed: (segment: Segment) => void
  /** Closes the current segment after the groups that wait before it. */
  rotate: () => Promise<void>
  onError: (error: unknown) => void
}

/** The segment that takes the appends: begun with the first of them, closed by size, by age or on request. */
export class CurrentSegment {
  readonly #options: CurrentOptions
  readonly #age: SegmentAge
  #open: OpenSegment | undefined
  #lastSequence: number

  constructor(options: CurrentOptions) {
    this.#options = options
    this.#age = new SegmentAge(options)
    this.#lastSequence = options.lastSequence
  }

  /** None between two segments, and before the first. */
  get open(): OpenSegment | undefined {
    return this.#open
  }

  /** The open segment if a group of this size still fits by size and age, otherwise a new one. */
  async openFor(bytes: number): Promise<OpenSegment> {
    const { segmentBytesMax, now } = this.#options
    const open = this.#open
    if (open !== undefined && open.bytes > 0) {
      const isFull = open.bytes + bytes > segmentBytesMax
      if (isFull || this.#age.isOver(open.firstAppendMs)) await this.close()
    }
    this.#open ??= await this.#begin()
    await this.#open.cleanse()
    if (this.#open.bytes === 0) this.#open.firstAppendMs = now()
    return this.#open
  }

  async #begin(): Promise<OpenSegment> {
    const { dir, now, nodeId, createFile } = this.#options
    // Time keeps the order across restarts even when every earlier segment is gone; counting up keeps it when
    // a clock is set back. The random part makes a name unique where neither helps, and O_EXCL proves it in
    // this directory.
    this.#lastSequence = Math.max(Math.trunc(now()), this.#lastSequence + 1)
    const name = segmentName({ sequence: this.#lastSequence, nodeId, revision: 0, random: randomPart() })
    const path = segmentPath(dir, name)
    return new OpenSegment(name, path, await createFile(path))
  }

  /** Of a group that is on disk. */
  acknowledge(segment: OpenSegment, group: Group): void {
    // After the write: a disk may take longer for it than the age that the timer waits for.
    if (segment.bytes === 0) this.#armAge(segment, this.#age.leftMs(segment.firstAppendMs))
    segment.add(group)
  }

  async cutRefused(): Promise<void> {
    try {
      await this.#open?.cutRefused()
    } catch (error) {
      this.#options.onError(error)
    }
  }

  async close(): Promise<void> {
    const open = this.#open
    if (open === undefined || open.bytes === 0) return
    await open.cleanse()
    this.#age.disarm()
    this.#open = undefined
    const segment = open.closed()
    this.#options.onEnd(segment)
    // Its bytes are on disk already, so a failing close loses nothing.
    await open.closeFile().catch((error: unknown) => this.#options.onError(error))
    this.#options.onClosed(segment)
  }

  #armAge(segment: OpenSegment, delayMs: number): void {
    this.#age.arm(delayMs, () => this.#closeByAge(segment))
  }

  async #closeByAge(segment: OpenSegment): Promise<void> {
    if (this.#open !== segment) return
    if (!this.#age.isOver(segment.firstAppendMs)) {
      this.#armAge(segment, this.#age.leftMs(segment.firstAppendMs))
      return
    }
    try {
      await this.#options.rotate()
    } catch (error) {
      this.#options.onError(error)
      this.#armAge(segment, this.#options.segmentAgeMsMax)
    }
  }

  /** After the last rotation. Nothing is written any more. */
  async finish(): Promise<void> {
    this.#age.disarm()
    // It still exists when it is empty, or when refused bytes could not be truncated: recovery will check
    // it.
    const rest = this.#open
    await rest?.closeFile()
    if (rest?.bytes === 0) await unlink(rest.path)
  }
}
