/** Reads that loading or discarding a dead letter changes. */
export const letterReads = ['listDeadLetters', 'getDeadLetter', 'getReceipt'] as const
