import { totalmem } from 'node:os'

/** How much of the store's answer is taken into memory. */
export type RowBounds = { rowsMax: number; bytesMax: number }
/** About 80 bytes an event, while an answer is made. */
export const rowBounds: RowBounds = { rowsMax: 2_000_000, bytesMax: 160_000_000 }

/** A container may have less memory than its machine; without a limit Node answers 0, or more than there is. */
const memory = Math.min(process.constrainedMemory() || Infinity, totalmem())
/** What stays in memory of all sites of a node together: a thirty-second of it, within bounds. */
export const keptBytesMax = Math.min(1_000_000_000, Math.max(160_000_000, memory / 32))

/** What the store says of an answer beyond these bounds. */
export const isTooLarge = (error: unknown) =>
  error instanceof Error && /TOO_MANY_ROWS_OR_BYTES|Code: 396\b|Limit for result exceeded/.test(error.message)
