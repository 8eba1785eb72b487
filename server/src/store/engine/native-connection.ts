import type { EngineConnection } from './portable-connection.ts'
import { splitSettings } from './statement.ts'

/**
 * chDB applies `clickhouse_settings` with SET, which would stay in force for everything that follows: the next
 * INSERT would carry the previous one's deduplication token and be dropped. So a call with settings runs on a
 * connection of its own; several may be open on one directory in a process.
 */
export function withOwnSettings(open: () => EngineConnection): EngineConnection {
  const shared = open()
  const scoped = async <Given extends { clickhouse_settings?: object }, Answer>(
    given: Given,
    act: (connection: EngineConnection, given: Given) => Promise<Answer>,
  ): Promise<Answer> => {
    const { settings } = splitSettings({ ...given.clickhouse_settings })
    if (Object.keys(settings).length === 0) return act(shared, given)
    const own = open()
    try {
      return await act(own, given)
    } finally {
      await own.close()
    }
  }
  return {
    query: (given) => scoped(given, (connection, query) => connection.query(query)),
    command: (given) => scoped(given, (connection, query) => connection.command(query)),
    exec: (given) => scoped(given, (connection, query) => connection.exec(query)),
    insert: (given) => scoped(given, (connection, query) => connection.insert(query)),
    ping: (given) => shared.ping(given),
    close: () => shared.close(),
  }
}
