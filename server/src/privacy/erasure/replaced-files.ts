import { setTimeout as wait } from 'node:timers/promises'
import type { Control } from '../../store/control.ts'
import type { Events } from '../../store/events.ts'
import { isStored, type PersonalDataPlace } from '../../store/people/personal-data.ts'
import {
  type ReplacedPart,
  removeReplacedParts,
  rewriteControlFiles,
  selectReplacedParts,
} from './replaced-files-store.ts'

/** A part that a read still uses goes when the read is over, which is stopped after a minute. */
const partsMsMax = 60_000
const partsAgainMs = 250

/**
 * What was deleted lies on disk until parts and pages are written again and the old ones are gone. Parts that are
 * replaced from now on were made without the person, so only those of before are waited for.
 */
export async function clearFiles(
  { control, events }: { control: Control; events: Events },
  places: readonly PersonalDataPlace[],
): Promise<void> {
  const until = performance.now() + partsMsMax
  let left = await selectReplacedParts(events)
  while (left.length > 0) {
    for (const table of new Set(left.map((part) => part.table))) await removeReplacedParts(events, table)
    const now = await selectReplacedParts(events)
    left = left.filter((part) => now.some((other) => isSame(part, other)))
    if (left.length > 0 && performance.now() > until) throw new Error('replaced parts are still in use')
    if (left.length > 0) await wait(partsAgainMs)
  }
  const tables = places.filter(isStored).flatMap(({ covers }) => covers.control ?? [])
  await rewriteControlFiles(control, tables)
}

/**
 * Concurrent callers share the next run: it starts after the last of them has deleted its rows, and costs the
 * same for one as for many.
 */
export function inTurns(run: () => Promise<void>): () => Promise<void> {
  let current: Promise<void> = Promise.resolve()
  let next: Promise<void> | null = null
  return () => {
    next ??= current
      .catch(() => {})
      .then(() => {
        next = null
        current = run()
        return current
      })
    return next
  }
}

function isSame(part: ReplacedPart, other: ReplacedPart): boolean {
  return part.table === other.table && part.name === other.name
}
