/**
 * What events cost on two cores. Where several runs differ it is the worst of them. How each was measured is in
 * docs/sizing.md.
 */
export const figures = {
  /** Processor time of the main thread until an event is acknowledged: the part that one process cannot share out. */
  mainMicros: { batched: 48, single: 164 },
  /** Processor time of all threads until an event is stored. */
  allMicros: { batched: 103, single: 390 },
  /** Of the store, merged and compressed, with the ids that find repeats. */
  storedBytes: 285,
  /** Of the log, until the event is stored. */
  loggedBytes: 710,
  /** Processor time of a fresh overview with a filter, for each event that it reads. */
  readMicros: 2.7,
  /** A read that takes longer is refused. */
  readSecondsMax: 10,
  /** Of a process after a million events and all reads. */
  processGigabytes: 1.7,
} as const

/** Of a core, so that a busy minute or a lost node is no failure. */
export const usedShare = 0.6
/** Merges write a part again before they let go of the old one. */
export const diskReserve = 1.25
