import { randomUUID } from 'node:crypto'
import path from 'node:path'
import { Readable } from 'node:stream'
import {
  type Outcome,
  openPortableEngine,
  type PortableEngine,
  type PortableEngineOptions,
  type Statement,
  StatementError,
} from '@assay/engine-portable'
import { parseError } from '@clickhouse/client'
import type { EngineConnection, EngineQuery } from './engine-connection.ts'
import { parameterText } from './parameters.ts'
import { openSpool } from './spool.ts'
import { readRowsFrom, splitSettings } from './statement.ts'

type PortableOptions = Pick<PortableEngineOptions, 'path' | 'mounts'> & {
  onNotice?: (text: string) => void
}

/** The engine compiled to WebAssembly, as a connection of the ordinary client. */
export async function createPortableConnection(options: PortableOptions): Promise<EngineConnection> {
  return connectionTo(await openSpooledEngine(options))
}

type SpooledEngine = PortableEngine & {
  /** The same as `run` for an INSERT whose rows come separately. */
  insert(statement: Statement, rows: Readable | string, signal?: AbortSignal): Promise<Outcome | null>
}

async function openSpooledEngine({
  onNotice = () => undefined,
  ...options
}: PortableOptions): Promise<SpooledEngine> {
  const spool = openSpool(path.resolve(options.path))
  const engine = await openPortableEngine({ ...options, onNotice, now: Date.now })
  return {
    ...engine,
    insert: (statement, rows, signal) =>
      spool.withRows(rows, (file) =>
        engine.run({ ...statement, sql: readRowsFrom(file, statement.sql) }, signal),
      ),
  }
}

function connectionTo(engine: SpooledEngine): EngineConnection {
  const run = async (query: EngineQuery, rows?: Readable | string): Promise<Outcome | null> => {
    const statement = statementOf(query)
    try {
      if (rows === undefined) return await engine.run(statement, query.abort_signal)
      return await engine.insert(statement, rows, query.abort_signal)
    } catch (error) {
      throw error instanceof StatementError
        ? Object.assign(parseError(error.message), { cause: error })
        : error
    }
  }
  return {
    async query(query) {
      return { ...answerTo(query), stream: readable(await run(query)) }
    },
    async command(query) {
      return { ...answerTo(query), summary: summaryOf(await run(query)) }
    },
    async exec(query) {
      const outcome = await run(query, query.values)
      return { ...answerTo(query), stream: readable(outcome), summary: summaryOf(outcome) }
    },
    async insert(query) {
      return { ...answerTo(query), summary: summaryOf(await run(query, query.values)) }
    },
    async ping() {
      try {
        await run({ query: 'SELECT 1' })
        return { success: true }
      } catch (error) {
        return { success: false, error: error instanceof Error ? error : new Error(String(error)) }
      }
    },
    close: () => engine.close(),
  }
}

function statementOf(query: EngineQuery): Statement {
  const { settings, format } = splitSettings(query.clickhouse_settings)
  const parameters = Object.entries(query.query_params ?? {}).map(
    ([name, value]) => [name, parameterText(value)] as const,
  )
  return { sql: query.query, format, settings, parameters: Object.fromEntries(parameters) }
}

function answerTo(query: EngineQuery) {
  return { query_id: query.query_id ?? randomUUID(), response_headers: {}, http_status_code: 200 }
}

function readable(outcome: Outcome | null): Readable {
  const chunks = outcome && outcome.bytes.length > 0 ? [Buffer.from(outcome.bytes.buffer)] : []
  const stream = Readable.from(chunks, { objectMode: false })
  // A result set that is closed unread destroys its stream with an error that no caller waits for.
  stream.on('error', () => undefined)
  return stream
}

/** In the words of ClickHouse's `X-ClickHouse-Summary`. */
export function summaryOf(outcome: Outcome | null) {
  return {
    read_rows: String(outcome?.scannedRows ?? 0),
    read_bytes: String(outcome?.scannedBytes ?? 0),
    // The engine counts what it inserted as rows of the result.
    written_rows: String(outcome?.resultRows ?? 0),
    written_bytes: String(outcome?.resultBytes ?? 0),
    total_rows_to_read: '0',
    result_rows: String(outcome?.resultRows ?? 0),
    result_bytes: String(outcome?.resultBytes ?? 0),
    elapsed_ns: String(Math.round((outcome?.elapsedMs ?? 0) * 1_000_000)),
  }
}
