import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { parseError } from '@clickhouse/client'
import { ConnectionPool } from './connection-pool.ts'
import type { EngineConnection, EngineQuery } from './engine-connection.ts'
import { parameterText, quotedText } from './parameters.ts'
import type { Spool } from './spool.ts'
import { readRowsFrom, requireName, splitSettings } from './statement.ts'

/**
 * How many statements of reads and loads run side by side. Each takes a thread of the pool that also writes the log,
 * which has four.
 */
const connectionsMax = 2

/**
 * chDB's connection (3.4.0) with six of its habits fixed:
 * - It runs statements with parameters one after the other in the whole process, whatever their connections: the
 *   library would mix their values up. Parameters are therefore set on the connection before the statement.
 * - It applies `clickhouse_settings` with SET, which stays in effect: the next INSERT would carry the previous one's
 *   deduplication token and be dropped. A call with settings therefore runs on a connection of its own; several may
 *   be open on one directory in a process.
 * - It answers an abort at once and computes on: the next statement of the connection would wait for it. A call that
 *   can be aborted runs on a connection of its own, too, and is stopped by KILL QUERY.
 * - Its errors are of another copy of the client's class, and `instanceof` would not know them.
 * - It stores none of the rows that come with an `INSERT … SELECT … FROM input(…)`.
 * - It reads rows that come as a stream as text, which no binary format survives. They go through a file.
 */
export function fixNative(open: () => EngineConnection, spool: Spool): EngineConnection {
  const pool = new ConnectionPool(open, connectionsMax)
  const stopping = new Set<Promise<void>>()
  const run = async <Call extends EngineQuery, Answer>(
    call: Call,
    act: (connection: EngineConnection, call: Call) => Promise<Answer>,
  ): Promise<Answer> => {
    const { settings } = splitSettings({ ...call.clickhouse_settings })
    const signal = call.abort_signal
    if (signal === undefined && Object.keys(settings).length === 0 && bringsParameters(call)) {
      return pool.run((connection) => withParameters(connection, call, act)).catch(throwAsClient)
    }
    return signal === undefined
      ? runAlone(open, call, act)
      : runStoppable({ open, stopping }, call, signal, act)
  }
  const exec: EngineConnection['exec'] = async ({ values, ...given }) => {
    if (values === undefined) return run(given, (connection, call) => connection.exec(call))
    const answer = await spool.withRows(values, (file) =>
      run({ ...given, query: readRowsFrom(file, given.query) }, (connection, call) => connection.exec(call)),
    )
    return answer ?? { query_id: given.query_id ?? '', stream: Readable.from([]), response_headers: {} }
  }
  return {
    exec,
    query: (given) => run(given, (connection, call) => connection.query(call)),
    command: (given) => run(given, (connection, call) => connection.command(call)),
    insert: (given) => run(given, (connection, call) => connection.insert(call)),
    ping: (given) => pool.run((connection) => connection.ping(given)),
    async close() {
      await Promise.all(stopping)
      await pool.close()
    },
  }
}

async function runAlone<Call extends EngineQuery, Answer>(
  open: () => EngineConnection,
  call: Call,
  act: (connection: EngineConnection, call: Call) => Promise<Answer>,
): Promise<Answer> {
  const own = open()
  try {
    return await withParameters(own, call, act).catch(throwAsClient)
  } finally {
    await own.close()
  }
}

async function runStoppable<Call extends EngineQuery, Answer>(
  { open, stopping }: { open: () => EngineConnection; stopping: Set<Promise<void>> },
  call: Call,
  signal: AbortSignal,
  act: (connection: EngineConnection, call: Call) => Promise<Answer>,
): Promise<Answer> {
  signal.throwIfAborted()
  const mark = randomUUID()
  const own = open()
  const running = withParameters(own, { ...call, query: `/* ${mark} */ ${call.query}` }, act)
  try {
    return await running.catch(throwAsClient)
  } finally {
    // The caller continues at once; the connection is closed when the engine has let go of it.
    if (signal.aborted) {
      const ended = stop(open, own, mark).finally(() => stopping.delete(ended))
      stopping.add(ended)
    } else await own.close()
  }
}

/** chDB gives statements ids of its own and does not return them, so that one is found by its text. */
async function stop(open: () => EngineConnection, own: EngineConnection, mark: string): Promise<void> {
  try {
    const query = `KILL QUERY WHERE startsWith(query, '/* ${mark}') ASYNC`
    await runAlone(open, { query }, (connection, call) => connection.command(call))
    // Waits for its turn behind what was stopped.
    await own.ping({ select: true })
    await own.close()
  } catch {
    // No caller waits for it any more: what was not stopped ends by its own limits.
  }
}

function throwAsClient(error: unknown): never {
  const cause = error instanceof Error ? error.cause : undefined
  const isEngines = cause instanceof Error && cause.message.startsWith('Code: ')
  throw isEngines ? Object.assign(parseError(cause.message), { cause }) : error
}

/** Longest statement that the engine reads by default, in bytes. */
const queryBytesMax = 262_144

const namedParameters = /\{\s*(\w+)\s*:/g

/** Values stay on a connection; a statement that lacks one must be refused and not take that of another. */
function bringsParameters({ query, query_params: given = {} }: EngineQuery): boolean {
  return [...query.matchAll(namedParameters)].every(([, name = '']) => Object.hasOwn(given, name))
}

async function withParameters<Call extends EngineQuery, Answer>(
  connection: EngineConnection,
  call: Call,
  act: (connection: EngineConnection, call: Call) => Promise<Answer>,
): Promise<Answer> {
  const texts = Object.entries(call.query_params ?? {}).map(
    ([name, value]) => `param_${requireName(name)} = ${quotedText(parameterText(value))}`,
  )
  if (texts.length === 0) return act(connection, call)
  const query = `SET ${texts.join(', ')}`
  const bytes = Buffer.byteLength(query)
  if (bytes <= queryBytesMax) await connection.command({ query })
  else {
    await connection.command({ query: `SET max_query_size = ${bytes * 2}` })
    await connection.command({ query: `${query}, max_query_size = ${queryBytesMax}` })
  }
  return act(connection, { ...call, query_params: {} })
}
