import type { ForgetMode } from '@assay/contract'
import type { LineOwner } from './pending-tally.ts'
import type { Waiting } from './segment.ts'

/**
 * No space: the log has reached its configured size, or the disk is full. Nothing of the append was stored.
 */
export class LogFull extends Error {
  override name = 'LogFull'
}

export class LogClosed extends Error {
  override name = 'LogClosed'
}

/** The disk refused the write for another reason, which is the cause. Nothing of the append was stored. */
export class LogFailed extends Error {
  override name = 'LogFailed'
}

/** The log did not confirm the write in time. It may be stored, in whole or in part. */
export class LogUnconfirmed extends Error {
  override name = 'LogUnconfirmed'
}

/** Acknowledged lines that are not in the events store yet: in files of this process, or replicated. */
export type EventLog = {
  /** Other nodes append to it too: what waits in it is not only what this node acknowledged. */
  readonly isShared: boolean
  /**
   * `lines` are whole NDJSON lines, each with its newline. Resolves once they are durable. Everything
   * appended during a write becomes the next group: one write, one confirmation that all its callers share.
   */
  append(lines: string, events: number, owner?: LineOwner): Promise<void>
  /** Everything appended before the call can be loaded after it, and is not loaded together with what follows. */
  rotate(): Promise<void>
  /** Acknowledged lines that are not loaded yet. Rotate first, or the latest are left out. */
  unloaded(): AsyncGenerator<string>
  /** Removes these people's lines from what is not loaded yet, or their personal data from the lines. */
  forget(workspaceId: string, originalIds: readonly string[], mode: ForgetMode): Promise<void>
  /** When the oldest of them was acknowledged, or its segment begun. */
  readonly oldestMs: number | null
  /** What this node acknowledged and is not loaded yet. */
  readonly pendingBytes: number
  readonly pendingEvents: number
  /** The same for one workspace; null if nothing of it waits. */
  waitingOf(workspaceId: string): Waiting | null
  /** Why the last write was refused; null once one succeeded. */
  readonly failure: Error | null
  /**
   * Whether an append can be written now: the last one was, and there is space. After a failure it is tried.
   */
  isWritable(): Promise<boolean>
  /** Writes what was appended, and refuses further appends. */
  close(): Promise<void>
}
