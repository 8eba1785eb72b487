import { type Row, ThreadExchange, type ThreadOptions } from './thread-exchange.ts'
import { sentValue } from './values.ts'

type Query = (text: string, values?: readonly unknown[]) => Promise<Row[]>

/** The embedded Postgres, which runs in a thread of its own. */
export type EmbeddedPostgres = {
  query: Query
  /** Several statements at once. */
  script: (text: string) => Promise<void>
  /** Statements from outside wait until it has ended. */
  transaction: <T>(work: (query: Query) => Promise<T>) => Promise<T>
  listen: (channel: string, hear: (payload: string) => void) => Promise<void>
  /** Waits for what was sent before. */
  close: () => Promise<void>
}

export async function openEmbeddedPostgres(options: ThreadOptions): Promise<EmbeddedPostgres> {
  const thread = new ThreadExchange(options)
  await thread.open()
  let closing: Promise<void> | null = null
  const requireOpen = () => {
    if (closing) throw new Error('The control store is closed')
  }
  return {
    query: async (text, values) => {
      requireOpen()
      return await runQuery(thread, null, text, values)
    },
    script: async (text) => {
      requireOpen()
      await thread.send({ kind: 'script', text }).answer
    },
    transaction: async (work) => {
      requireOpen()
      return await inTransaction(thread, work)
    },
    listen: async (channel, hear) => {
      requireOpen()
      const { number, answer } = thread.send({ kind: 'listen', channel })
      thread.hear(number, hear)
      await answer
    },
    close: () => {
      closing ??= close(thread)
      return closing
    },
  }
}

async function runQuery(
  thread: ThreadExchange,
  transaction: number | null,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  return await thread.send({ kind: 'query', text, values: values.map(sentValue), transaction }).answer
}

/** Work begins when the transaction is open, so that it sees what those before it left. */
async function inTransaction<T>(thread: ThreadExchange, work: (query: Query) => Promise<T>): Promise<T> {
  const { number: transaction, answer: begun } = thread.send({ kind: 'begin' })
  await begun
  let isOpen = true
  const query: Query = async (text, values) => {
    if (!isOpen) throw new Error('Transaction is closed')
    return await runQuery(thread, transaction, text, values)
  }
  const end = async (isCommit: boolean) => {
    isOpen = false
    await thread.send({ kind: 'end', transaction, isCommit }).answer
  }
  let result: T
  try {
    result = await work(query)
  } catch (error) {
    await end(false)
    throw error
  }
  await end(true)
  return result
}

async function close(thread: ThreadExchange): Promise<void> {
  try {
    await thread.send({ kind: 'close' }).answer
  } finally {
    await thread.end()
  }
}
