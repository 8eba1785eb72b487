import type { Statement } from './statement.ts'

export interface EngineStart {
  path: string
  mounts: readonly string[]
}

/** What the engine's worker is started with. */
export interface WorkerStart extends EngineStart {
  /** Of an engine that was started before in this process, with all of it that was compiled since. */
  module: WebAssembly.Module | undefined
}

export type ToEngine = { kind: 'run'; statement: Statement } | { kind: 'close' }

export type FromEngine =
  /** `cancelFlag` is one 32-bit word in the engine's memory; 1 there stops the running statement. */
  | { kind: 'ready'; cancelFlag: Int32Array<SharedArrayBuffer>; module: WebAssembly.Module }
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
