import { parentPort, workerData } from 'node:worker_threads'
import { PGlite, type Transaction } from '@electric-sql/pglite'
import { collectGarbage } from '../../platform/node/heap.ts'
import { failureOf } from './failure.ts'
import type { FromThread, Request, ThreadStart, ToThread } from './protocol.ts'
import { postgresSettings } from './settings.ts'
import { receivedValue } from './values.ts'

/**
 * The embedded Postgres, alone in a thread. PGlite lets one statement or transaction in at a time, in the order
 * in which they come; messages arrive in the order in which they were sent.
 */
type OpenTransaction = {
  sql: Transaction
  end: (isCommit: boolean) => void
  /** Done when COMMIT or ROLLBACK is. */
  ended: Promise<void>
}

class RolledBack extends Error {}

function serve(db: PGlite, post: (message: FromThread) => void): (message: ToThread) => Promise<void> {
  // bounded: by one, since PGlite opens one at a time.
  const transactions = new Map<number, OpenTransaction>()

  async function begin(number: number): Promise<void> {
    const begun = Promise.withResolvers<void>()
    const decision = Promise.withResolvers<boolean>()
    const ended = db.transaction(async (sql) => {
      transactions.set(number, { sql, end: decision.resolve, ended })
      begun.resolve()
      if (!(await decision.promise)) throw new RolledBack()
    })
    await Promise.race([begun.promise, ended])
  }

  function openOne(number: number): OpenTransaction {
    const found = transactions.get(number)
    if (!found) throw new Error('Transaction is closed')
    return found
  }

  async function end(number: number, isCommit: boolean): Promise<void> {
    const transaction = openOne(number)
    transactions.delete(number)
    transaction.end(isCommit)
    await transaction.ended.catch((error: unknown) => {
      if (!(error instanceof RolledBack)) throw error
    })
  }

  async function perform(request: Request, number: number): Promise<Record<string, unknown>[]> {
    switch (request.kind) {
      case 'query': {
        const sql = request.transaction === null ? db : openOne(request.transaction).sql
        const values = request.values.map(receivedValue)
        return (await sql.query<Record<string, unknown>>(request.text, values)).rows
      }
      case 'script':
        await db.exec(request.text)
        return []
      case 'begin':
        await begin(number)
        return []
      case 'end':
        await end(request.transaction, request.isCommit)
        return []
      case 'listen':
        await db.listen(request.channel, (payload) => post({ kind: 'notice', number, payload }))
        return []
      case 'check':
        return []
      case 'close':
        await db.close()
        return []
    }
  }

  return async ({ number, ...request }) => {
    try {
      post({ kind: 'done', number, rows: await perform(request, number) })
    } catch (error) {
      post({ kind: 'failed', number, failure: failureOf(error) })
    }
  }
}

/** How Postgres returns to its main loop after an error of a statement (PGlite's POSTGRES_MAIN_LONGJMP). */
const statementFailed = 100

/**
 * PGlite answers with no rows where Postgres itself broke: a trap of the module, PANIC or FATAL. From then on
 * nothing it says can be believed, so the thread ends.
 */
function endWhenBroken({ Module: postgres }: PGlite, post: (message: FromThread) => void): void {
  const runOnce = postgres._PostgresMainLoopOnce
  postgres._PostgresMainLoopOnce = () => {
    try {
      runOnce()
    } catch (error) {
      const status = typeof error === 'object' && error !== null && 'status' in error ? error.status : null
      if (status !== statementFailed) {
        post({ kind: 'crashed', reason: String(error) })
        process.exit(1)
      }
      throw error
    }
  }
}

/** By then the start is over. Opening leaves 60 MB of garbage, the making of a new store 250. */
const settledMs = 1_000

async function main(): Promise<void> {
  const port = parentPort
  if (!port) throw new Error('This file is the start of a worker thread')
  const post = (message: FromThread) => port.postMessage(message)
  // boundary: what its exchange passes.
  const { directory, module } = workerData as ThreadStart
  try {
    const db = await PGlite.create({
      dataDir: directory,
      pgliteWasmModule: module,
      startParams: postgresSettings,
    })
    endWhenBroken(db, post)
    const handle = serve(db, post)
    port.on('message', (message: ToThread) => void handle(message))
    post({ kind: 'done', number: 0, rows: [] })
    setTimeout(collectGarbage, settledMs).unref()
  } catch (error) {
    post({ kind: 'failed', number: 0, failure: failureOf(error) })
  }
}

await main()
