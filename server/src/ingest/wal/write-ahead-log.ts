import { mkdir } from 'node:fs/promises'
import type { ForgetMode } from '@assay/contract'
import { AppendQueue, type Group } from './append-queue.ts'
import { ClosedSegments, randomPart, recoverSegments } from './closed-segments.ts'
import { CurrentSegment } from './current-segment.ts'
import { hasFreeSpace, probeDisk, refusalBy } from './disk-probe.ts'
import { LogClosed, LogFull } from './event-log.ts'
import { type LineOwner, waitingOf } from './pending-tally.ts'
import { withoutPeople } from './personal-lines.ts'
import type { KeepLine, Segment, Waiting } from './segment.ts'
import { parseSegmentName, readLines, segmentName } from './segment.ts'
import type { CreateSegmentFile } from './segment-file.ts'
import { createSegmentFile } from './segment-file.ts'
import type { LogOptions, SegmentLog } from './segment-log.ts'

const defaultNodeId = 'node'
const ofNobody: LineOwner = { workspaceId: '', stored: 0 }
/** Groups up to this size share one buffer; larger ones are rare and get their own. */
const sharedBufferBytes = 1_048_576

export async function openLog(options: LogOptions): Promise<SegmentLog> {
  // Builds a name once, so that an invalid node id fails here and not with the first event.
  segmentName({ sequence: 0, nodeId: options.nodeId ?? defaultNodeId, revision: 0, random: randomPart() })
  await mkdir(options.dir, { recursive: true, mode: 0o700 })
  return new FileLog(options, await recoverSegments(options.dir))
}

class FileLog implements SegmentLog {
  readonly isShared = false
  failure: Error | null = null
  readonly #options: LogOptions
  readonly #createFile: CreateSegmentFile
  // bounded: by the parts of the product that listen.
  readonly #listeners = new Set<(segment: Segment) => void>()
  readonly #queue: AppendQueue
  readonly #current: CurrentSegment
  readonly #closed: ClosedSegments
  #closing: Promise<void> | undefined
  #buffer = Buffer.allocUnsafe(sharedBufferBytes)
  #probing: Promise<boolean> | undefined

  constructor(options: LogOptions, recovered: Segment[]) {
    this.#options = options
    this.#createFile = options.createFile ?? createSegmentFile
    this.#closed = new ClosedSegments(options.dir, recovered)
    this.#current = new CurrentSegment({
      ...options,
      nodeId: options.nodeId ?? defaultNodeId,
      createFile: this.#createFile,
      lastSequence: parseSegmentName(recovered.at(-1)?.name ?? '')?.sequence ?? 0,
      onEnd: (segment) => this.#closed.add(segment),
      onClosed: (segment) => this.#announce(segment),
      rotate: () => this.rotate(),
      onError: (error) => this.#report(error),
    })
    this.#queue = new AppendQueue({
      groupBytesMax: options.segmentBytesMax,
      now: options.now,
      commit: (group) => this.#commit(group),
      rotate: () => this.#current.close(),
    })
  }

  get pendingBytes(): number {
    return this.#closed.bytes + (this.#current.open?.bytes ?? 0)
  }

  get pendingEvents(): number {
    return this.#closed.events + (this.#current.open?.events ?? 0)
  }

  waitingOf(workspaceId: string): Waiting | null {
    return waitingOf(
      [...this.#closed.list().map(({ tally }) => tally), this.#current.open?.tally],
      workspaceId,
    )
  }

  append(lines: string, events: number, owner: LineOwner = ofNobody): Promise<void> {
    if (this.#closing !== undefined) return Promise.reject(new LogClosed('the log is closed'))
    const bytes = Buffer.byteLength(lines)
    if (this.pendingBytes + this.#queue.waitingBytes + bytes > this.#options.totalBytesMax) {
      return Promise.reject(new LogFull('the log has reached its configured size'))
    }
    return this.#queue.append(lines, bytes, events, owner)
  }

  rotate(): Promise<void> {
    return this.#queue.rotate()
  }

  async #commit(group: Group): Promise<void> {
    try {
      const segment = await this.#current.openFor(group.bytes)
      await segment.write(group, this.#bufferFor(group))
      this.#current.acknowledge(segment, group)
      this.failure = null
      this.#queue.accept(group)
    } catch (cause) {
      await this.#current.cutRefused()
      this.failure = refusalBy(cause)
      this.#report(this.failure)
      this.#queue.refuse(group, this.failure)
    }
  }

  #bufferFor({ bytes }: Group): Buffer {
    return bytes <= sharedBufferBytes ? this.#buffer : Buffer.allocUnsafe(bytes)
  }

  async isWritable(): Promise<boolean> {
    const { dir, totalBytesMax } = this.#options
    if (this.pendingBytes >= totalBytesMax) return false
    if (!(await hasFreeSpace(dir))) return false
    if (this.failure === null) return true
    const onWritten = () => {
      this.failure = null
    }
    this.#probing ??= probeDisk(dir, this.#createFile, onWritten).finally(() => {
      this.#probing = undefined
    })
    return this.#probing
  }

  closed(): readonly Segment[] {
    return this.#closed.list()
  }

  get oldestMs(): number | null {
    return parseSegmentName(this.closed()[0]?.name ?? '')?.sequence ?? null
  }

  async *unloaded(): AsyncGenerator<string> {
    for (const segment of this.closed()) {
      try {
        yield* readLines(segment)
      } catch (error) {
        // Loaded and removed meanwhile: its lines are in the store.
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
      }
    }
  }

  async forget(workspaceId: string, originalIds: readonly string[], mode: ForgetMode): Promise<void> {
    const keep = withoutPeople(workspaceId, originalIds, mode)
    await this.rotate()
    for (const segment of this.closed()) await this.rewrite(segment, keep)
  }

  onClosed(listener: (segment: Segment) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  remove(segment: Segment): Promise<void> {
    return this.#closed.remove(segment)
  }

  rewrite(segment: Segment, keep: KeepLine): Promise<Segment | null> {
    return this.#closed.rewrite(segment, keep)
  }

  close(): Promise<void> {
    this.#closing ??= this.#finish(this.rotate())
    return this.#closing
  }

  async #finish(rotated: Promise<void>): Promise<void> {
    try {
      await rotated
    } finally {
      await this.#current.finish()
    }
  }

  #announce(segment: Segment): void {
    for (const listener of this.#listeners) {
      try {
        listener(segment)
      } catch (error) {
        this.#report(error)
      }
    }
  }

  #report(error: unknown): void {
    this.#options.onError?.(error)
  }
}
