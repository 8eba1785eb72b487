import { setTimeout as wait } from 'node:timers/promises'
import type { ForgetMode } from '@assay/contract'
import type { Clock } from '../../platform/clock.ts'
import type { Sql } from '../../store/control.ts'
import { type EventLog, LogClosed, LogFailed, LogFull, LogUnconfirmed } from '../wal/event-log.ts'
import { addWaiting, type LineOwner, waitingOf } from '../wal/pending-tally.ts'
import type { Waiting } from '../wal/segment.ts'
import { addTraces, type Traced } from '../wal/traces.ts'
import { applyErasures } from './erasures.ts'
import { splitByPartition } from './partition-lines.ts'
import { insertErasure, selectErasures, selectLoaded } from './partition-store.ts'
import { messageBytesMax, StreamFull, type Streams } from './streams.ts'

type ReplicatedLogOptions = {
  streams: Streams
  sql: Sql
  now: Clock
  /** Unique to this process; ids of messages begin with it. */
  runId: string
  /** Of all that waits in the log, as far as this node knows. */
  totalBytesMax: number
  onError: (error: unknown) => void
  /** Something can be loaded. */
  onAppended: () => void
  /** How long the servers may take to confirm an append. */
  confirmMsMax?: number
}

/** Half of what a stream takes: a group is closed before, and one long line still fits. */
const groupBytesMax = messageBytesMax / 2
/** More in flight gain nothing, measured; what comes meanwhile becomes one larger message. */
const inFlightMax = 2
/** A server that is elected takes up to nine seconds; senders wait for as long. */
const confirmMsMaxUsual = 10_000
/** One attempt; the next one has the same id, so that the message is stored once. */
const attemptMsMax = 2_500
const retryMs = 100
/** Servers that do not answer must not fill the heap with waiting lines. */
const waitingBytesMax = 67_108_864
const ofNobody: LineOwner = { workspaceId: '', stored: 0 }
/** Messages read at once. */
const readAhead = 8

type Group = {
  text: string
  bytes: number
  events: number
  tally: Map<string, Waiting>
  done: PromiseWithResolvers<void>
} & Traced
/** What this node appended to a partition and is not loaded yet. */
type Sent = { seq: number; bytes: number; events: number; tally: ReadonlyMap<string, Waiting> }

/** The log as streams of NATS JetStream, one a partition: confirmed by a majority of their replicas. */
export class ReplicatedLog implements EventLog {
  readonly isShared = true
  failure: Error | null = null
  pendingBytes = 0
  pendingEvents = 0
  readonly #options: ReplicatedLogOptions
  readonly #queues: Group[][]
  readonly #inFlight: number[]
  // bounded: by totalBytesMax.
  readonly #sent: Sent[][]
  #waitingBytes = 0
  #messages = 0
  #isClosed = false

  constructor(options: ReplicatedLogOptions) {
    this.#options = options
    const each = Array.from({ length: options.streams.partitions })
    this.#queues = each.map(() => [])
    this.#inFlight = each.map(() => 0)
    this.#sent = each.map(() => [])
  }

  get oldestMs(): number | null {
    const firsts = this.#sent.flatMap(([first]) => (first === undefined ? [] : [...first.tally.values()]))
    return firsts.length === 0 ? null : Math.min(...firsts.map(({ sinceMs }) => sinceMs))
  }

  waitingOf(workspaceId: string): Waiting | null {
    return waitingOf(
      this.#sent.flat().map(({ tally }) => tally),
      workspaceId,
    )
  }

  /** How far each partition is loaded, by whichever node. */
  setLoaded(loadedSeqs: readonly number[]): void {
    for (const [partition, loadedSeq] of loadedSeqs.entries()) {
      const sent = this.#sent[partition]
      const isLater = ({ seq }: Sent) => seq > loadedSeq
      const loaded = sent?.findIndex(isLater) ?? 0
      for (const one of sent?.splice(0, loaded === -1 ? sent.length : loaded) ?? []) this.#count(one, -1)
    }
  }

  async append(lines: string, _events: number, owner: LineOwner = ofNobody): Promise<void> {
    if (this.#isClosed) throw new LogClosed('the log is closed')
    const bytes = Buffer.byteLength(lines)
    if (this.pendingBytes + this.#waitingBytes + bytes > this.#options.totalBytesMax) {
      throw new LogFull('the log has reached its configured size')
    }
    if (this.#waitingBytes + bytes > waitingBytesMax) throw new LogFull('too many bytes wait for the log')
    const sinceMs = this.#options.now()
    const groups = new Set<Group>()
    for (const [partition, all] of splitByPartition(lines, this.#queues.length)) {
      for (const { text, events } of all) {
        const group = this.#groupFor(partition, Buffer.byteLength(text))
        group.text += text
        group.events += events
        addWaiting(group.tally, owner.workspaceId, { events, sinceMs })
        if (owner.trace !== undefined) addTraces(group, [owner.trace])
        groups.add(group)
      }
    }
    await allConfirmed([...groups].map(({ done }) => done.promise))
  }

  #groupFor(partition: number, bytes: number): Group {
    const queue = this.#queues[partition] ?? []
    let group = queue.at(-1)
    if (group === undefined || group.bytes + bytes > groupBytesMax) {
      group = { text: '', bytes: 0, events: 0, tally: new Map(), done: Promise.withResolvers() }
      queue.push(group)
      // After the requests that are already there have been read, so that they share the message.
      if (queue.length === 1) setImmediate(() => this.#pump(partition))
    }
    group.bytes += bytes
    this.#waitingBytes += bytes
    return group
  }

  #pump(partition: number): void {
    const queue = this.#queues[partition] ?? []
    while ((this.#inFlight[partition] ?? 0) < inFlightMax) {
      const group = queue.shift()
      if (group === undefined) return
      this.#inFlight[partition] = (this.#inFlight[partition] ?? 0) + 1
      this.#commit(partition, group).finally(() => {
        this.#inFlight[partition] = (this.#inFlight[partition] ?? 1) - 1
        this.#waitingBytes -= group.bytes
        this.#pump(partition)
      })
    }
  }

  async #commit(partition: number, group: Group): Promise<void> {
    try {
      const seq = await this.#publish(partition, Buffer.from(group.text), group.traces)
      const { bytes, events, tally } = group
      this.#note(partition, { seq, bytes, events, tally })
      this.failure = null
      group.done.resolve()
      this.#options.onAppended()
    } catch (error) {
      this.failure = error instanceof Error ? error : new Error(String(error))
      this.#options.onError(this.failure)
      group.done.reject(this.failure)
    }
  }

  /** In the order of their sequence, though confirmations may overtake each other. */
  #note(partition: number, one: Sent): void {
    const sent = this.#sent[partition] ?? []
    const last = sent.at(-1)
    if (last !== undefined && last.seq === one.seq) return
    sent.push(one)
    this.#count(one, 1)
    if (last !== undefined && last.seq > one.seq) sent.sort((a, b) => a.seq - b.seq)
  }

  #count({ bytes, events }: Sent, sign: 1 | -1): void {
    this.pendingBytes += sign * bytes
    this.pendingEvents += sign * events
  }

  async #publish(partition: number, bytes: Uint8Array, traces?: readonly string[]): Promise<number> {
    const { streams, runId, confirmMsMax = confirmMsMaxUsual } = this.#options
    if (bytes.length > messageBytesMax) throw new LogFailed('a line is longer than the log takes')
    this.#messages += 1
    const id = `${runId}-${this.#messages}`
    const endMs = performance.now() + confirmMsMax
    for (let attempt = 1; ; attempt += 1) {
      const leftMs = endMs - performance.now()
      try {
        const timeoutMs = Math.max(1, Math.min(leftMs, attemptMsMax))
        return await streams.publish(partition, bytes, id, timeoutMs, traces)
      } catch (cause) {
        // An earlier attempt may have been stored without our hearing of it.
        if (cause instanceof StreamFull && attempt === 1) throw new LogFull('the log is full', { cause })
        if (endMs - performance.now() <= retryMs || !streams.isConnected) {
          throw new LogUnconfirmed('the log did not confirm in time', { cause })
        }
        await wait(retryMs)
      }
    }
  }

  /** What is acknowledged can be loaded at once; ranges of a load end where its node decides. */
  async rotate(): Promise<void> {}

  async *unloaded(): AsyncGenerator<string> {
    const { streams, sql } = this.#options
    const erasures = await selectErasures(sql)
    const loadedSeqs = await selectLoaded(sql)
    for (let partition = 0; partition < streams.partitions; partition += 1) {
      const { lastSeq, firstSeq } = await streams.state(partition)
      const from = Math.max((loadedSeqs[partition] ?? 0) + 1, firstSeq)
      for (let seq = from; seq <= lastSeq; seq += readAhead) {
        const seqs = Array.from({ length: Math.min(readAhead, lastSeq - seq + 1) }, (_, at) => seq + at)
        const messages = await Promise.all(seqs.map((one) => streams.read(partition, one)))
        for (const [at, message] of messages.entries()) {
          // Loaded and purged meanwhile: its lines are in the store.
          if (message === null) continue
          const keep = applyErasures(erasures, partition, seq + at)
          for (const line of linesOf(message)) {
            const left = keep(line)
            if (left !== null) yield left
          }
        }
      }
    }
  }

  /** The load leaves them out, whichever node does it: the messages themselves cannot be changed. */
  async forget(workspaceId: string, originalIds: readonly string[], mode: ForgetMode): Promise<void> {
    const { streams, sql } = this.#options
    const each = Array.from({ length: streams.partitions }, (_, partition) => streams.state(partition))
    const untilSeqs = (await Promise.all(each)).map(({ lastSeq }) => lastSeq)
    const loadedSeqs = await selectLoaded(sql)
    if (untilSeqs.every((seq, partition) => seq <= (loadedSeqs[partition] ?? 0))) return
    await insertErasure(sql, { workspaceId, personIds: originalIds, mode, untilSeqs })
  }

  async isWritable(): Promise<boolean> {
    const { streams, totalBytesMax } = this.#options
    if (this.pendingBytes >= totalBytesMax || !streams.isConnected) return false
    if (this.failure === null) return true
    const each = Array.from({ length: streams.partitions }, (_, partition) => streams.state(partition))
    const states = await Promise.all(each).catch(() => null)
    const isThere = states?.every(({ bytes }) => bytes < totalBytesMax / streams.partitions) ?? false
    if (isThere) this.failure = null
    return isThere
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const groups = this.#queues.flat().map(({ done }) => done.promise)
    await Promise.allSettled(groups)
    while (this.#inFlight.some((count) => count > 0)) await wait(retryMs)
  }
}

/** The lines of a message, without their newlines. */
export function linesOf(message: Uint8Array): string[] {
  const text = Buffer.from(message.buffer, message.byteOffset, message.byteLength).toString('utf8')
  return text.split('\n').filter((line) => line !== '')
}

/** All of an append, or a refusal that says what is known of it. */
async function allConfirmed(groups: readonly Promise<void>[]): Promise<void> {
  const results = await Promise.allSettled(groups)
  const reasons = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
  if (reasons.length === 0) return
  const isNothingStored = reasons.length === results.length && reasons.every((one) => one instanceof LogFull)
  const [first] = reasons
  throw isNothingStored || results.length === 1
    ? first
    : new LogUnconfirmed('a part of the append was not confirmed', { cause: first })
}
