import type { Group } from './append-queue.ts'
import { addTally } from './pending-tally.ts'
import type { Segment, Waiting } from './segment.ts'
import type { SegmentFile } from './segment-file.ts'
import { addTraces, type Traced } from './traces.ts'

/** The segment being written. `bytes` is how far it is acknowledged: nothing beyond counts. */
export class OpenSegment implements Traced {
  readonly name: string
  readonly path: string
  bytes = 0
  events = 0
  // bounded: by the workspaces with lines in one segment.
  readonly tally = new Map<string, Waiting>()
  traces?: string[] | undefined
  firstAppendMs = 0
  readonly #file: SegmentFile
  /** Refused bytes may follow the acknowledged ones, because truncating them failed too. */
  #isTainted = false

  constructor(name: string, path: string, file: SegmentFile) {
    this.name = name
    this.path = path
    this.#file = file
  }

  /** After the acknowledged bytes; durable when this resolves, and acknowledged with `add`. */
  async write(group: Group, buffer: Buffer): Promise<void> {
    buffer.write(group.text)
    for (let done = 0; done < group.bytes; ) {
      const written = await this.#file.writeDurably(buffer, done, group.bytes - done, this.bytes + done)
      if (written === 0) throw new Error('the disk took no byte and gave no reason')
      done += written
    }
  }

  add(group: Group): void {
    this.bytes += group.bytes
    this.events += group.events
    addTally(this.tally, group.tally)
    addTraces(this, group.traces)
  }

  /** A refused event must never be stored later, so its bytes are removed before its caller gets the refusal. */
  async cutRefused(): Promise<void> {
    this.#isTainted = true
    await this.cleanse()
  }

  /** Nothing is written or closed while refused bytes are there. */
  async cleanse(): Promise<void> {
    if (!this.#isTainted) return
    await this.#file.truncateDurably(this.bytes)
    this.#isTainted = false
  }

  closeFile(): Promise<void> {
    return this.#file.close()
  }

  /** What a load gets, once nothing is added any more. */
  closed(): Segment {
    const { name, path, bytes, events, tally, traces } = this
    return { name, path, bytes, events, tally, traces }
  }
}
