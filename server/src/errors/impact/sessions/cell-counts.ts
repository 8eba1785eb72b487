import type { Walk } from './session-walks.ts'

/**
 * Counts the steps of each cell; returns how many cells there are, which are listed then. The counts have to be nothing
 * before, and are for the caller to clear.
 */
export function countCells({ cells, stepCount }: Walk, counts: Int32Array, listed: Uint16Array): number {
  let different = 0
  for (let index = 0; index < stepCount; index += 1) {
    const cell = cells[index] ?? 0
    if (counts[cell] === 0) {
      listed[different] = cell
      different += 1
    }
    counts[cell] = (counts[cell] ?? 0) + 1
  }
  return different
}
