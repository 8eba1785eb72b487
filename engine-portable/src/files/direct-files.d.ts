export interface DirectFiles {
  /** Directories that are mounted in the engine's tree at their own path. */
  roots: readonly string[]
  /** Where the next read or write of a descriptor begins; for all threads. */
  positions: Float64Array<SharedArrayBuffer>
}
/** The key under which a thread of the engine finds them in its environment data. */
export const environmentKey: string
/** Whether a file is one of the token logs by which ClickHouse recognises a block that comes again. */
export function isTokenLog(target: string): boolean
/** Whether it is a part, or another thing, that is being made: when it is complete it is renamed. */
export function isUnfinished(target: string): boolean
export function newDirectFiles(roots: readonly string[]): DirectFiles
/** Puts direct calls in front of those that the engine imports. */
export function callDirectly(imports: Record<string, unknown>, files: DirectFiles): void
/** Grows with what any thread needs; its buffer is then another one. */
export interface SharedMemory {
  readonly buffer: SharedArrayBuffer
}
/** The memory that the engine's threads share, among all that the module imports. */
export function memoryIn(imports: Record<string, Record<string, unknown>>): SharedMemory | undefined
/** An instance of the module that calls directly. */
export function instantiate(
  module: WebAssembly.Module,
  imports: Record<string, Record<string, unknown>>,
  files: DirectFiles,
): Promise<WebAssembly.Instance>
