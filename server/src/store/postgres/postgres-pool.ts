import pg from 'pg'

/** How long a Postgres server may take. A server that hangs fails what waits for it, instead of holding it forever. */
export type PostgresBounds = {
  /** Until there is a connection: one that is free, or a new one. */
  connectMs: number
  /** One statement. */
  statementMs: number
  /** One lock, of a row or a table. */
  lockMs: number
}

/** What a caller waits for. Many times what any statement of a request takes. */
export const requestBounds: PostgresBounds = { connectMs: 5_000, statementMs: 15_000, lockMs: 10_000 }

/**
 * What no caller waits for: migrations, jobs, imports, and work that only one node may do, which waits for the others.
 * They change whole tables, and some wait for each other.
 */
export const jobBounds: PostgresBounds = {
  connectMs: 60_000,
  statementMs: 3_600_000,
  lockMs: 3_600_000,
}

/** The server ends a statement that takes too long; if it says nothing of that either, we stop waiting. */
const answerMsMore = 2_000

/** Enough for the control plane of one node; Postgres' own default limit is 100 connections in all. */
const connectionsMax = 10

export function openPool(url: string, { connectMs, statementMs, lockMs }: PostgresBounds): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: connectionsMax,
    connectionTimeoutMillis: connectMs,
    query_timeout: statementMs + answerMsMore,
    keepAlive: true,
    // Waited for; as a parameter of the connection, poolers would refuse it.
    onConnect: async (client) =>
      void (await client.query(`SET statement_timeout = ${statementMs}; SET lock_timeout = ${lockMs}`)),
  })
  // An idle connection that breaks is replaced on next use; without a listener it would end the process.
  pool.on('error', () => {})
  return pool
}

/** The server did not answer: the connection is of no use, and neither is a statement that waits behind the other. */
export const isUnanswered = (cause: unknown): boolean =>
  cause instanceof Error && cause.message === 'Query read timeout'
