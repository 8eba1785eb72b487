import type { GrowingBytes } from './growing-bytes.ts'

/** A column of a block that is being filled, row by row; a row without a value has the default of the type. */
export interface BlockColumn {
  readonly name: string
  readonly type: string
  /**
   * Reads the value that begins at a position of a line; returns the position behind it, or `unread` for a value that
   * only the store's own reader may judge.
   */
  read(bytes: Uint8Array, at: number, row: number): number
  /** Appends the values of this many rows in the format Native. */
  write(output: GrowingBytes, rows: number): void
  clear(): void
}
