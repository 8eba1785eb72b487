import { parseSegmentName, readLines, type Segment, type Waiting } from './segment.ts'

/**
 * The workspace of an append's lines, and how many of them are events to be stored; the others are counts.
 */
export type LineOwner = {
  workspaceId: string
  stored: number
  /** The request, as `traceparent`, where spans are recorded. */
  trace?: string | undefined
}

export function addWaiting(tally: Map<string, Waiting>, workspaceId: string, added: Waiting): void {
  const known = tally.get(workspaceId)
  if (known === undefined) {
    tally.set(workspaceId, { ...added })
    return
  }
  known.events += added.events
  known.sinceMs = Math.min(known.sinceMs, added.sinceMs)
}

export function addTally(to: Map<string, Waiting>, tally: ReadonlyMap<string, Waiting>): void {
  for (const [workspaceId, waiting] of tally) addWaiting(to, workspaceId, waiting)
}

/** Every line begins like this; only those of events have an id. */
const ownerPattern = /^\{"workspace_id":"([^"\\]{1,64})"/
const isEvent = (line: string) => line.includes('"event_id":')

/**
 * Reads the tally of a segment from an earlier run, or a rewritten one. The arrival of its lines is unknown,
 * so they count as old as the segment, or as the oldest known of their workspace.
 */
export async function readTally(
  segment: Pick<Segment, 'name' | 'path'>,
  before?: ReadonlyMap<string, Waiting>,
): Promise<Map<string, Waiting>> {
  const begunMs = parseSegmentName(segment.name)?.sequence ?? 0
  const tally = new Map<string, Waiting>()
  for await (const line of readLines(segment)) {
    const workspaceId = ownerPattern.exec(line)?.[1] ?? ''
    const sinceMs = before?.get(workspaceId)?.sinceMs ?? begunMs
    addWaiting(tally, workspaceId, { events: isEvent(line) ? 1 : 0, sinceMs })
  }
  return tally
}

/** What waits of one workspace in all of these; lines without a known workspace may be any one's. */
export function waitingOf(
  tallies: Iterable<ReadonlyMap<string, Waiting> | undefined>,
  workspaceId: string,
): Waiting | null {
  const found = new Map<string, Waiting>()
  for (const tally of tallies) {
    const own = tally?.get(workspaceId)
    if (own !== undefined) addWaiting(found, workspaceId, own)
    const unknown = workspaceId === '' ? undefined : tally?.get('')
    if (unknown !== undefined) addWaiting(found, workspaceId, { ...unknown, events: 0 })
  }
  return found.get(workspaceId) ?? null
}
