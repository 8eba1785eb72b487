import type { Statement } from './statement.ts'

/** What the engine's worker is started with. */
export interface WorkerStart {
  path: string
  mounts: readonly string[]
}

export type ToEngine = { kind: 'run'; statement: Statement } | { kind: 'close' }

export type FromEngine =
  /** `cancelFlag` is one 32-bit word in the engine's memory; 1 there stops the running statement. */
  | { kind: 'ready'; cancelFlag: Int32Array<SharedArrayBuffer> }
  | ({ kind: 'done'; outcome: Outcome } & MemoryUse)
  | ({ kind: 'failed'; message: string } & MemoryUse)
  | { kind: 'notice'; text: string }
  | { kind: 'closed' }

/** How much memory the engine has taken from the system. It only ever grows, even when what lay there is gone. */
interface MemoryUse {
  memoryBytes: number
}

export interface Outcome {
  bytes: Uint8Array<ArrayBuffer>
  resultRows: number
  resultBytes: number
  scannedRows: number
  scannedBytes: number
  elapsedMs: number
}
