import type { EventLog } from './event-log.ts'
import type { KeepLine, Segment } from './segment.ts'
import type { CreateSegmentFile } from './segment-file.ts'

export type LogOptions = {
  dir: string
  /** Maximum size of a segment, except for a single larger append. */
  segmentBytesMax: number
  segmentAgeMsMax: number
  totalBytesMax: number
  now: () => number
  /** How much longer no segment may be closed by its age: a load has its cost, however little it contains. */
  holdMs?: () => number
  /** Part of every segment's name; letters, digits and underscores. */
  nodeId?: string
  /** Errors that no caller waits for: a segment that could not be closed by age, a listener that threw. */
  onError?: (error: unknown) => void
  createFile?: CreateSegmentFile
}

/** The log as segment files in the data directory of one process. */
export type SegmentLog = EventLog & {
  /** Oldest first. */
  closed(): readonly Segment[]
  /** Returns the function that unsubscribes. Segments found at open are in `closed()` and not announced. */
  onClosed(listener: (segment: Segment) => void): () => void
  /** Deletes a closed segment; a missing one is fine. */
  remove(segment: Segment): Promise<void>
  /**
   * Replaces the content of a closed segment, as erasure needs it. `keep` returns a line's new text, or null
   * to drop it. Returns the segment with the rest: the same one when nothing changed; null when no line was
   * kept or the segment was removed meanwhile, its lines being in the store then. Appends continue.
   *
   * The rest gets a new name, because the name is the dedup token of the load. If a load of the old content
   * succeeded without our knowing, the store would treat the new content under the old token as a repeat and
   * drop it. Under a new token it is loaded, and the load itself skips ids that are in the store already.
   */
  rewrite(segment: Segment, keep: KeepLine): Promise<Segment | null>
}
