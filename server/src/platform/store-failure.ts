import { isRecord } from '@assay/contract'

/** A store on a server cannot be reached, or ended the connection. What it was asked may have been done. */
export class StoreUnreachable extends Error {
  override readonly name = 'StoreUnreachable'
}

/**
 * Of the network, of a Postgres that starts, stops, has no connection left or takes too long, and of a ClickHouse
 * without Keeper or without a majority of its replicas.
 */
const codes: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  '57P01',
  '57P02',
  '57P03',
  '53300',
  '08000',
  '08001',
  '08003',
  '08004',
  '08006',
  '55P03',
  '57014',
  '225',
  '242',
  '285',
  '286',
  '319',
  '999',
])
/** What the clients of both stores say without a code: how their messages begin. */
const words = [
  'query read timeout',
  'timeout exceeded when trying to connect',
  'timeout expired',
  'connection terminated',
  'client has encountered a connection error',
  'socket hang up',
  'timeout error',
]

function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (isRecord(error) && codes.has(error.code)) return true
  return (
    words.some((word) => error.message.toLowerCase().startsWith(word)) ||
    (error instanceof AggregateError && error.errors.some(isUnreachable))
  )
}

/** Gives a failure to reach the store its own class, so that callers get `unavailable`; other failures stay. */
export async function reaching<T>(store: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    if (!isUnreachable(cause)) throw cause
    throw new StoreUnreachable(`the ${store} store cannot be reached`, { cause })
  }
}
