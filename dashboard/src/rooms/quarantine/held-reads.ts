/** Reads that a release or a discard changes. */
export const heldReads = ['countHeld', 'listHeld', 'getHeld', 'getCatalog', 'getOverview'] as const
