import { mkdir, statfs, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { ForgetMode } from '@assay/contract'
import { ClosedSegments, partSuffix, randomPart, recoverSegments } from './closed-segments.ts'
import { type EventLog, LogClosed, LogFailed, LogFull } from './event-log.ts'
import { addTally, addWaiting, type LineOwner, waitingOf } from './pending-tally.ts'
import { withoutPeople } from './personal-lines.ts'
import type { KeepLine, Segment, Waiting } from './segment.ts'
import { parseSegmentName, readLines, segmentName, segmentPath } from './segment.ts'
import type { CreateSegmentFile, SegmentFile } from './segment-file.ts'
import { createSegmentFile } from './segment-file.ts'
import { addTraces, type Traced } from './traces.ts'

export type LogOptions = {
  dir: string
  /** Maximum size of a segment, except for a single larger append. */
  segmentBytesMax: number
  segmentAgeMsMax: number
  totalBytesMax: number
  now: () => number
  /** How much longer no segment may be closed by its age: a load has its cost, however little it contains. */
  holdMs?: () => number
  /** Part of every segment's name; letters, digits and underscores. */
  nodeId?: string
  /** Errors that no caller waits for: a segment that could not be closed by age, a listener that threw. */
  onError?: (error: unknown) => void
  createFile?: CreateSegmentFile
}

/** The log as segment files in the data directory of one process. */
export type SegmentLog = EventLog & {
  /** Oldest first. */
  closed(): readonly Segment[]
  /** Returns the function that unsubscribes. Segments found at open are in `closed()` and not announced. */
  onClosed(listener: (segment: Segment) => void): () => void
  /** Deletes a closed segment; a missing one is fine. */
  remove(segment: Segment): Promise<void>
  /**
   * Replaces the content of a closed segment, as erasure needs it. `keep` returns a line's new text, or null
   * to drop it. Returns the segment with the rest: the same one when nothing changed; null when no line was
   * kept or the segment was removed meanwhile, its lines being in the store then. Appends continue.
   *
   * The rest gets a new name, because the name is the dedup token of the load. If a load of the old content
   * succeeded without our knowing, the store would treat the new content under the old token as a repeat and
   * drop it. Under a new token it is loaded, and the load itself skips ids that are in the store already.
   */
  rewrite(segment: Segment, keep: KeepLine): Promise<Segment | null>
}

const defaultNodeId = 'node'
const ofNobody: LineOwner = { workspaceId: '', stored: 0 }
/** A stalled disk must not fill the heap with waiting lines: 64 MB is over a hundred thousand events. */
const waitingBytesMax = 67_108_864
/** Groups up to this size share one buffer; larger ones are rare and get their own. */
const sharedBufferBytes = 1_048_576
/** With less free space the next group would not fit. */
const roomBytesMin = 1_048_576
/** As much as a large request. */
const probeBytes = 65_536
/** setTimeout takes 31 bits; a longer age is reached by several timers. */
const timerMsMax = 2_147_483_647
/** EFBIG is the limit of a file's size, by the file system or by the process's resource limit. */
const noRoomCodes: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

export async function openLog(options: LogOptions): Promise<SegmentLog> {
  // Builds a name once, so that an invalid node id fails here and not with the first event.
  segmentName({ sequence: 0, nodeId: options.nodeId ?? defaultNodeId, revision: 0, random: randomPart() })
  await mkdir(options.dir, { recursive: true, mode: 0o700 })
  return new FileLog(options, await recoverSegments(options.dir))
}

/** The segment being written. `bytes` is how far it is acknowledged: nothing beyond counts. */
type OpenSegment = {
  name: string
  path: string
  file: SegmentFile
  bytes: number
  events: number
  tally: Map<string, Waiting>
  firstAppendMs: number
  /** Refused bytes may follow the acknowledged ones, because truncating them failed too. */
  isTainted: boolean
} & Traced

type Group = {
  kind: 'group'
  text: string
  bytes: number
  events: number
  tally: Map<string, Waiting>
  done: PromiseWithResolvers<void>
} & Traced
type Rotation = { kind: 'rotation'; done: PromiseWithResolvers<void> }

class FileLog implements SegmentLog {
  readonly isShared = false
  failure: Error | null = null
  readonly #options: LogOptions
  readonly #createFile: CreateSegmentFile
  // bounded: by the parts of the product that listen.
  readonly #listeners = new Set<(segment: Segment) => void>()
  readonly #queue: (Group | Rotation)[] = []
  readonly #closed: ClosedSegments
  #current: OpenSegment | undefined
  #lastSequence: number
  #waitingBytes = 0
  #isWorking = false
  #closing: Promise<void> | undefined
  #ageTimer: NodeJS.Timeout | undefined
  #buffer = Buffer.allocUnsafe(sharedBufferBytes)
  #probing: Promise<boolean> | undefined

  constructor(options: LogOptions, recovered: Segment[]) {
    this.#options = options
    this.#createFile = options.createFile ?? createSegmentFile
    this.#closed = new ClosedSegments(options.dir, recovered)
    this.#lastSequence = parseSegmentName(recovered.at(-1)?.name ?? '')?.sequence ?? 0
  }

  get pendingBytes(): number {
    return this.#closed.bytes + (this.#current?.bytes ?? 0)
  }

  get pendingEvents(): number {
    return this.#closed.events + (this.#current?.events ?? 0)
  }

  waitingOf(workspaceId: string): Waiting | null {
    return waitingOf([...this.#closed.list().map(({ tally }) => tally), this.#current?.tally], workspaceId)
  }

  append(lines: string, events: number, owner: LineOwner = ofNobody): Promise<void> {
    if (this.#closing !== undefined) return Promise.reject(new LogClosed('the log is closed'))
    const bytes = Buffer.byteLength(lines)
    const waitingBytes = this.#waitingBytes + bytes
    if (this.pendingBytes + waitingBytes > this.#options.totalBytesMax) {
      return Promise.reject(new LogFull('the log has reached its configured size'))
    }
    if (waitingBytes > waitingBytesMax) {
      return Promise.reject(new LogFull('too many bytes wait for the disk'))
    }
    const group = this.#groupFor(bytes)
    group.text += lines
    group.bytes += bytes
    group.events += events
    const waiting = { events: owner.stored, sinceMs: this.#options.now() }
    addWaiting(group.tally, owner.workspaceId, waiting)
    if (owner.trace !== undefined) addTraces(group, [owner.trace])
    this.#waitingBytes = waitingBytes
    return group.done.promise
  }

  /** The last group in the queue, unless it would become too large for one segment. */
  #groupFor(bytes: number): Group {
    const last = this.#queue.at(-1)
    if (last?.kind === 'group' && last.bytes + bytes <= this.#options.segmentBytesMax) return last
    const group: Group = {
      kind: 'group',
      text: '',
      bytes: 0,
      events: 0,
      tally: new Map(),
      done: Promise.withResolvers(),
    }
    this.#enqueue(group)
    return group
  }

  rotate(): Promise<void> {
    const last = this.#queue.at(-1)
    if (last?.kind === 'rotation') return last.done.promise
    const rotation: Rotation = { kind: 'rotation', done: Promise.withResolvers() }
    this.#enqueue(rotation)
    return rotation.done.promise
  }

  /** Starts after the requests that are already there have been read, so that they share the first group. */
  #enqueue(task: Group | Rotation): void {
    this.#queue.push(task)
    if (this.#isWorking) return
    this.#isWorking = true
    setImmediate(() => this.#work())
  }

  async #work(): Promise<void> {
    for (let task = this.#queue.shift(); task !== undefined; task = this.#queue.shift()) {
      if (task.kind === 'group') await this.#commit(task)
      else await this.#closeCurrent().then(task.done.resolve, task.done.reject)
    }
    this.#isWorking = false
  }

  async #commit(group: Group): Promise<void> {
    try {
      const segment = await this.#segmentFor(group.bytes)
      await this.#write(segment, group)
      // After the write: a disk may take longer for it than the age that the timer waits for.
      if (segment.bytes === 0) this.#armAgeTimer(segment, this.#untilAgeMs(segment))
      segment.bytes += group.bytes
      segment.events += group.events
      addTally(segment.tally, group.tally)
      addTraces(segment, group.traces)
      this.#waitingBytes -= group.bytes
      this.failure = null
      group.done.resolve()
    } catch (cause) {
      await this.#cutRefused()
      this.#waitingBytes -= group.bytes
      this.failure = refusal(cause)
      this.#report(this.failure)
      group.done.reject(this.failure)
    }
  }

  async #write(segment: OpenSegment, group: Group): Promise<void> {
    const buffer = group.bytes <= sharedBufferBytes ? this.#buffer : Buffer.allocUnsafe(group.bytes)
    buffer.write(group.text)
    for (let done = 0; done < group.bytes; ) {
      const position = segment.bytes + done
      const written = await segment.file.writeDurably(buffer, done, group.bytes - done, position)
      if (written === 0) throw new Error('the disk took no byte and gave no reason')
      done += written
    }
  }

  /**
   * A refused event must never be stored later, so its bytes are removed before its caller gets the refusal.
   */
  async #cutRefused(): Promise<void> {
    const segment = this.#current
    if (segment === undefined) return
    segment.isTainted = true
    try {
      await this.#cleanse(segment)
    } catch (error) {
      this.#report(error)
    }
  }

  async #cleanse(segment: OpenSegment): Promise<void> {
    if (!segment.isTainted) return
    await segment.file.truncateDurably(segment.bytes)
    segment.isTainted = false
  }

  /** The current segment if the group still fits by size and age, otherwise a new one. */
  async #segmentFor(bytes: number): Promise<OpenSegment> {
    const { segmentBytesMax, now } = this.#options
    const current = this.#current
    if (current !== undefined && current.bytes > 0) {
      if (current.bytes + bytes > segmentBytesMax || this.#hasComeOfAge(current)) await this.#closeCurrent()
    }
    this.#current ??= await this.#openSegment()
    await this.#cleanse(this.#current)
    if (this.#current.bytes === 0) this.#current.firstAppendMs = now()
    return this.#current
  }

  async #openSegment(): Promise<OpenSegment> {
    const { dir, now, nodeId = defaultNodeId } = this.#options
    // Time keeps the order across restarts even when every earlier segment is gone; counting up keeps it when
    // a clock is set back. The random part makes a name unique where neither helps, and O_EXCL proves it in
    // this directory.
    this.#lastSequence = Math.max(Math.trunc(now()), this.#lastSequence + 1)
    const name = segmentName({ sequence: this.#lastSequence, nodeId, revision: 0, random: randomPart() })
    const path = segmentPath(dir, name)
    const file = await this.#createFile(path)
    return { name, path, file, bytes: 0, events: 0, tally: new Map(), firstAppendMs: 0, isTainted: false }
  }

  async #closeCurrent(): Promise<void> {
    const current = this.#current
    if (current === undefined || current.bytes === 0) return
    await this.#cleanse(current)
    clearTimeout(this.#ageTimer)
    this.#current = undefined
    const { name, path, bytes, events, tally, traces } = current
    const segment: Segment = { name, path, bytes, events, tally, traces }
    this.#closed.add(segment)
    // Its bytes are on disk already, so a failing close loses nothing.
    await current.file.close().catch((error: unknown) => this.#report(error))
    this.#announce(segment)
  }

  /** After the clock was set back the age is unknown, so the segment is closed rather than kept for long. */
  #hasComeOfAge(segment: OpenSegment): boolean {
    const ageMs = this.#options.now() - segment.firstAppendMs
    return ageMs < 0 || (ageMs >= this.#options.segmentAgeMsMax && this.#holdMs() <= 0)
  }

  /** A clock that was set back makes nothing wait for longer than the age. */
  #untilAgeMs(segment: OpenSegment): number {
    const { segmentAgeMsMax, now } = this.#options
    const leftMs = segment.firstAppendMs + segmentAgeMsMax - now()
    return Math.max(Math.min(leftMs, segmentAgeMsMax), this.#holdMs())
  }

  #holdMs(): number {
    return this.#options.holdMs?.() ?? 0
  }

  /** One timer per segment: without it the last events before a quiet period would never reach the store. */
  #armAgeTimer(segment: OpenSegment, delayMs: number): void {
    clearTimeout(this.#ageTimer)
    this.#ageTimer = setTimeout(() => this.#closeByAge(segment), Math.min(delayMs, timerMsMax)).unref()
  }

  async #closeByAge(segment: OpenSegment): Promise<void> {
    if (this.#current !== segment) return
    if (!this.#hasComeOfAge(segment)) {
      this.#armAgeTimer(segment, this.#untilAgeMs(segment))
      return
    }
    try {
      await this.rotate()
    } catch (error) {
      this.#report(error)
      this.#armAgeTimer(segment, this.#options.segmentAgeMsMax)
    }
  }

  async isWritable(): Promise<boolean> {
    const { dir, totalBytesMax } = this.#options
    if (this.pendingBytes >= totalBytesMax) return false
    const { bavail, bsize } = await statfs(dir)
    if (bavail * bsize < roomBytesMin) return false
    if (this.failure === null) return true
    this.#probing ??= this.#probe().finally(() => {
      this.#probing = undefined
    })
    return this.#probing
  }

  /** Senders may stop while the log cannot write, so it detects recovery without them. */
  async #probe(): Promise<boolean> {
    const path = join(this.#options.dir, `${randomPart()}${partSuffix}`)
    try {
      const file = await this.#createFile(path)
      try {
        const written = await file.writeDurably(Buffer.alloc(probeBytes), 0, probeBytes, 0)
        if (written < probeBytes) return false
      } finally {
        await file.close()
      }
      this.failure = null
      return true
    } catch {
      return false
    } finally {
      await unlink(path).catch(() => {})
    }
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
      clearTimeout(this.#ageTimer)
      // It still exists when it is empty, or when refused bytes could not be truncated: recovery will check
      // it.
      const rest = this.#current
      await rest?.file.close()
      if (rest?.bytes === 0) await unlink(rest.path)
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

function refusal(cause: unknown): LogFull | LogFailed {
  const hasNoRoom = cause instanceof Error && 'code' in cause && noRoomCodes.has(cause.code)
  if (hasNoRoom) return new LogFull('the disk is full', { cause })
  return new LogFailed('the disk refused the write', { cause })
}
