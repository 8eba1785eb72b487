import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import {
  JetStreamApiError,
  type JetStreamClient,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
  type StreamConfig,
  type StreamInfo,
} from '@nats-io/jetstream'
import {
  connect,
  credsAuthenticator,
  headers,
  type MsgHdrs,
  type NatsConnection,
} from '@nats-io/transport-node'
import type { ReplicatedLogSettings } from '../../platform/node/replicated-log-settings.ts'
import { tracesMax } from '../wal/traces.ts'
import { LogRefused } from './log-refusal.ts'

/** A stream, as its leader knows it. `lastSeq` is 0 before the first message. */
type StreamState = { firstSeq: number; lastSeq: number; bytes: number; firstMs: number }

/** A message, and some of the requests whose lines it holds, as `traceparent`. */
type TracedMessage = { bytes: Uint8Array; traces: readonly string[] }

/** The stream has no space: nothing of this message was stored now. */
export class StreamFull extends Error {
  override name = 'StreamFull'
}

/** One stream a partition, so that its sequence has no gaps and its leader may be any server. */
export type Streams = {
  readonly partitions: number
  /** Resolves with the sequence once the servers confirmed the message; the same id again is stored once. */
  publish: (
    partition: number,
    bytes: Uint8Array,
    id: string,
    timeoutMs: number,
    traces?: readonly string[],
  ) => Promise<number>
  state: (partition: number) => Promise<StreamState>
  /** Null where there is no such message any more. */
  read: (partition: number, seq: number) => Promise<Uint8Array | null>
  /** The same, with the requests that it was published for. */
  readTraced: (partition: number, seq: number) => Promise<TracedMessage | null>
  /** Deletes the messages up to this one. */
  purge: (partition: number, throughSeq: number) => Promise<void>
  readonly isConnected: boolean
  close: () => Promise<void>
}

/** The default of NATS for its largest message; ours have half of it, see replicated-log.ts. */
export const messageBytesMax = 1_048_576
/** Longer than an append is tried again with the same id. */
const duplicateWindowMs = 120_000
const nsPerMs = 1_000_000
const connectMsMax = 5_000
const reconnectMs = 250
/** A server that hangs is left after two unanswered pings. */
const pingMs = 2_000
const pingsMax = 2
/** A new leader takes up to nine seconds; requests to a stream without one are tried again. */
const requestMsMax = 3_000
const storageFull = 10_077
/** How long a start waits for the servers to agree on leaders. */
const startMsMax = 30_000

export async function openStreams(
  settings: ReplicatedLogSettings,
  { bytesMax, nodeId }: { bytesMax: number; nodeId: string },
): Promise<Streams> {
  const connection = await connectTo(settings, nodeId)
  try {
    const endMs = performance.now() + startMsMax
    const manager = await patiently(endMs, () => jetstreamManager(connection, { timeout: requestMsMax }))
    for (let partition = 0; partition < settings.partitions; partition += 1) {
      const wanted = configOf(settings, partition, bytesMax)
      await patiently(endMs, () => requireStream(manager, wanted))
    }
    return new JetStreams(connection, manager, settings)
  } catch (error) {
    await connection.close()
    if (error instanceof LogRefused) throw error
    throw unavailable(error)
  }
}

/** A leader may be elected at this very moment: then nothing answers, and a moment later it does. */
async function patiently<T>(endMs: number, work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (error instanceof LogRefused || performance.now() > endMs) throw error
      await wait(reconnectMs)
    }
  }
}

async function connectTo(settings: ReplicatedLogSettings, nodeId: string): Promise<NatsConnection> {
  const { servers, user, password, isTls, credentialsFile, caFile } = settings
  try {
    return await connect({
      servers: [...servers],
      name: `assay ${nodeId}`,
      timeout: connectMsMax,
      maxReconnectAttempts: -1,
      reconnectTimeWait: reconnectMs,
      pingInterval: pingMs,
      maxPingOut: pingsMax,
      ...(user !== undefined && { user }),
      ...(password !== undefined && { pass: password }),
      ...((isTls || caFile !== undefined) && { tls: caFile === undefined ? {} : { caFile } }),
      ...(credentialsFile !== undefined && {
        authenticator: credsAuthenticator(readFileSync(credentialsFile)),
      }),
    })
  } catch (error) {
    throw unavailable(error)
  }
}

function unavailable(cause: unknown): LogRefused {
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new LogRefused(
    `The replicated log cannot be used (${reason}). Check ASSAY_LOG_URL and its credentials, that JetStream is enabled on the servers, and that a majority of them is up.`,
    { cause },
  )
}

type OurConfig = Pick<
  StreamConfig,
  | 'name'
  | 'subjects'
  | 'storage'
  | 'retention'
  | 'discard'
  | 'max_bytes'
  | 'max_msg_size'
  | 'num_replicas'
  | 'duplicate_window'
  | 'allow_direct'
>

const streamOf = ({ name }: ReplicatedLogSettings, partition: number) => `${name}-log-${partition}`
const subjectOf = ({ name }: ReplicatedLogSettings, partition: number) => `${name}.log.${partition}`

/** Nothing is dropped by size or age: a full stream refuses, as the log in files does. */
function configOf(settings: ReplicatedLogSettings, partition: number, bytesMax: number): OurConfig {
  return {
    name: streamOf(settings, partition),
    subjects: [subjectOf(settings, partition)],
    storage: 'file',
    retention: 'limits',
    discard: 'new',
    max_bytes: Math.max(messageBytesMax, Math.floor(bytesMax / settings.partitions)),
    max_msg_size: messageBytesMax,
    num_replicas: settings.replicas,
    duplicate_window: duplicateWindowMs * nsPerMs,
    allow_direct: true,
  }
}

/** A member of a stream that decides what an acknowledgement means, and the setting that it follows from. */
const advised: ReadonlyMap<string, string> = new Map([
  ['num_replicas', 'set ASSAY_LOG_REPLICAS'],
  ['max_bytes', 'set ASSAY_LOG_BYTES_MAX and ASSAY_LOG_PARTITIONS'],
])

/** Creates the stream, or requires that it is as these settings would make it. */
async function requireStream(manager: JetStreamManager, wanted: OurConfig): Promise<void> {
  const found = await infoOf(manager, wanted.name)
  if (found === null) {
    await manager.streams.add(wanted)
    return
  }
  const config: Readonly<Record<string, unknown>> = found.config
  const limits = { max_age: 0, max_msgs: -1, sealed: false, deny_purge: false }
  for (const [member, value] of Object.entries({ ...wanted, ...limits })) {
    if (JSON.stringify(config[member]) === JSON.stringify(value)) continue
    const setting = advised.get(member)
    throw new LogRefused(
      `The stream ${wanted.name} has ${member} ${JSON.stringify(config[member])}, ` +
        `and the settings say ${JSON.stringify(value)}. ` +
        `Change the stream with "nats stream edit ${wanted.name}"${setting === undefined ? '' : `, or ${setting}`}.`,
    )
  }
}

async function infoOf(manager: JetStreamManager, stream: string): Promise<StreamInfo | null> {
  try {
    return await manager.streams.info(stream)
  } catch (error) {
    if (error instanceof JetStreamApiError && error.status === 404) return null
    throw error
  }
}

const traceHeader = 'Assay-Trace'
/** What the headers of a message take at most; they count towards its size. */
const headerBytesMax = 2_048

/** None where spans are not recorded: such messages are as they were before. */
function traceHeaders(bytes: Uint8Array, traces: readonly string[]): { headers?: MsgHdrs } {
  if (traces.length === 0 || bytes.length + headerBytesMax > messageBytesMax) return {}
  const named = headers()
  named.set(traceHeader, traces.join(','))
  return { headers: named }
}

class JetStreams implements Streams {
  readonly partitions: number
  readonly #connection: NatsConnection
  readonly #manager: JetStreamManager
  readonly #client: JetStreamClient
  readonly #settings: ReplicatedLogSettings

  constructor(connection: NatsConnection, manager: JetStreamManager, settings: ReplicatedLogSettings) {
    this.#connection = connection
    this.#manager = manager
    this.#client = jetstream(connection, { timeout: requestMsMax })
    this.#settings = settings
    this.partitions = settings.partitions
  }

  get isConnected(): boolean {
    return !this.#connection.isClosed()
  }

  async publish(
    partition: number,
    bytes: Uint8Array,
    id: string,
    timeoutMs: number,
    traces: readonly string[] = [],
  ): Promise<number> {
    const expect = { streamName: streamOf(this.#settings, partition) }
    const named = traceHeaders(bytes, traces)
    const options = { msgID: id, timeout: timeoutMs, retries: 0, expect, ...named }
    try {
      return (await this.#client.publish(subjectOf(this.#settings, partition), bytes, options)).seq
    } catch (error) {
      if (error instanceof JetStreamApiError && error.code === storageFull) {
        throw new StreamFull('the stream has reached its configured size', { cause: error })
      }
      throw error
    }
  }

  async state(partition: number): Promise<StreamState> {
    const { state } = await this.#manager.streams.info(streamOf(this.#settings, partition))
    const { first_seq: firstSeq, last_seq: lastSeq, bytes, first_ts } = state
    return { firstSeq, lastSeq, bytes, firstMs: Date.parse(first_ts) }
  }

  async read(partition: number, seq: number): Promise<Uint8Array | null> {
    return (await this.readTraced(partition, seq))?.bytes ?? null
  }

  async readTraced(partition: number, seq: number): Promise<TracedMessage | null> {
    const stream = streamOf(this.#settings, partition)
    // Any replica may answer, also one that is behind: then its leader is asked.
    const found = await this.#manager.direct.getMessage(stream, { seq })
    const message = found ?? (await this.#manager.streams.getMessage(stream, { seq }))
    if (message === null) return null
    const traces = message.header?.get(traceHeader) ?? ''
    return { bytes: message.data, traces: traces === '' ? [] : traces.split(',').slice(0, tracesMax) }
  }

  async purge(partition: number, throughSeq: number): Promise<void> {
    await this.#manager.streams.purge(streamOf(this.#settings, partition), { seq: throughSeq + 1 })
  }

  close(): Promise<void> {
    return this.#connection.close()
  }
}
