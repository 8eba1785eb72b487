import { totalmem } from 'node:os'

/** In bytes. A container may have less than its machine; without a limit Node answers 0, or more than there is. */
export const machineMemory = Math.min(process.constrainedMemory() || Infinity, totalmem())
