import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { parseError } from '@clickhouse/client'
import type { EngineConnection, EngineQuery } from './engine-connection.ts'
import { timeText } from './parameters.ts'
import type { Spool } from './spool.ts'
import { readRowsFrom, readsInput, splitSettings } from './statement.ts'

/**
 * chDB's connection (3.4.0) with five of its habits fixed:
 * - It applies `clickhouse_settings` with SET, which stays in effect: the next INSERT would carry the previous one's
 *   deduplication token and be dropped. A call with settings therefore runs on a connection of its own; several may
 *   be open on one directory in a process.
 * - It answers an abort at once and computes on: the next statement of the connection would wait for it. A call that
 *   can be aborted runs on a connection of its own, too, and is stopped by KILL QUERY.
 * - Its errors are of another copy of the client's class, and `instanceof` would not know them.
 * - It binds a Date without its milliseconds.
 * - It stores none of the rows that come with an `INSERT … SELECT … FROM input(…)`.
 */
export function fixNative(open: () => EngineConnection, spool: Spool): EngineConnection {
  const shared = open()
  const stopping = new Set<Promise<void>>()
  const run = async <Call extends EngineQuery, Answer>(
    given: Call,
    act: (connection: EngineConnection, call: Call) => Promise<Answer>,
  ): Promise<Answer> => {
    const call = { ...given, ...bindable(given) }
    const { settings } = splitSettings({ ...given.clickhouse_settings })
    const signal = given.abort_signal
    if (signal === undefined && Object.keys(settings).length === 0) {
      return act(shared, call).catch(throwAsClient)
    }
    return signal === undefined
      ? runAlone(open, call, act)
      : runStoppable({ open, stopping }, call, signal, act)
  }
  const exec: EngineConnection['exec'] = async ({ values, ...given }) => {
    if (values === undefined) return run(given, (connection, call) => connection.exec(call))
    if (!readsInput(given.query))
      return run({ ...given, values }, (connection, call) => connection.exec(call))
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
    ping: (given) => shared.ping(given),
    async close() {
      await Promise.all(stopping)
      await shared.close()
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
    return await act(own, call).catch(throwAsClient)
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
  const running = act(own, { ...call, query: `/* ${mark} */ ${call.query}` })
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

function bindable({ query_params: parameters }: EngineQuery): Pick<EngineQuery, 'query_params'> {
  if (parameters === undefined) return {}
  return {
    query_params: Object.fromEntries(
      Object.entries(parameters).map(([name, value]) => [name, withTimesAsText(value)]),
    ),
  }
}

function withTimesAsText(value: unknown): unknown {
  if (value instanceof Date) return timeText(value)
  return Array.isArray(value) ? value.map(withTimesAsText) : value
}
