import { Readable } from 'node:stream'
import { timeText } from './parameters.ts'
import type { EngineConnection } from './portable-connection.ts'
import type { Spool } from './spool.ts'
import { readRowsFrom, readsInput, splitSettings } from './statement.ts'

type Given = Parameters<EngineConnection['query']>[0]

/**
 * chDB's connection (3.4.0) with three of its habits mended, each of which would lose something without a word:
 * - It applies `clickhouse_settings` with SET, which stays in force: the next INSERT would carry the previous one's
 *   deduplication token and be dropped. A call with settings therefore runs on a connection of its own; several may
 *   be open on one directory in a process.
 * - It binds a Date without its milliseconds.
 * - It stores none of the rows that come with an `INSERT … SELECT … FROM input(…)`.
 */
export function mendNative(open: () => EngineConnection, spool: Spool): EngineConnection {
  const shared = open()
  const run = async <Call extends Given, Answer>(
    given: Call,
    act: (connection: EngineConnection, call: Call) => Promise<Answer>,
  ): Promise<Answer> => {
    const call = { ...given, ...bindable(given) }
    const { settings } = splitSettings({ ...given.clickhouse_settings })
    if (Object.keys(settings).length === 0) return act(shared, call)
    const own = open()
    try {
      return await act(own, call)
    } finally {
      await own.close()
    }
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
    close: () => shared.close(),
  }
}

function bindable({ query_params: parameters }: Given): Pick<Given, 'query_params'> {
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
