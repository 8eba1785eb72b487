import { machineMemory } from '../../platform/machine-memory.ts'

/** How much of the store's answer is taken into memory. */
export type RowBounds = { rowsMax: number; bytesMax: number }
/** About 80 bytes an event, while an answer is made. */
export const rowBounds: RowBounds = { rowsMax: 2_000_000, bytesMax: 160_000_000 }

/** What stays in memory of all sites of a node together: a twenty-fourth of the memory, within bounds. */
export const keptBytesMax = Math.min(1_000_000_000, Math.max(160_000_000, machineMemory / 24))

/** What the store says of an answer beyond these bounds. */
export const isTooLarge = (error: unknown) =>
  error instanceof Error && /TOO_MANY_ROWS_OR_BYTES|Code: 396\b|Limit for result exceeded/.test(error.message)
