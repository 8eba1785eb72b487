import type { Failure } from './failure.ts'
import type { SentValue } from './values.ts'

/** What the thread of the embedded Postgres is started with. */
export type ThreadStart = { directory: string; module: WebAssembly.Module }

/** Each has a number, which its answer carries. */
export type Request =
  | { kind: 'query'; text: string; values: readonly SentValue[]; transaction: number | null }
  | { kind: 'script'; text: string }
  /** Answered when the transaction is open; its number names it from then on. */
  | { kind: 'begin' }
  | { kind: 'end'; transaction: number; isCommit: boolean }
  /** Notices carry the number of this request. */
  | { kind: 'listen'; channel: string }
  /** Answered without Postgres: shows that the thread is not stuck. */
  | { kind: 'check' }
  | { kind: 'close' }

export type ToThread = Request & { number: number }

export type FromThread =
  /** Number 0 says that the store is open, or why it cannot be opened. */
  | { kind: 'done'; number: number; rows: Record<string, unknown>[] }
  | { kind: 'failed'; number: number; failure: Failure }
  | { kind: 'notice'; number: number; payload: string }
  /** The last word of a thread that cannot continue. */
  | { kind: 'crashed'; reason: string }
