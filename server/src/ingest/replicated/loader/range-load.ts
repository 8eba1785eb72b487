import { hash } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Tracer } from '../../../platform/tracing/tracer.ts'
import type { Sql } from '../../../store/control.ts'
import type { Events } from '../../../store/events.ts'
import { type Segment, segmentName } from '../../wal/segment.ts'
import { addTraces, type Traced } from '../../wal/traces.ts'
import { applyErasures } from '../erasures.ts'
import { beginLoad, endLoad, type HeldPartition, selectErasures, selectHeld } from '../partition-store.ts'
import { linesOf } from '../replicated-log.ts'
import type { Streams } from '../streams.ts'
import { releaseOrders } from './order-store.ts'
import { asDecided, findRepeats, ordersIn, type Repeats, readRepeats, writeRepeats } from './repeats.ts'

/** Another node took the partition over while this one was about to write it down. */
export class PartitionTaken extends Error {
  override name = 'PartitionTaken'
}

/** The stream does not hold what is not loaded yet. */
class MessagesMissing extends Error {
  override name = 'MessagesMissing'
}

export type RangeOptions = {
  streams: Streams
  sql: Sql
  events: Events
  /** A table for ids, of this process. */
  idTable: string
  /** Of the log, see `LogHome`. */
  logId: string
  /** Where a range is written as a segment, for the time of its load. */
  spoolDir: string
  rangeBytesMax: number
  /** Loads the segment, exactly once under its name. */
  load: (segment: Segment, isAgain: boolean) => Promise<void>
  /** Null where no spans are recorded. */
  tracer?: Tracer | null | undefined
}

/** Messages that are loaded together: up to the last, or until they are as large as a segment. */
type Range = { lastSeq: number; messages: Uint8Array[]; bytes: number } & Traced

/** How far the partition is loaded now, and whether there was more than one load takes. */
type LoadedRange = { lastSeq: number; lines: number; hasMore: boolean }

/** Messages read at once. */
const readAhead = 16
/** Small messages are many; a load of so many still takes seconds. */
const messagesMax = 10_000

/**
 * Loads the next messages of a partition; null if there are none. What is loaded is written down before: after a crash,
 * or on another node, the same messages are loaded as the same lines under the same token, which the store takes once.
 */
export async function loadRange(options: RangeOptions, lease: HeldPartition): Promise<LoadedRange | null> {
  const { sql, streams } = options
  const { lastSeq: streamSeq } = await streams.state(lease.partition)
  // An attempt before this one may have been written down without our hearing of it.
  const held = streamSeq > lease.loadedSeq || lease.begun !== null ? await selectHeld(sql, lease) : lease
  if (held === null) throw taken(lease)
  const endSeq = held.begun?.lastSeq ?? Math.min(streamSeq, held.loadedSeq + messagesMax)
  if (endSeq <= held.loadedSeq) return null
  const range = await readRange(options, held, endSeq)
  const lines = await traced(options, held, range, () => storeRange(options, held, range))
  return { lastSeq: range.lastSeq, lines, hasMore: range.lastSeq < streamSeq }
}

/** The span of a load, with links to requests of any node. */
function traced<Result>(
  { tracer }: RangeOptions,
  { partition }: HeldPartition,
  { messages, bytes, traces }: Range,
  work: () => Promise<Result>,
): Promise<Result> {
  if (!tracer) return work()
  const attributes = { 'assay.partition': partition, 'assay.messages': messages.length, 'assay.bytes': bytes }
  return tracer.run({ name: 'load', attributes, links: traces }, work)
}

/** Returns the number of lines. */
async function storeRange(options: RangeOptions, held: HeldPartition, range: Range): Promise<number> {
  const { sql } = options
  const { lastSeq } = range
  const lines = range.messages.map(linesOf)
  const repeats = await decide(options, held, lastSeq, lines.flat())
  const text = await decidedText(options, held, lines, repeats)
  if (text !== '') await loadText(options, held, lastSeq, text)
  if (!(await endLoad(sql, held, lastSeq))) throw taken(held)
  await releaseOrders(sql, ordersIn(lines.flat()))
  return lines.reduce((sum, { length }) => sum + length, 0)
}

/** Once for a range, and written down before anything of it is loaded. */
async function decide(
  { sql, events, idTable }: RangeOptions,
  held: HeldPartition,
  lastSeq: number,
  lines: readonly string[],
): Promise<Repeats> {
  if (held.begun !== null) return readRepeats(held.begun.repeats)
  const repeats = await findRepeats({ events, sql, table: idTable }, lines)
  if (!(await beginLoad(sql, held, lastSeq, writeRepeats(repeats)))) throw taken(held)
  return repeats
}

const taken = ({ partition }: HeldPartition) =>
  new PartitionTaken(`partition ${partition} was taken over by another node`)

async function readRange(
  { streams, rangeBytesMax }: RangeOptions,
  { partition, loadedSeq, begun }: HeldPartition,
  endSeq: number,
): Promise<Range> {
  const range: Range = { lastSeq: loadedSeq, messages: [], bytes: 0 }
  while (range.lastSeq < endSeq) {
    const from = range.lastSeq + 1
    const seqs = Array.from({ length: Math.min(readAhead, endSeq - range.lastSeq) }, (_, at) => from + at)
    for (const [at, message] of (
      await Promise.all(seqs.map((seq) => streams.readTraced(partition, seq)))
    ).entries()) {
      if (message === null) throw await missing(streams, partition, from + at)
      // A range that was begun has the size that was decided then.
      const isFull =
        begun === null && range.messages.length > 0 && range.bytes + message.bytes.length > rangeBytesMax
      if (isFull) return range
      range.messages.push(message.bytes)
      range.bytes += message.bytes.length
      addTraces(range, message.traces)
      range.lastSeq = from + at
    }
  }
  return range
}

async function missing(streams: Streams, partition: number, seq: number): Promise<MessagesMissing> {
  const { firstSeq, lastSeq } = await streams.state(partition)
  return new MessagesMissing(
    `message ${seq} of partition ${partition} is not in its stream, which holds ${firstSeq} to ${lastSeq}`,
  )
}

async function decidedText(
  { sql }: RangeOptions,
  { partition, loadedSeq }: HeldPartition,
  messages: readonly (readonly string[])[],
  repeats: Repeats,
): Promise<string> {
  const erasures = await selectErasures(sql)
  let index = 0
  let text = ''
  for (const [at, lines] of messages.entries()) {
    const keep = applyErasures(erasures, partition, loadedSeq + 1 + at)
    for (const line of lines) {
      const decided = asDecided(repeats, index, line)
      const left = decided === null ? null : keep(decided)
      if (left !== null) text += `${left}\n`
      index += 1
    }
  }
  return text
}

async function loadText(
  { spoolDir, logId, load }: RangeOptions,
  { partition, loadedSeq, begun }: HeldPartition,
  lastSeq: number,
  text: string,
): Promise<void> {
  const random = hash('sha256', `${logId} ${partition} ${loadedSeq} ${lastSeq}`, 'hex').slice(0, 16)
  const name = segmentName({ sequence: loadedSeq + 1, nodeId: `p${partition}`, revision: 0, random })
  const path = join(spoolDir, `${name}.ndjson`)
  const bytes = Buffer.from(text)
  await writeFile(path, bytes, { mode: 0o600 })
  try {
    await load({ name, path, bytes: bytes.length, events: 0 }, begun !== null)
  } finally {
    await rm(path, { force: true })
  }
}
