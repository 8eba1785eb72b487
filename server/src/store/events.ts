import { createReadStream } from 'node:fs'
import { type ClickHouseClient, ClickHouseLogLevel, createClient } from '@clickhouse/client'
import { type Logger, silentLogger } from '../platform/logging/logger.ts'
import { Gate } from '../platform/read-write-lock.ts'
import { reaching } from '../platform/store-failure.ts'
import { type Cluster, findCluster, requireSameKind } from './cluster/cluster.ts'
import { clusteredEvents, clusterSettings } from './cluster/clustered-events.ts'
import { type EngineKind, openEngine } from './engine/open.ts'
import {
  type BoundSettings,
  filterSettings,
  filterSecondsMax as usualSeconds,
  withinTime,
} from './filters/filter-bounds.ts'

export type EventsRow = Record<string, unknown>
/** As a row has it: 64 bits come as text. */
export type Count = string | number
export type QueryParams = Readonly<Record<string, unknown>>

/** Lines of text, or blocks of columns in the engine's own format. */
export type FileFormat = 'JSONEachRow' | 'Native'

type InsertSettings = Readonly<Record<string, number | string>>

/** ClickHouse SQL, in this process or on a server: the same statements, the same client. */
export type Events = {
  query: <R extends EventsRow>(sql: string, params?: QueryParams) => Promise<R[]>
  /** The answer's bytes in the format that the statement names; for bulk reads. */
  bytes: (sql: string, params?: QueryParams) => Promise<Buffer>
  command: (sql: string, params?: QueryParams) => Promise<void>
  /** A few thousand rows at a time; times as text in UTC. */
  insertRows: (table: string, rows: readonly EventsRow[], settings?: InsertSettings) => Promise<void>
  /** Fills a table from a file, of NDJSON by default; it is read by the engine, or streamed to the server. */
  insertFile: (table: string, structure: string, path: string, format?: FileFormat) => Promise<void>
  ping: () => Promise<boolean>
  readonly engine: string
  /** The servers that each hold everything; null where the store is embedded or one server. */
  readonly cluster: Cluster | null
  /** Runs with no statement under way, in an engine of our own; null where the store is a server. */
  quietly: (<T>(work: () => Promise<T>) => Promise<T>) | null
  close: () => Promise<void>
}

type EventsOptions = {
  dataDir: string
  /** Where the log lies, so that the engine may read segments. */
  logDir: string
  url?: string | undefined
  /** Name of the cluster whose replicas hold the tables. */
  cluster?: string | undefined
  /** Which embedded engine; without it the fastest that is installed. */
  engine?: EngineKind | undefined
  logger?: Logger
  /** How long a statement with conditions that a caller chose may take. */
  filterSecondsMax?: number
}

export function openEvents(options: EventsOptions): Promise<Events> {
  return options.url === undefined ? openEmbedded(options) : openServer(options.url, options)
}

/** The client would write whole statements and values to the console; failures are reported by who hears of them. */
const quiet = { level: ClickHouseLogLevel.OFF }

async function openEmbedded({
  dataDir,
  logDir,
  engine: kind,
  logger = silentLogger,
  filterSecondsMax,
}: EventsOptions): Promise<Events> {
  const engine = await openEngine({
    path: `${dataDir}/events`,
    mounts: [logDir],
    kind,
    onNotice: (text) => logger.warn(text),
  })
  const client = createClient({ connection: engine.connection, log: quiet })
  const gate = new Gate()
  const shared = overClient(client, filterSecondsMax)
  return {
    ping: shared.ping,
    query: (sql, params) => gate.pass(() => shared.query(sql, params)),
    bytes: (sql, params) => gate.pass(() => shared.bytes(sql, params)),
    command: (sql, params) => gate.pass(() => shared.command(sql, params)),
    insertRows: (table, rows, settings) => gate.pass(() => shared.insertRows(table, rows, settings)),
    engine: `${engine.kind} ${engine.version}`,
    cluster: null,
    quietly: (work) => gate.alone(work),
    insertFile: (table, structure, path, format = 'JSONEachRow') =>
      // The portable engine cannot map files into memory, hence pread.
      gate.pass(() =>
        runCommand(
          client,
          `INSERT INTO ${table} SELECT * FROM file({path:String}, {format:String}, {structure:String})
           SETTINGS storage_file_read_method = 'pread'`,
          { path, structure, format },
        ),
      ),
    close: async () => {
      await client.close()
      await engine.close()
    },
  }
}

/** A load of a full segment takes about a second; ten times that is a server in trouble. */
const requestTimeoutMs = 60_000

async function openServer(
  url: string,
  { cluster: clusterName, filterSecondsMax }: Pick<EventsOptions, 'cluster' | 'filterSecondsMax'>,
): Promise<Events> {
  const settings = clusterName === undefined ? {} : clusterSettings
  const client = createClient({
    url,
    request_timeout: requestTimeoutMs,
    log: quiet,
    clickhouse_settings: settings,
  })
  const opened = await client.ping()
  if (!opened.success) {
    await client.close()
    throw opened.error
  }
  const server = overServer(client, filterSecondsMax)
  try {
    const cluster = clusterName === undefined ? null : await findCluster(server.query, clusterName)
    await requireSameKind(server.query, cluster)
    return cluster === null ? server : clusteredEvents(server, cluster)
  } catch (cause) {
    await client.close()
    throw cause
  }
}

function overServer(client: ClickHouseClient, filterSecondsMax: number | undefined): Events {
  const server = overClient(client, filterSecondsMax)
  return {
    query: (sql, params) => reaching('events', () => server.query(sql, params)),
    bytes: (sql, params) => reaching('events', () => server.bytes(sql, params)),
    command: (sql, params) => reaching('events', () => server.command(sql, params)),
    insertRows: (table, rows, settings) => reaching('events', () => server.insertRows(table, rows, settings)),
    ping: server.ping,
    engine: 'server',
    cluster: null,
    quietly: null,
    insertFile: (table, _structure, path, format = 'JSONEachRow') =>
      reaching('events', async () => {
        const stream = createReadStream(path)
        await client.exec({ query: `INSERT INTO ${table} FORMAT ${format}`, values: stream }).then(drain)
      }),
    close: () => client.close(),
  }
}

type Shared = Pick<Events, 'query' | 'bytes' | 'command' | 'insertRows' | 'ping'>

function overClient(client: ClickHouseClient, filterSecondsMax = usualSeconds): Shared {
  return {
    query: async <R extends EventsRow>(sql: string, params: QueryParams = {}) => {
      const settings = filterSettings(params, filterSecondsMax)
      return withinTime(settings, async () => {
        const result = await client.query({
          query: sql,
          query_params: { ...params },
          format: 'JSONEachRow',
          clickhouse_settings: settings,
        })
        return result.json<R>()
      })
    },
    bytes: (sql, params = {}) => {
      const settings = filterSettings(params, filterSecondsMax)
      return withinTime(settings, () => bytesOf(client, sql, params, settings))
    },
    command: (sql, params = {}) => runCommand(client, sql, params),
    insertRows: async (table, rows, settings = {}) =>
      void (await client.insert({
        table,
        values: [...rows],
        format: 'JSONEachRow',
        clickhouse_settings: { ...settings },
      })),
    ping: async () => (await client.ping()).success,
  }
}

async function bytesOf(
  client: ClickHouseClient,
  sql: string,
  params: QueryParams,
  settings: BoundSettings,
): Promise<Buffer> {
  const { stream } = await client.exec({
    query: sql,
    query_params: { ...params },
    // A server that fails in the middle would otherwise have said 200 already, and cut the bytes short.
    clickhouse_settings: { wait_end_of_query: 1, ...settings },
  })
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  const [first, ...others] = chunks
  // An embedded engine answers in one piece, often of many megabytes.
  return first !== undefined && others.length === 0 ? first : Buffer.concat(chunks)
}

async function runCommand(client: ClickHouseClient, sql: string, params: QueryParams): Promise<void> {
  await client.command({ query: sql, query_params: { ...params } })
}

async function drain({ stream }: { stream: AsyncIterable<unknown> }): Promise<void> {
  for await (const _ of stream);
}
