import { randomBytes } from 'node:crypto'
import { renameSync } from 'node:fs'
import { readdir, rm, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { readTally } from './pending-tally.ts'
import type { KeepLine, Segment } from './segment.ts'
import {
  nextRevision,
  parseSegmentName,
  repairSegment,
  rewriteLines,
  segmentNameOfFile,
  segmentPath,
} from './segment.ts'
import { syncDirectory } from './segment-file.ts'

/** A rewritten segment that does not have its final name yet. */
const copySuffix = '.copy'
/** Lines of a segment that are loaded separately; the segment contains them too. */
export const partSuffix = '.part'
/** A segment as blocks of columns, for one load. */
export const blockSuffix = '.block'
const leftSuffixes = [copySuffix, partSuffix, blockSuffix]

/** Repairs the segments of an earlier run, oldest first. */
export async function recoverSegments(dir: string): Promise<Segment[]> {
  const files = await readdir(dir)
  for (const file of files) {
    if (leftSuffixes.some((suffix) => file.endsWith(suffix))) await unlink(join(dir, file))
  }
  const names = files.map(segmentNameOfFile).filter((name) => name !== null)
  names.sort()
  const segments: Segment[] = []
  for (const [index, name] of names.entries()) {
    const path = segmentPath(dir, name)
    // The next revision was complete before it got its name, so a crash only prevented this one from being
    // removed.
    const isRewritten = isRevisionOf(name, names[index + 1] ?? '')
    const content = isRewritten ? { bytes: 0, events: 0 } : await repairSegment(path)
    if (content.bytes === 0) await unlink(path)
    else segments.push({ name, path, ...content, tally: await readTally({ name, path }) })
  }
  await syncDirectory(dir)
  return segments
}

function isRevisionOf(name: string, laterName: string): boolean {
  const older = parseSegmentName(name)
  const newer = parseSegmentName(laterName)
  if (older === null || newer === null) return false
  return older.sequence === newer.sequence && older.nodeId === newer.nodeId && older.revision < newer.revision
}

/** The segments that wait to be loaded, oldest first. */
export class ClosedSegments {
  bytes = 0
  events = 0
  readonly #dir: string
  readonly #segments: Segment[] = []
  #rewriting: Promise<unknown> = Promise.resolve()

  constructor(dir: string, segments: readonly Segment[]) {
    this.#dir = dir
    for (const segment of segments) this.add(segment)
  }

  list(): readonly Segment[] {
    return [...this.#segments]
  }

  add(segment: Segment): void {
    this.#segments.push(segment)
    this.#count(segment, 1)
  }

  async remove(segment: Segment): Promise<void> {
    if (this.#replace(segment, null)) await rm(segment.path, { force: true })
  }

  rewrite(segment: Segment, keep: KeepLine): Promise<Segment | null> {
    const rewritten = this.#rewriting.then(() => this.#rewriteLatest(segment, keep))
    this.#rewriting = rewritten.catch(() => undefined)
    return rewritten
  }

  /**
   * One at a time and on the latest revision, so that of two erasures in one segment neither undoes the
   * other.
   */
  async #rewriteLatest(segment: Segment, keep: KeepLine): Promise<Segment | null> {
    const latest = this.#segments.find(
      ({ name }) => name === segment.name || isRevisionOf(segment.name, name),
    )
    const parts = latest && parseSegmentName(latest.name)
    if (!latest || !parts) return null
    const name = nextRevision(parts, randomPart())
    const path = segmentPath(this.#dir, name)
    const copyPath = path + copySuffix
    try {
      const content = await rewriteLines(latest, copyPath, keep)
      if (content === null) return latest
      const tally = await readTally({ name, path: copyPath }, latest.tally)
      const rest = content.events === 0 ? null : { name, path, ...content, tally }
      return (await this.#putInPlace(latest, rest, copyPath)) ? rest : null
    } finally {
      await rm(copyPath, { force: true })
    }
  }

  /**
   * False when the old segment was removed meanwhile: its content is in the store and must not come twice.
   */
  async #putInPlace(old: Segment, rest: Segment | null, copyPath: string): Promise<boolean> {
    if (!this.#segments.includes(old)) return false
    // Renamed and listed synchronously, so that a removal comes either before or after both.
    if (rest !== null) renameSync(copyPath, rest.path)
    this.#replace(old, rest)
    await syncDirectory(this.#dir)
    await rm(old.path, { force: true })
    // Erased lines must not come back after a power failure.
    await syncDirectory(this.#dir)
    return true
  }

  /** False when the segment does not exist any more. */
  #replace(segment: Segment, rest: Segment | null): boolean {
    const index = this.#segments.indexOf(segment)
    if (index === -1) return false
    this.#segments.splice(index, 1, ...(rest === null ? [] : [rest]))
    this.#count(segment, -1)
    if (rest !== null) this.#count(rest, 1)
    return true
  }

  #count(segment: Segment, sign: 1 | -1): void {
    this.bytes += sign * segment.bytes
    this.events += sign * segment.events
  }
}

/**
 * 64 random bits, so that a name is unique across nodes, deletions and restarts even if its other parts are
 * not.
 */
export function randomPart(): string {
  return randomBytes(8).toString('hex')
}
